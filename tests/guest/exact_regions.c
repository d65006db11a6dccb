/* SPDX-License-Identifier: MIT */
/*
 * Regions of a known number of instructions, as exact as a counter can be: nested, in threads, by
 * NEXT, recursive, with work, with many calls and with few.
 *
 * 	exact_regions DEPTH THREADS CALLS PAIRS
 *
 * Every thread makes CALLS calls of each kind. N is 2 x PAIRS instructions. First, DEPTH regions
 * are nested: the innermost one is "depth 20" and has N. Then "chain" contains "chain a", "chain b"
 * and "chain c", which follow each other by NEXT, with N each. Then "recursive" has three
 * nested calls of itself, and the innermost one has N. Last, "telling" contains "told", which has N
 * and reports its work.
 */
#include <regionstat.h>

#include "../apps/check.h"
#include "instructions.h"

static int depth;
static long calls;
static uint64_t pairs;

#define LEVEL(n, inner)                                                 \
	static __attribute__((noinline)) void level_##n(uint64_t count) \
	{                                                               \
		REGIONSTAT_BEGIN("depth " #n);                          \
		inner;                                                  \
		REGIONSTAT_END("depth " #n);                            \
	}
#include "levels.h"

static void (*const levels[DEEPEST])(uint64_t) = {level_20, level_19, level_18, level_17, level_16,
	level_15, level_14, level_13, level_12, level_11, level_10, level_9, level_8, level_7,
	level_6, level_5, level_4, level_3, level_2, level_1};

static __attribute__((noinline)) void chain(uint64_t count)
{
	REGIONSTAT_BEGIN("chain");
	REGIONSTAT_BEGIN("chain a");
	execute_instruction_pairs(count);
	REGIONSTAT_NEXT("chain a", "chain b");
	execute_instruction_pairs(count);
	REGIONSTAT_NEXT("chain b", "chain c");
	execute_instruction_pairs(count);
	REGIONSTAT_END("chain c");
	REGIONSTAT_END("chain");
}

static __attribute__((noinline)) void recurse(uint64_t count, int inner)
{
	REGIONSTAT_BEGIN("recursive");
	if (inner)
		recurse(count, inner - 1);
	else
		execute_instruction_pairs(count);
	REGIONSTAT_END("recursive");
}

static __attribute__((noinline)) void tell(uint64_t count)
{
	REGIONSTAT_BEGIN("telling");
	REGIONSTAT_BEGIN("told");
	execute_instruction_pairs(count);
	REGIONSTAT_WORK("told", 8, 3);
	REGIONSTAT_END("told");
	REGIONSTAT_END("telling");
}

static void *run(void *data)
{
	uint64_t count = opaque_number(pairs);
	for (long i = 0; i < calls; i++)
		levels[depth - 1](count);
	for (long i = 0; i < calls; i++)
		chain(count);
	for (long i = 0; i < calls; i++)
		recurse(count, 3);
	for (long i = 0; i < calls; i++)
		tell(count);
	return data;
}

int main(int argc, char **argv)
{
	CHECK(argc == 5);
	depth = atoi(argv[1]);
	int n_threads = atoi(argv[2]);
	calls = atol(argv[3]);
	pairs = strtoull(argv[4], NULL, 10);
	CHECK(depth >= 1 && depth <= DEEPEST && n_threads > 0);
	pthread_t *threads = start_threads((size_t)n_threads - 1, run, NULL, 0);
	run(NULL);
	join_threads((size_t)n_threads - 1, threads);
	return 0;
}
