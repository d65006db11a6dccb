/* SPDX-License-Identifier: MIT */
/*
 * A bump allocator: each array is the next part of a block of 64 KiB. A larger array has a block of
 * its own. All blocks are freed together.
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BLOCK_BYTES (64u * 1024u)
#define ALIGNMENT alignof(max_align_t)
#define FIRST_ITEMS 8u /* rs_arena_room(): an array has room for this many elements at first */

struct rs_arena_block {
	struct rs_arena_block *previous;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

/* where rs_arena_guard() continues if memory runs out; NULL: the thread is in no guard */
static _Thread_local jmp_buf *guard;

bool rs_arena_guard(void (*work)(void *context), void *context)
{
	jmp_buf own;
	jmp_buf *volatile outer = guard;
	volatile bool done = false;
	if (setjmp(own) == 0) {
		guard = &own;
		work(context);
		done = true;
	}
	guard = outer;
	return done;
}

void rs_arena_leave_guards(void)
{
	guard = NULL;
}

void *rs_arena_refuse(void)
{
	if (guard)
		longjmp(*guard, 1);
	return NULL;
}

/* Add a block with room for at least size bytes, and make it the latest one. */
static struct rs_arena_block *add_block(struct rs_arena *arena, size_t size)
{
	size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
	struct rs_arena_block *block = malloc(sizeof(*block) + room);
	if (!block)
		return NULL;
	block->used = 0;
	block->size = room;
	block->previous = arena->latest;
	arena->latest = block;
	return block;
}

static size_t rounded(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Return an array of n elements with undefined content from the latest block or a new one. Set
 * *taken to its size in bytes. */
static void *take(struct rs_arena *arena, size_t n, size_t bytes, size_t *taken)
{
	size_t size;
	if (__builtin_mul_overflow(n, bytes, &size) || size > SIZE_MAX / 2)
		return rs_arena_refuse();
	size = rounded(size);
	struct rs_arena_block *block = arena->latest;
	if (!block || block->size - block->used < size)
		block = add_block(arena, size);
	if (!block)
		return rs_arena_refuse();
	void *memory = block->bytes + block->used;
	block->used += size;
	*taken = size;
	return memory;
}

void *rs_arena_array(struct rs_arena *arena, size_t n, size_t bytes)
{
	size_t size = 0;
	void *memory = take(arena, n, bytes, &size);
	/* clear only this array, so that the kernel allocates no pages for unused parts of the
	 * block */
	return memory ? memset(memory, 0, size) : NULL;
}

void *rs_arena_grow(struct rs_arena *arena, void *array, size_t n, size_t n_new, size_t bytes)
{
	struct rs_arena_block *block = arena->latest;
	size_t old = rounded(n * bytes), more = rounded(n_new * bytes) - old;
	bool is_last = n > 0 && (unsigned char *)array + old == block->bytes + block->used;
	if (is_last && n_new < SIZE_MAX / 2 / bytes && block->size - block->used >= more) {
		memset(block->bytes + block->used, 0, more);
		block->used += more;
		return array;
	}
	void *grown = rs_arena_array(arena, n_new, bytes);
	return grown && n > 0 ? memcpy(grown, array, n * bytes) : grown;
}

void *rs_arena_room(struct rs_arena *arena, void *array, size_t n, size_t bytes)
{
	bool is_full = n == 0 || (n >= FIRST_ITEMS && !(n & (n - 1)));
	return is_full ? rs_arena_grow(arena, array, n, n ? 2 * n : FIRST_ITEMS, bytes) : array;
}

void *rs_arena_copy(struct rs_arena *arena, const void *array, size_t n, size_t bytes)
{
	size_t size = 0;
	void *copy = take(arena, n, bytes, &size);
	return copy && n > 0 ? memcpy(copy, array, n * bytes) : copy;
}

char *rs_arena_vformat(struct rs_arena *arena, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		return rs_arena_refuse();
	char *text = rs_arena_array(arena, (size_t)length + 1, 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, arguments);
	return text;
}

char *rs_arena_format(struct rs_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = rs_arena_vformat(arena, format, arguments);
	va_end(arguments);
	return text;
}

static const char *escaped(struct rs_arena *arena, const char *text,
	size_t (*escape)(char *out, size_t out_bytes, const char *text))
{
	size_t bytes = escape(NULL, 0, text) + 1;
	char *shown = rs_arena_array(arena, bytes, 1);
	if (shown)
		escape(shown, bytes, text);
	return shown;
}

const char *rs_arena_shown(struct rs_arena *arena, const char *text)
{
	return escaped(arena, text, rs_text_escape);
}

const char *rs_arena_name(struct rs_arena *arena, const char *name)
{
	return escaped(arena, name, rs_text_name);
}

void rs_arena_finish(struct rs_arena *arena)
{
	while (arena->latest) {
		struct rs_arena_block *previous = arena->latest->previous;
		free(arena->latest);
		arena->latest = previous;
	}
}
