/* SPDX-License-Identifier: MIT */
/*
 * An example of a program that adapts itself. It transposes a matrix in blocks, and chooses the
 * size of a block by what regionstat measures. If instructions and cycles are counted, it compares
 * the IPC of its region, and otherwise the on-CPU time per element. It works with and without
 * `regionstat ./block_size`.
 *
 * It tries each size for a few passes, and chooses the best one. It prints this size, the cost of
 * each size in a longer sweep, and what the region has used in total.
 */
#include <stdio.h>
#include <stdlib.h>

#include "regionstat.h"

#define N 512
#define N_SIZES 8
#define N_TRIES 3

double from[N * N], to[N * N]; /* not static: compilers must keep the stores */

static void transpose(int block)
{
	for (int i = 0; i < N; i += block)
		for (int j = 0; j < N; j += block)
			for (int k = i; k < i + block; k++)
				for (int l = j; l < j + block; l++)
					to[l * N + k] = from[k * N + l];
}

/* Return what one pass costs: cycles for an instruction, or on-CPU ns for an element. */
static double cost_of_pass(int block)
{
	static int instructions = -2, cycles;
	struct regionstat_values before[2], after[2];
	if (instructions == -2) {
		instructions = regionstat_event("instructions");
		cycles = regionstat_event("cycles");
	}
	int counts = instructions >= 0 && cycles >= 0;
	int what[2] = {counts ? cycles : REGIONSTAT_CPU_TIME, counts ? instructions : -1};
	for (int i = 0; i < 2; i++)
		REGIONSTAT_READ("transpose", what[i], REGIONSTAT_THREAD, &before[i]);
	REGIONSTAT_BEGIN("transpose");
	transpose(block);
	REGIONSTAT_END("transpose");
	for (int i = 0; i < 2; i++)
		if (!REGIONSTAT_READ("transpose", what[i], REGIONSTAT_THREAD, &after[i]) &&
			what[i] >= 0)
			return -1; /* It is unknown now, since the thread lost its counters. */
	double used = after[0].total_ - before[0].total_;
	return counts ? used / (after[1].total_ - before[1].total_) : used / N / N;
}

/* Fill cost[] with the least cost of several passes for each size, since other programs only add to
 * it. */
static int choose(double *cost, int n_tries)
{
	int best = 0;
	for (int i = 0; i < N_SIZES; i++)
		cost[i] = -1;
	for (int t = 0; t < n_tries; t++)
		for (int i = 0; i < N_SIZES; i++) {
			double found = cost_of_pass(1 << i);
			if (found >= 0 && (cost[i] < 0 || found < cost[i]))
				cost[i] = found;
		}
	for (int i = 0; i < N_SIZES; i++)
		if (cost[i] >= 0 && (cost[best] < 0 || cost[i] < cost[best]))
			best = i;
	return best;
}

int main(int argc, char **argv)
{
	double cost[N_SIZES], sweep[N_SIZES];
	const char *why = argc > 1 ? regionstat_open(argv[1]) : NULL;
	if (why)
		return fprintf(stderr, "%s\n", why), 1;
	transpose(1); /* the pages */
	int chosen = choose(cost, N_TRIES);
	printf("chosen %d %s\n", 1 << chosen,
		regionstat_event("instructions") >= 0 ? "IPC" : "cpu-time");
	choose(sweep, 4 * N_TRIES);
	for (int i = 0; i < N_SIZES; i++)
		printf("%d %.9g\n", 1 << i, sweep[i]);
	const char *event;
	for (int i = 0; (event = regionstat_event_name(i)); i++) {
		struct regionstat_values values;
		int validity = REGIONSTAT_READ("transpose", i, REGIONSTAT_THREAD, &values);
		printf("%s %d %.17g\n", event, validity, values.total_);
	}
	return EXIT_SUCCESS;
}
