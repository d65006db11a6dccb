/* SPDX-License-Identifier: MIT */
/*
 * An arena is memory that is released all at once. A plan, a run and a summary have an arena each
 * for their many small arrays and strings.
 *
 * Code that cannot continue without memory runs within rs_arena_guard(). If an arena cannot get
 * memory there, it jumps out of the guarded code, which therefore needs no checks for NULL.
 */
#ifndef RS_BASE_ARENA_H
#define RS_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct rs_arena_block;

struct rs_arena {
	struct rs_arena_block *latest; /* a zeroed struct is an empty arena */
};

/*
 * Call work(context) and return true. If an arena cannot get memory during this call, jump out of
 * `work` and return false. All arenas stay valid then, so the caller can finish those that it
 * passed to `work`. Other memory leaks if only local variables of `work` point to it. Guards may be
 * nested. Each thread has its own guards.
 */
bool rs_arena_guard(void (*work)(void *context), void *context);

/* Jump to the innermost guard, as arenas do if memory runs out. Return NULL if there is none. */
void *rs_arena_refuse(void);

/* Forget all guards of the calling thread. A forked child calls this if its code does not return
 * through the guards: a jump to them would lead into code that only the parent should run. From
 * then on, arenas return NULL if memory runs out. */
void rs_arena_leave_guards(void);

/* Return an array of n zeroed elements, each of the given size in bytes, aligned for any type. It
 * is valid until rs_arena_finish(). n may be 0. If memory runs out or the size overflows, jump to
 * the guard (see rs_arena_guard()), or return NULL if there is none. The functions below do the
 * same. Only one thread at a time may use an arena. */
void *rs_arena_array(struct rs_arena *arena, size_t n, size_t bytes);

/* Enlarge an array of the arena from n to n_new > n elements; the new elements are zeroed. Return
 * the array, or a larger copy of it. Only the latest array of the arena can grow in place, if its
 * block has room. */
void *rs_arena_grow(struct rs_arena *arena, void *array, size_t n, size_t n_new, size_t bytes);

/* Make room for one more element in an array of the arena with n elements. Return the array, or a
 * larger copy of it. Every element must have been added with this function. It makes an array of 8
 * elements if n is 0, and doubles the array when n is 8, 16, 32 and so on. */
void *rs_arena_room(struct rs_arena *arena, void *array, size_t n, size_t bytes);

/* Return a copy, in the arena, of an array of n elements. */
void *rs_arena_copy(struct rs_arena *arena, const void *array, size_t n, size_t bytes);

/* Return formatted text in the arena. */
char *rs_arena_format(struct rs_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *rs_arena_vformat(struct rs_arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Return text in the arena, with escapes for characters that are not safe to print. */
const char *rs_arena_shown(struct rs_arena *arena, const char *text);
/* Return the name of a region in the arena, escaped by rs_text_name(). */
const char *rs_arena_name(struct rs_arena *arena, const char *name);

/* Release all memory of the arena and make it empty. arena may be zeroed. */
void rs_arena_finish(struct rs_arena *arena);

#endif
