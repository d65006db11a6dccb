/* SPDX-License-Identifier: MIT */
/*
 * Memory that is released all at once. Runs and summaries own thousands of small arrays and strings
 * that live as long as they do.
 *
 * Work that cannot go on without memory runs in rs_arena_guard(). An arena that cannot get memory
 * then ends the work, so that the functions of the work need not check for it.
 */
#ifndef RS_STATS_ARENA_H
#define RS_STATS_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rs_arena_block;

struct rs_arena {
	struct rs_arena_block *latest; /* a zeroed struct is an empty arena */
};

/*
 * Call work(context), and return true. If memory for an arena runs out in it, end the work by a jump
 * out of it, and return false. Arenas stay valid then, so the caller can finish those that it lent.
 * Memory that only local variables of the work know is lost. Guards may be nested, and each thread has
 * its own.
 */
bool rs_arena_guard(void (*work)(void *context), void *context);

/* Return an array of n zeroed elements, each of the given size in bytes, aligned for any type. It
 * is valid until rs_arena_finish(). n may be 0. If memory runs out or the size overflows, do not
 * return within a guard, and return NULL without one. The same is true of the functions below. Only
 * one thread at a time may use an arena. */
void *rs_arena_array(struct rs_arena *arena, size_t n, size_t bytes);

/* Return the array, or a copy of it, with room for n_new > n elements. The new ones are zeroed. The
 * latest array of the arena grows in place if its block has room. */
void *rs_arena_grow(struct rs_arena *arena, void *array, size_t n, size_t n_new, size_t bytes);

/* Return a copy of such an array. */
void *rs_arena_copy(struct rs_arena *arena, const void *array, size_t n, size_t bytes);

/* Return formatted text in the arena. */
char *rs_arena_format(struct rs_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *rs_arena_vformat(struct rs_arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Release all memory of the arena, which is empty afterwards. arena may be zeroed or NULL. */
void rs_arena_finish(struct rs_arena *arena);

#endif
