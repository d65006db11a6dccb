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
#include <time.h>

#include "regionstat.h"

#define CALLS 100
#define SLOW_MS 20

static long long now_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(void)
{
	long long end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + SLOW_MS * 1000000LL;
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

int main(int argc, char **argv)
{
	const struct timespec sleep = {.tv_nsec = SLOW_MS * 1000000};
	int waits = argc > 1 && strcmp(argv[1], "wait") == 0;
	long long cpu_ns = 0, all_ns = 0;
	for (int i = 0; i < CALLS; i++) {
		long long cpu_begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
		long long begin_ns = now_ns(CLOCK_MONOTONIC);
		REGIONSTAT_BEGIN("tail");
		if (i % (CALLS / 5) == 7 && waits)
			nanosleep(&sleep, NULL);
		else if (i % (CALLS / 5) == 7)
			work();
		REGIONSTAT_END("tail");
		all_ns += now_ns(CLOCK_MONOTONIC) - begin_ns;
		cpu_ns += now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_begin_ns;
	}
	printf("%lld\n", 100 * cpu_ns / all_ns);
	return 0;
}
