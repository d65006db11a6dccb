/* SPDX-License-Identifier: MIT */
/*
 * Regions that are nested twenty deep around a known number of instructions. Each is called twice:
 * the first call makes the region's accumulator and histograms, and the second call finds them.
 *
 *	first_calls PAIRS [names]
 *
 * "depth 1" contains "depth 2", and so on to "depth 20", which has 2 x PAIRS instructions. With
 * `names`, every call looks up its region by name.
 */
#include <regionstat.h>
#include <stdlib.h>

#include "instructions.h"

static int by_name;

/* Define a function for each level, so that every level has its own sites, as in a real program. */
#define LEVEL(n, inner)                                                 \
	static __attribute__((noinline)) void level_##n(uint64_t count) \
	{                                                               \
		if (by_name)                                            \
			regionstat_begin("depth " #n);                  \
		else                                                    \
			REGIONSTAT_BEGIN("depth " #n);                  \
		inner;                                                  \
		if (by_name)                                            \
			regionstat_end("depth " #n);                    \
		else                                                    \
			REGIONSTAT_END("depth " #n);                    \
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

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	by_name = argc > 2;
	uint64_t count = opaque_number(strtoull(argv[1], NULL, 10));
	for (volatile int i = 0; i < 2; i++)
		level_1(count);
	return 0;
}
