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
 * and reports its work. With `names`, the nested calls look up their regions by name.
 */
#include <regionstat.h>

#include "../apps/check.h"
#include "instructions.h"

#define DEEPEST 20

static int depth, is_named;
static long calls;
static uint64_t pairs;

/* Every level has its own sites, as in a real program. */
#define LEVEL(n, inner)                                                 \
	static __attribute__((noinline)) void level_##n(uint64_t count) \
	{                                                               \
		REGIONSTAT_BEGIN("depth " #n);                          \
		inner;                                                  \
		REGIONSTAT_END("depth " #n);                            \
	}
LEVEL(20, execute_instruction_pairs(count))
LEVEL(19, level_20(count))
LEVEL(18, level_19(count))
LEVEL(17, level_18(count))
LEVEL(16, level_17(count))
LEVEL(15, level_16(count))
LEVEL(14, level_15(count))
LEVEL(13, level_14(count))
LEVEL(12, level_13(count))
LEVEL(11, level_12(count))
LEVEL(10, level_11(count))
LEVEL(9, level_10(count))
LEVEL(8, level_9(count))
LEVEL(7, level_8(count))
LEVEL(6, level_7(count))
LEVEL(5, level_6(count))
LEVEL(4, level_5(count))
LEVEL(3, level_4(count))
LEVEL(2, level_3(count))
LEVEL(1, level_2(count))

static __attribute__((noinline)) void named_level(uint64_t count, int n)
{
	char name[24];
	snprintf(name, sizeof(name), "depth %d", n);
	regionstat_begin(name);
	if (n < DEEPEST)
		named_level(count, n + 1);
	else
		execute_instruction_pairs(count);
	regionstat_end(name);
}

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
		if (is_named)
			named_level(count, DEEPEST + 1 - depth);
		else
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
	CHECK(argc >= 5);
	is_named = argc > 5;
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
