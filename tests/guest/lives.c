/* SPDX-License-Identifier: MIT */
/*
 * Calls of "work" in all kinds of lives, ten at a time, of 10,000 instructions each:
 *
 *     lives family      in a process, in children forked outside and inside a region, after exec
 *     lives threads N   in N threads that are alive at once
 *     lives robbed      while a system-wide group has all counters, and before and after
 */
#include <linux/perf_event.h>
#include <regionstat.h>
#include <sys/syscall.h>

#include "../apps/check.h"
#include "instructions.h"

#define N_CALLS 10
#define N_COUNTERS 6

static __attribute__((noinline)) void work_once(uint64_t pairs)
{
	REGIONSTAT_BEGIN("work");
	execute_instruction_pairs(pairs);
	REGIONSTAT_END("work");
}

static void work(void)
{
	for (int i = 0; i < N_CALLS; i++)
		work_once(opaque_number(5000));
}

static void work_around(void)
{
	work();
	REGIONSTAT_END("around");
	work();
}

static void family(void)
{
	work();
	in_child(work);
	REGIONSTAT_BEGIN("around");
	in_child(work_around);
	work();
	REGIONSTAT_END("around");
	execlp("/proc/self/exe", "lives", "threads", "1", (char *)NULL);
	CHECK(0);
}

static int n_threads;
static pthread_barrier_t barrier;

static void *run_thread(void *data)
{
	work();
	pthread_barrier_wait(&barrier);
	return data;
}

static void threads(void)
{
	CHECK(n_threads > 0 && pthread_barrier_init(&barrier, NULL, (unsigned)n_threads) == 0);
	on_threads((size_t)n_threads, run_thread, NULL, 0);
}

static void robbed(void)
{
	int fds[N_COUNTERS];
	work();
	for (int i = 0; i < N_COUNTERS; i++) {
		struct perf_event_attr attr;
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		attr.pinned = !i;
		fds[i] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, i ? fds[0] : -1, 0);
		CHECK(fds[i] >= 0);
	}
	work();
	for (int i = N_COUNTERS; i--;)
		close(fds[i]);
	/* when the thread is switched in again, it has its counters again at the latest */
	usleep(1000);
	work();
	work();
}

int main(int argc, char **argv)
{
	static const struct how hows[] = {
		{"family", family}, {"threads", threads}, {"robbed", robbed}};
	n_threads = argc > 2 ? atoi(argv[2]) : 0;
	FIND_HOW(hows, argv[1])->run();
	return 0;
}
