/* SPDX-License-Identifier: MIT */
/*
 * Calls that end in another order than they began, and regions named at run time. While a region
 * is open, there are 200 instructions between two markers.
 *
 *	overlaps ROUNDS
 *
 * The program prints the true numbers, one line for each region, in the format of taking_turns.c.
 */
#include <regionstat.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "instructions.h"

#define STRETCH 200
#define PLAIN static __attribute__((noinline)) void

/* The compiler must not merge this with other code. */
static inline void stretch(void)
{
	execute_instruction_pairs(opaque_number(STRETCH / 2));
}

/* Names that the compiler does not know to be literals. */
static const char *volatile inner_name = "named inner";
static const char *volatile first_name = "named first";
static const char *volatile second_name = "named second";

PLAIN overlap(void)
{
	REGIONSTAT_BEGIN("A");
	stretch();
	REGIONSTAT_BEGIN("B");
	stretch();
	REGIONSTAT_END("A");
	stretch();
	REGIONSTAT_END("B");
}

PLAIN next_below_the_top(void)
{
	REGIONSTAT_BEGIN("below");
	stretch();
	REGIONSTAT_BEGIN("top");
	stretch();
	REGIONSTAT_NEXT("below", "after");
	stretch();
	REGIONSTAT_END("top");
	stretch();
	REGIONSTAT_END("after");
}

PLAIN literal_within(void)
{
	REGIONSTAT_BEGIN("around literal");
	stretch();
	REGIONSTAT_BEGIN("literal inner");
	stretch();
	REGIONSTAT_END("literal inner");
	stretch();
	REGIONSTAT_END("around literal");
}

PLAIN named_within(void)
{
	REGIONSTAT_BEGIN("around named");
	stretch();
	regionstat_begin(inner_name);
	stretch();
	regionstat_end(inner_name);
	stretch();
	REGIONSTAT_END("around named");
}

PLAIN named_next_within(void)
{
	REGIONSTAT_BEGIN("around next");
	stretch();
	regionstat_begin(first_name);
	stretch();
	regionstat_next(first_name, second_name);
	stretch();
	regionstat_end(second_name);
	stretch();
	REGIONSTAT_END("around next");
}

static const struct {
	const char *region;
	long stretches;
} truth[] = {
	{"A", 2},
	{"B", 2},
	{"below", 2},
	{"top", 2},
	{"after", 2},
	{"around literal", 3},
	{"literal inner", 1},
	{"around named", 3},
	{"named inner", 1},
	{"around next", 4},
	{"named first", 1},
	{"named second", 1},
};

int main(int argc, char **argv)
{
	long rounds = argc == 2 ? atol(argv[1]) : 0;
	for (long i = 0; i < rounds; i++) {
		overlap();
		next_below_the_top();
		literal_within();
		named_within();
		named_next_within();
	}
	for (size_t i = 0; i < sizeof(truth) / sizeof(truth[0]); i++)
		printf("%s\t%ld\t%ld\t%ld\n", truth[i].region, rounds, truth[i].stretches * STRETCH,
			rounds * truth[i].stretches * STRETCH);
	return 0;
}
