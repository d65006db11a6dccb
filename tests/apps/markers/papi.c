/* SPDX-License-Identifier: MIT */
/*
 * A program with regions of PAPI's high-level API: more levels than PAPI supports, overlapping
 * regions, and several threads. It prints its own values of its calls.
 *
 *   papi ROUNDS
 */
#include <papi.h>

#include "../check.h"
#include "../truth.h"

#define THREADS 4
#define LEVELS 15

static struct truth truths[THREADS][LEVELS + 2];
static int rounds;
static int n_failed;

static const char *name_of(int region, char name[32])
{
	if (region == LEVELS)
		return "first";
	if (region == LEVELS + 1)
		return "second";
	snprintf(name, 32, "level %d", region);
	return name;
}

static void must(int result)
{
	if (result != PAPI_OK)
		__atomic_add_fetch(&n_failed, 1, __ATOMIC_RELAXED);
}

static void level(struct truth *of_thread, int depth)
{
	char name[32];
	if (depth == LEVELS)
		return;
	TRUTH_CALL(&of_thread[depth], must(PAPI_hl_region_begin(name_of(depth, name))),
		   must(PAPI_hl_region_end(name)), truth_work(20000);
		   level(of_thread, depth + 1));
}

/* Overlap two regions, of which each ends while the other is open. */
static void overlap(struct truth *first, struct truth *second)
{
	TRUTH_OVERLAP(first, must(PAPI_hl_region_begin("first")), must(PAPI_hl_region_end("first")),
		second, must(PAPI_hl_region_begin("second")), must(PAPI_hl_region_end("second")),
		truth_work(30000));
	must(PAPI_hl_read("second"));
}

static void *work(void *argument)
{
	struct truth *of_thread = argument;
	for (int i = 0; i < rounds; i++) {
		level(of_thread, 0);
		overlap(&of_thread[LEVELS], &of_thread[LEVELS + 1]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? atoi(argv[1]) : 1;
	on_threads(THREADS, work, truths, sizeof(truths[0]));
	must(PAPI_hl_stop());
	for (int r = 0; r < LEVELS + 2; r++) {
		struct truth all = {0};
		char name[32];
		for (int t = 0; t < THREADS; t++)
			truth_add(&all, &truths[t][r]);
		truth_print(name_of(r, name), &all);
	}
	printf("failed %d\n", n_failed);
	return 0;
}
