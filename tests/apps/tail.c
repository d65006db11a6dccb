/* SPDX-License-Identifier: MIT */
/*
 * A hundred calls of a region, of which five take nearly all of the time.
 *
 *   tail wait    these five sleep
 *   tail work    these five compute
 *
 * The program prints how many percent of the region's time the thread was on a CPU, by its own
 * clocks.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "regionstat.h"

#define CALLS 100
#define SLOW_NS 20000000

int main(int argc, char **argv)
{
	int waits = argc > 1 && strcmp(argv[1], "wait") == 0;
	uint64_t cpu_ns = 0, all_ns = 0;
	for (int i = 0; i < CALLS; i++) {
		uint64_t cpu_begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
		REGIONSTAT_BEGIN("tail");
		if (i % (CALLS / 5) == 7 && waits)
			sleep_ns(SLOW_NS);
		else if (i % (CALLS / 5) == 7)
			spin_ns(CLOCK_THREAD_CPUTIME_ID, SLOW_NS);
		REGIONSTAT_END("tail");
		all_ns += clock_ns(CLOCK_MONOTONIC) - begin_ns;
		cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_begin_ns;
	}
	printf("%llu\n", (unsigned long long)(100 * cpu_ns / all_ns));
	return 0;
}
