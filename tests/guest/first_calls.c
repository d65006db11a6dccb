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
#include "levels.h"

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
