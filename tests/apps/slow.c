/* SPDX-License-Identifier: MIT */
/*
 * A region with slow calls for known reasons. Every 50th call touches 40 fresh pages, and every
 * fourth of these also sleeps, after a whole set of others is done.
 *
 *   slow CALLS          as above
 *   slow CALLS even     all calls do the same
 *
 * The program prints the page faults and voluntary switches within calls, by getrusage(2).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "regionstat.h"
#include "touch.h"

#define PAGES 40
#define FAULTS_EVERY 50
#define SLEEPS_EVERY 200
#define PLACE 7 /* position of the slow call in each set */

static void work(void)
{
	for (volatile int i = 0; i < 500; i++)
		;
}

/* Read the thread's counts so far. */
static void get(long *faults, long *switches)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	*faults = usage.ru_minflt + usage.ru_majflt;
	*switches = usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
	const struct timespec sleep = {.tv_nsec = 1000000};
	int calls = argc > 1 ? atoi(argv[1]) : 0,
	    is_even = argc > 2 && strcmp(argv[2], "even") == 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(
		NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long faults = 0, switches = 0;
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < calls; i++) {
		int is_faulting = !is_even && i % FAULTS_EVERY == PLACE;
		long faults_begin, switches_begin, faults_end, switches_end;
		get(&faults_begin, &switches_begin);
		REGIONSTAT_BEGIN("slow");
		work();
		if (is_faulting)
			touch(pages, PAGES, page);
		if (!is_even && i % SLEEPS_EVERY == PLACE)
			nanosleep(&sleep, NULL);
		REGIONSTAT_END("slow");
		get(&faults_end, &switches_end);
		faults += faults_end - faults_begin;
		switches += switches_end - switches_begin;
		if (is_faulting)
			madvise(pages, PAGES * page, MADV_DONTNEED);
	}
	printf("%ld %ld\n", faults, switches);
	return 0;
}
