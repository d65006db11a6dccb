/* SPDX-License-Identifier: MIT */
/*
 * A rank of a job, for saved runs to merge: 100 regions with 100 calls each. The work of a call is
 * random, by a seed, so that ranks have different histograms.
 *
 *     ranks SEED
 */
#include <regionstat.h>
#include <stdio.h>
#include <stdlib.h>

#define N_REGIONS 100
#define N_CALLS 100

static volatile unsigned sink;

static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink++;
}

int main(int argc, char **argv)
{
	char names[N_REGIONS][16];
	unsigned random = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	for (int region = 0; region < N_REGIONS; region++)
		snprintf(names[region], sizeof(names[region]), "region_%d", region);
	for (int call = 0; call < N_CALLS; call++)
		for (int region = 0; region < N_REGIONS; region++) {
			random = random * 1664525u + 1013904223u;
			regionstat_begin(names[region]);
			work(100 + 10 * (unsigned)region + (random >> 22));
			regionstat_end(names[region]);
		}
	return 0;
}
