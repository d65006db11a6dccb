/* SPDX-License-Identifier: MIT */
/*
 * Memory that is released all at once: runs and summaries own thousands of small arrays
 * and strings that live exactly as long as they do.
 */
#ifndef RS_STATS_ARENA_H
#define RS_STATS_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rs_arena_block;

struct rs_arena {
	struct rs_arena_block *latest; /* zeroed: an empty arena */
};

/* n zeroed elements of bytes each, aligned for any type, valid until rs_arena_finish(). n may be
 * 0. NULL: no memory, or n * bytes is not a size. One thread at a time. */
void *rs_arena_array(struct rs_arena *arena, size_t n, size_t bytes);

/* printf into the arena. NULL: no memory. */
char *rs_arena_format(struct rs_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *rs_arena_vformat(struct rs_arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Release everything. arena: zeroed or in use; empty afterwards; NULL is fine. */
void rs_arena_finish(struct rs_arena *arena);

#endif
