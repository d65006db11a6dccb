/* SPDX-License-Identifier: MIT */
/*
 * slow-calls HOW N ...: calls of which some are slow, with their times by the program's own clock.
 * HOW:
 *
 *   few CALLS SLOW    CALLS calls of "work", of which SLOW sleep for 2 ms; each of these has a line
 *                     on stdout with the times within the call and around it in ns
 *   burst CALLS       CALLS calls of "work" without a break, each of at least 20 us
 *   killed CALLS      as burst, and then the program kills itself
 *   threads N         N threads, each named tN, and a forked child make one call of 2 ms each; the
 *                     output is "work" and the tid
 *   one               a hundred calls of "many events", of which the last one has 300 page faults
 *                     and takes 11 times as long as any other
 *   reasons CALLS     CALLS calls of "slow", of which every 50th touches 40 fresh pages, from the
 *                     eighth on. Every fourth of these also sleeps. It prints the page faults and
 *                     voluntary switches within calls, by getrusage(2)
 *   even CALLS        the same, but all calls do the same
 */
#include <regionstat.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "check.h"
#include "clock.h"
#include "touch.h"

static long n_calls, n_slow; /* the numbers after HOW */

/* Return the time if this call is slow. Reading the clock takes time, too. */
static uint64_t now_if(int is_slow)
{
	return is_slow ? clock_ns(CLOCK_MONOTONIC) : 0;
}

static void few(void)
{
	CHECK(n_slow > 0);
	long every = n_calls / n_slow;
	for (long i = 0; i < n_calls; i++) {
		/* Not the first call, which is slow by itself. */
		int is_slow = i % every == every / 2 && i / every < n_slow;
		uint64_t before = now_if(is_slow);
		REGIONSTAT_BEGIN("work");
		uint64_t begin = now_if(is_slow);
		if (is_slow)
			sleep_ns(2000000);
		uint64_t end = now_if(is_slow);
		REGIONSTAT_END("work");
		if (is_slow)
			printf("%llu %llu\n", (unsigned long long)(end - begin),
				(unsigned long long)(clock_ns(CLOCK_MONOTONIC) - before));
	}
}

static void burst(void)
{
	for (long i = 0; i < n_calls; i++) {
		REGIONSTAT_BEGIN("work");
		spin_ns(CLOCK_MONOTONIC, 20000);
		REGIONSTAT_END("work");
	}
}

static void killed(void)
{
	burst();
	raise(SIGKILL);
}

static void *thread(void *name)
{
	pthread_setname_np(pthread_self(), name);
	REGIONSTAT_BEGIN("work");
	sleep_ns(2000000);
	REGIONSTAT_END("work");
	printf("%ld %ld %s\n", (long)getpid(), (long)syscall(SYS_gettid), (const char *)name);
	return NULL;
}

static void child(void)
{
	thread("a child");
}

static void threads(void)
{
	for (long i = 0; i < n_calls; i++) {
		char name[24];
		snprintf(name, sizeof(name), "t%ld", i);
		on_thread(thread, name);
	}
	in_child(child);
}

static void touch_fresh(size_t n_pages)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = n_pages * page_bytes;
	volatile char *memory = fresh_pages(bytes);
	touch(memory, n_pages, page_bytes);
	munmap((void *)memory, bytes);
}

static void one_of_many(void)
{
	uint64_t longest_ns = 0;
	for (int i = 0; i < 100; i++) {
		int is_last = i == 99;
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
		REGIONSTAT_BEGIN("many events");
		touch_fresh(is_last ? 300 : 3);
		if (is_last)
			spin_ns(CLOCK_MONOTONIC, 11 * longest_ns);
		REGIONSTAT_END("many events");
		uint64_t ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
}

#define PAGES 40
#define FAULTS_EVERY 50
#define SLEEPS_EVERY 200
#define PLACE 7 /* position of the slow call in each set */

/* Add the thread's counts so far, or subtract them if sign is -1. */
static void add_now(long *faults, long *switches, int sign)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	*faults += sign * (usage.ru_minflt + usage.ru_majflt);
	*switches += sign * usage.ru_nvcsw;
}

static void call_slow(int is_even)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages = fresh_pages(PAGES * page);
	long faults = 0, switches = 0;
	for (long i = 0; i < n_calls; i++) {
		int is_faulting = !is_even && i % FAULTS_EVERY == PLACE;
		add_now(&faults, &switches, -1);
		REGIONSTAT_BEGIN("slow");
		for (volatile int k = 0; k < 500; k++)
			;
		if (is_faulting)
			touch(pages, PAGES, page);
		if (!is_even && i % SLEEPS_EVERY == PLACE)
			sleep_ns(1000000);
		REGIONSTAT_END("slow");
		add_now(&faults, &switches, 1);
		if (is_faulting)
			madvise((void *)pages, PAGES * page, MADV_DONTNEED);
	}
	printf("%ld %ld\n", faults, switches);
}

static void reasons(void)
{
	call_slow(0);
}

static void even(void)
{
	call_slow(1);
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {{"few", few}, {"burst", burst}, {"killed", killed},
		{"threads", threads}, {"one", one_of_many}, {"reasons", reasons}, {"even", even}};
	n_calls = argc > 2 ? atol(argv[2]) : 0;
	n_slow = argc > 3 ? atol(argv[3]) : 0;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
