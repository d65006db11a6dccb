/* SPDX-License-Identifier: MIT */
/*
 * marked-API CALLS THREADS PAIRS: regions of a known number of instructions, with the markers of one
 * API. "outer" has 2 x PAIRS instructions and calls "middle". "middle" has twice as many and calls
 * "inner", which has twice as many again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../instructions.h"
#include "marked.h"

enum { MOST_THREADS = 16 };

static uint64_t pairs;
static int n_calls;

static void inner(void)
{
	execute_instruction_pairs(4 * pairs);
}

static void middle(void)
{
	execute_instruction_pairs(2 * pairs);
	marked_call(MARKED_INNER, inner);
}

static void outer(void)
{
	execute_instruction_pairs(pairs);
	marked_call(MARKED_MIDDLE, middle);
}

static void *work(void *unused)
{
	for (int i = 0; i < n_calls; i++)
		marked_call(MARKED_OUTER, outer);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST_THREADS];
	int n_threads = argc == 4 ? atoi(argv[2]) : 0;
	if (n_threads < 1 || n_threads > MOST_THREADS || atoi(argv[3]) < 1) {
		fprintf(stderr, "usage: %s CALLS THREADS PAIRS\n", argv[0]);
		return 2;
	}
	n_calls = atoi(argv[1]);
	pairs = opaque_number((uint64_t)atoi(argv[3]));
	marked_start();
	for (int i = 1; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 3;
	work(NULL);
	for (int i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
