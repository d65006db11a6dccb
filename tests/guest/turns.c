/* SPDX-License-Identifier: MIT */
/*
 * Regions whose calls are shorter and longer than the kernel's multiplexing interval:
 *
 * 	turns SHORT MIDDLE LONG MIXED
 *
 * The arguments are numbers of calls, which follow each other: of "short" (40,000 instructions,
 * 40 us if one takes 1 ns), "middle" (10 ms), "long" (40 ms), and "mixed". Every 50th call of
 * "mixed" is as long as one of "middle", and the others are as long as one of "short".
 */
#include <regionstat.h>
#include <stdlib.h>

#include "instructions.h"

#define SHORT_PAIRS 20000u
#define MIDDLE_PAIRS 5000000u
#define LONG_PAIRS 20000000u

/* Define a function for each region, as in a real program. */
#define REGION(name)                                                     \
	static __attribute__((noinline)) void run_##name(uint64_t pairs) \
	{                                                                \
		REGIONSTAT_BEGIN(#name);                                 \
		execute_instruction_pairs(pairs);                        \
		REGIONSTAT_END(#name);                                   \
	}
REGION(short)
REGION(middle)
REGION(long)
REGION(mixed)

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	for (long i = atol(argv[1]); i > 0; i--)
		run_short(opaque_number(SHORT_PAIRS));
	for (long i = atol(argv[2]); i > 0; i--)
		run_middle(opaque_number(MIDDLE_PAIRS));
	for (long i = atol(argv[3]); i > 0; i--)
		run_long(opaque_number(LONG_PAIRS));
	for (long i = atol(argv[4]); i > 0; i--)
		run_mixed(opaque_number(i % 50 ? SHORT_PAIRS : MIDDLE_PAIRS));
	return 0;
}
