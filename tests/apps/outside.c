/* SPDX-License-Identifier: MIT */
/*
 * Page faults in ten nested regions and outside of them, on eight threads and in two generations of
 * children.
 *
 *   outside ROUNDS
 *
 * In each round every thread and child touches N + 1 fresh pages in region level-N, for N from 0 to
 * 9, and 5 pages outside. The program prints the number of threads, and all their faults by
 * getrusage(2).
 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "check.h"
#include "regionstat.h"
#include "touch.h"

#define LEVELS 10
#define THREADS 8
#define OUTSIDE 5
#define ROUND_PAGES (LEVELS * (LEVELS + 1) / 2 + OUTSIDE)

static int n_rounds;
static size_t page_bytes;

static volatile char *nest(int level, volatile char *page)
{
	char name[32];
	snprintf(name, sizeof(name), "level-%d", level);
	regionstat_begin(name);
	page = touch(page, (size_t)level + 1, page_bytes);
	if (level + 1 < LEVELS)
		page = nest(level + 1, page);
	regionstat_end(name);
	return page;
}

static void *run(void *data)
{
	volatile char *page = fresh_pages((size_t)n_rounds * ROUND_PAGES * page_bytes);
	for (int i = 0; i < n_rounds; i++)
		page = touch(nest(0, page), OUTSIDE, page_bytes);
	return data;
}

/* Run a child that does the same and has a child of its own. */
static void run_child(int generations)
{
	pid_t pid = fork_flushed();
	if (pid == 0) {
		run(NULL);
		if (generations > 1)
			run_child(generations - 1);
		_exit(0);
	}
	wait_for(pid);
}

int main(int argc, char **argv)
{
	struct rusage self, children;
	n_rounds = argc > 1 ? atoi(argv[1]) : 0;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	on_threads(THREADS, run, NULL, 0);
	run_child(2);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("%d %ld\n", THREADS + 2,
		self.ru_minflt + self.ru_majflt + children.ru_minflt + children.ru_majflt);
	return 0;
}
