/* SPDX-License-Identifier: MIT */
/*
 * marked-API CALLS THREADS PAIRS: regions of a known number of instructions, with the markers of
 * one API. "outer" has 2 x PAIRS instructions and calls "middle". "middle" has twice as many and
 * calls "inner", which has twice as many again.
 */
#include "../../apps/check.h"
#include "../instructions.h"
#include "marked.h"

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
	CHECK(argc == 4);
	size_t n_others = (size_t)atoi(argv[2]) - 1;
	n_calls = atoi(argv[1]);
	pairs = opaque_number((uint64_t)atoi(argv[3]));
	marked_start();
	pthread_t *threads = start_threads(n_others, work, NULL, 0);
	work(NULL);
	join_threads(n_others, threads);
	return 0;
}
