/* SPDX-License-Identifier: MIT */
/*
 * Ten nested regions, each with work of its own, and one that sleeps.
 *
 *   glance threads|forks
 *
 * threads: 8 threads do this at once. forks: a process, its two children and their children do it.
 * level-N does 50,000 rounds of work N + 1 times. The first region sleeps for 5 ms in "sleep".
 */

#include <regionstat.h>

#include "check.h"
#include "truth.h"

#define N_LEVELS 10
#define N_THREADS 8
#define N_GENERATIONS 2
#define N_CHILDREN 2
#define ROUNDS 50000

static void level(int n)
{
	char name[] = "level-0";
	name[sizeof(name) - 2] = (char)('0' + n);
	regionstat_begin(name);
	if (n == 0) {
		REGIONSTAT_BEGIN("sleep");
		usleep(5000);
		REGIONSTAT_END("sleep");
	}
	truth_work((uint64_t)(n + 1) * ROUNDS);
	if (n + 1 < N_LEVELS)
		level(n + 1);
	regionstat_end(name);
}

static void *run(void *data)
{
	for (int i = 0; i < 3; i++)
		level(0);
	truth_work(10 * ROUNDS);
	return data;
}

static void run_threads(void)
{
	on_threads(N_THREADS, run, NULL, 0);
}

static int generation;

static void run_forks(void)
{
	run(NULL);
	for (int i = 0; i < N_CHILDREN && generation < N_GENERATIONS; i++) {
		generation++;
		in_child(run_forks);
		generation--;
	}
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {{"threads", run_threads}, {"forks", run_forks}};
	FIND_HOW(hows, argc == 2 ? argv[1] : NULL)->run();
	return 0;
}
