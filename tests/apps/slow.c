/* SPDX-License-Identifier: MIT */
/*
 * A region with slow calls for known reasons. Every 50th call touches 40 fresh pages, beginning
 * with the eighth call. Every fourth of these calls also sleeps.
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
#include <unistd.h>

#include "clock.h"
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
	int calls = argc > 1 ? atoi(argv[1]) : 0,
	    is_even = argc > 2 && strcmp(argv[2], "even") == 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages = fresh_pages(PAGES * page);
	long faults = 0, switches = 0;
	for (int i = 0; i < calls; i++) {
		int is_faulting = !is_even && i % FAULTS_EVERY == PLACE;
		long faults_begin, switches_begin, faults_end, switches_end;
		get(&faults_begin, &switches_begin);
		REGIONSTAT_BEGIN("slow");
		work();
		if (is_faulting)
			touch(pages, PAGES, page);
		if (!is_even && i % SLEEPS_EVERY == PLACE)
			sleep_ns(1000000);
		REGIONSTAT_END("slow");
		get(&faults_end, &switches_end);
		faults += faults_end - faults_begin;
		switches += switches_end - switches_begin;
		if (is_faulting)
			madvise((void *)pages, PAGES * page, MADV_DONTNEED);
	}
	printf("%ld %ld\n", faults, switches);
	return 0;
}
