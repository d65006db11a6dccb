/* SPDX-License-Identifier: MIT */
/*
 * accounted ROUNDS: each call of "all" computes, sleeps, touches fresh pages and makes system
 * calls. It prints user and system time of all calls in ns, by getrusage(2) around them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <regionstat.h>

#include "clock.h"
#include "touch.h"

#define PAGES 2000u

static long long ns_of(const struct timeval *time)
{
	return (long long)time->tv_sec * 1000000000 + (long long)time->tv_usec * 1000;
}

static void compute(void)
{
	volatile double sum = 0;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + 30000000;
	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 10000; i++)
			sum = sum * 0.5 + i;
}

static void call_kernel(void)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + 20000000;
	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
}

static void fault(void)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page_bytes;
	volatile char *pages = fresh_pages(bytes);
	touch(pages, PAGES, page_bytes);
	munmap((void *)pages, bytes);
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long long user = 0, system = 0;
	REGIONSTAT_BEGIN("first"); /* the first marker opens the thread's events */
	REGIONSTAT_END("first");
	for (long i = 0; i < rounds; i++) {
		getrusage(RUSAGE_THREAD, &before);
		{
			REGIONSTAT_SCOPE("all");
			{
				REGIONSTAT_SCOPE("compute");
				compute();
			}
			sleep_ns(20000000);
			fault();
			{
				REGIONSTAT_SCOPE("kernel");
				call_kernel();
			}
		}
		getrusage(RUSAGE_THREAD, &after);
		user += ns_of(&after.ru_utime) - ns_of(&before.ru_utime);
		system += ns_of(&after.ru_stime) - ns_of(&before.ru_stime);
	}
	printf("%lld %lld\n", user, system);
	return 0;
}
