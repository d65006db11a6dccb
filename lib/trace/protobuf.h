/* SPDX-License-Identifier: MIT */
/*
 * These functions write protocol buffers (https://protobuf.dev/programming-guides/encoding/). A
 * message is an array of bytes in memory. A nested message is opened, filled and closed. If memory
 * runs out, the functions jump to the guard of arenas (rs_arena_guard()).
 */
#ifndef RS_TRACE_PROTOBUF_H
#define RS_TRACE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rs_protobuf {
	unsigned char *bytes; /* owned */
	size_t n;
	size_t room;
};

/* Return memory for n more bytes of the message. The caller writes them, and adds to message->n. */
unsigned char *rs_protobuf_room(struct rs_protobuf *message, size_t n);

/* Add a field: an integer or an enum, a fixed64, n bytes, or a text that ends in NUL. */
void rs_protobuf_uint(struct rs_protobuf *message, uint32_t field, uint64_t value);
void rs_protobuf_fixed64(struct rs_protobuf *message, uint32_t field, uint64_t value);
void rs_protobuf_bytes(struct rs_protobuf *message, uint32_t field, const void *bytes, size_t n);
void rs_protobuf_text(struct rs_protobuf *message, uint32_t field, const char *text);

/* rs_protobuf_open() begins a nested message, and rs_protobuf_close() ends it. Pass the return
 * value of the first function to the second. */
size_t rs_protobuf_open(struct rs_protobuf *message, uint32_t field);
void rs_protobuf_close(struct rs_protobuf *message, size_t opened);

/* Release the message's memory. */
void rs_protobuf_finish(struct rs_protobuf *message);

#endif
