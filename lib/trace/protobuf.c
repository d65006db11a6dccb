/* SPDX-License-Identifier: MIT */
/* This file writes protocol buffers (protobuf.h). */
#include "trace/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum wire_type { VARINT = 0, FIXED_64 = 1, LENGTH = 2 };
#define MOST_VARINT 10 /* bytes of the longest varint, which has 64 bits */

unsigned char *rs_protobuf_room(struct rs_protobuf *message, size_t n)
{
	if (message->room - message->n < n) {
		size_t room = 2 * message->room + n + 256;
		unsigned char *bytes = realloc(message->bytes, room);
		if (!bytes)
			return rs_arena_refuse();
		message->bytes = bytes;
		message->room = room;
	}
	return message->bytes + message->n;
}

static size_t put_varint(unsigned char *to, uint64_t value)
{
	size_t n = 0;
	for (; value >= 0x80; value >>= 7)
		to[n++] = (unsigned char)(value | 0x80);
	to[n++] = (unsigned char)value;
	return n;
}

static void add_varint(struct rs_protobuf *message, uint64_t value)
{
	message->n += put_varint(rs_protobuf_room(message, MOST_VARINT), value);
}

static void add_key(struct rs_protobuf *message, uint32_t field, enum wire_type type)
{
	add_varint(message, (uint64_t)field << 3 | type);
}

void rs_protobuf_uint(struct rs_protobuf *message, uint32_t field, uint64_t value)
{
	add_key(message, field, VARINT);
	add_varint(message, value);
}

void rs_protobuf_fixed64(struct rs_protobuf *message, uint32_t field, uint64_t value)
{
	add_key(message, field, FIXED_64);
	unsigned char *to = rs_protobuf_room(message, sizeof(value));
	for (size_t i = 0; i < sizeof(value); i++)
		to[i] = (unsigned char)(value >> 8 * i);
	message->n += sizeof(value);
}

void rs_protobuf_bytes(struct rs_protobuf *message, uint32_t field, const void *bytes, size_t n)
{
	add_key(message, field, LENGTH);
	add_varint(message, n);
	unsigned char *to = rs_protobuf_room(message, n);
	if (n > 0)
		memcpy(to, bytes, n);
	message->n += n;
}

void rs_protobuf_text(struct rs_protobuf *message, uint32_t field, const char *text)
{
	rs_protobuf_bytes(message, field, text, strlen(text));
}

/* Reserve one byte for the length, which precedes the message. */
size_t rs_protobuf_open(struct rs_protobuf *message, uint32_t field)
{
	add_key(message, field, LENGTH);
	add_varint(message, 0);
	return message->n;
}

void rs_protobuf_close(struct rs_protobuf *message, size_t opened)
{
	unsigned char length[MOST_VARINT];
	size_t n = message->n - opened, n_length = put_varint(length, n);
	(void)rs_protobuf_room(message, n_length);
	/* If the message is long, move it to make room for a longer length. */
	unsigned char *begin = message->bytes + opened;
	if (n_length > 1)
		memmove(begin + n_length - 1, begin, n);
	memcpy(begin - 1, length, n_length);
	message->n += n_length - 1;
}

void rs_protobuf_finish(struct rs_protobuf *message)
{
	free(message->bytes);
	*message = (struct rs_protobuf){0};
}
