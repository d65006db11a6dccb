/* SPDX-License-Identifier: MIT */
/* Tests of arenas: if memory is refused, the guarded work ends, and nothing else. */
#include <criterion/criterion.h>

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct work {
	struct rs_arena arena;
	int steps;
	bool inner;
};

/* Ask for more memory than there is, once something else was allocated. */
static void ask_too_much(void *context)
{
	struct work *work = context;
	memset(rs_arena_array(&work->arena, 1000, 8), 1, 8000);
	work->steps++;
	rs_arena_array(&work->arena, SIZE_MAX, 1);
	work->steps++;
}

static void ask_twice(void *context)
{
	struct work *work = context;
	work->inner = rs_arena_guard(ask_too_much, work);
	work->steps += 10;
	rs_arena_array(&work->arena, 2, SIZE_MAX); /* the size overflows */
	work->steps += 10;
}

static void ask_little(void *context)
{
	struct work *work = context;
	cr_assert_str_eq(rs_arena_format(&work->arena, "%d", 7), "7");
	work->steps++;
}

Test(arena, refused_memory_ends_guarded_work)
{
	struct work work = {.steps = 0};
	cr_assert_not(rs_arena_guard(ask_too_much, &work));
	cr_assert_eq(work.steps, 1);
	cr_assert(rs_arena_guard(ask_little, &work));
	cr_assert_eq(work.steps, 2);
	rs_arena_finish(&work.arena);
}

Test(arena, a_guard_within_another_ends_only_its_own_work)
{
	struct work work = {.inner = true};
	cr_assert_not(rs_arena_guard(ask_twice, &work));
	cr_assert_not(work.inner);
	cr_assert_eq(work.steps, 11);
	rs_arena_finish(&work.arena);
}

Test(arena, without_a_guard_there_is_no_array)
{
	struct rs_arena arena = {0};
	cr_assert_null(rs_arena_array(&arena, SIZE_MAX, 1));
	cr_assert_null(rs_arena_copy(&arena, "", SIZE_MAX, 4));
	cr_assert_not_null(rs_arena_array(&arena, 0, 8));
	rs_arena_finish(&arena);
}
