/* SPDX-License-Identifier: MIT */
/*
 * functions ROUNDS measures a call of a function that is instrumented for a profiler: by
 * -finstrument-functions, and by -pg. The output has the format of pairs.c.
 */
#include <stdlib.h>

#include "rounds.h"

#define PLAIN __attribute__((no_instrument_function))

static __attribute__((noinline)) void called(void)
{
	__asm__ volatile("");
}

LOOP PLAIN static void run_call(uint64_t n_calls)
{
	for (uint64_t i = 0; i < n_calls; i++)
		called();
}

static const struct variant variants[] = {
	{"empty", rounds_run_empty, NULL, 1000}, {"call", run_call, NULL, 1000}};

PLAIN int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	rounds_run_all(variants, 2, strtoull(argv[1], NULL, 10));
	return 0;
}
