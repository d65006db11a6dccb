/* SPDX-License-Identifier: MIT */
/*
 * slow-calls HOW ...: calls of which some are slow, with their times by the program's own clock.
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
 */
#include <regionstat.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "check.h"
#include "clock.h"
#include "touch.h"

/* Return the time if this call is slow. Reading the clock takes time, too. */
static uint64_t now_if(int is_slow)
{
	return is_slow ? clock_ns(CLOCK_MONOTONIC) : 0;
}

static void few(long n_calls, long n_slow)
{
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

static void burst(long n_calls)
{
	for (long i = 0; i < n_calls; i++) {
		REGIONSTAT_BEGIN("work");
		spin_ns(CLOCK_MONOTONIC, 20000);
		REGIONSTAT_END("work");
	}
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

static void threads(int n)
{
	for (int i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "t%d", i);
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

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long first = argc > 2 ? atol(argv[2]) : 0;
	if (strcmp(how, "few") == 0 && argc > 3)
		few(first, atol(argv[3]));
	else if (strcmp(how, "burst") == 0)
		burst(first);
	else if (strcmp(how, "killed") == 0 && (burst(first), 1))
		kill(getpid(), SIGKILL);
	else if (strcmp(how, "threads") == 0)
		threads((int)first);
	else if (strcmp(how, "one") == 0)
		one_of_many();
	else
		return 1;
	return 0;
}
