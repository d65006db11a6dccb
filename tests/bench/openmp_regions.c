/* SPDX-License-Identifier: MIT */
/*
 * openmp_regions ROUNDS THREADS measures an empty parallel region of OpenMP, with or without a tool
 * of OMPT. The output has the format of pairs.c.
 */
#include <stdlib.h>

#include "rounds.h"

static int n_threads;

LOOP static void run_regions(uint64_t n_regions)
{
	for (uint64_t i = 0; i < n_regions; i++) {
#pragma omp parallel num_threads(n_threads)
		__asm__ volatile("");
	}
}

/* Few pairs in a round, so that a thread that waits for a CPU affects one round only. */
static const struct variant variants[] = {
	{"empty", rounds_run_empty, NULL, 10}, {"region", run_regions, NULL, 10}};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	n_threads = atoi(argv[2]);
	rounds_run_all(variants, 2, strtoull(argv[1], NULL, 10));
	return 0;
}
