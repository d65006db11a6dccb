/* SPDX-License-Identifier: MIT */
/*
 * own_cost N ROUNDS TIMES: TIMES regions "outer 0", "outer 1", ... with one call each, which
 * contains N calls of "inner" with ROUNDS rounds of work. Before each of them, and after the last,
 * the program does the same work without markers. It measures that work by its own task-clock, by
 * CLOCK_MONOTONIC, and by getrusage(2), user and system time together. Unlike the thread's CPU
 * time, task-clock includes interrupts and the time of a hypervisor. The program prints
 * "cpu|wall|usage NS..." and "switches COUNT...": TIMES + 1 times and context switches of the
 * unmarked work.
 */
#define _GNU_SOURCE /* for RUSAGE_THREAD */
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <regionstat.h>

#include "check.h"
#include "truth.h"

#define MAX_TIMES 400

/* Rounds of warm-up, because an idle processor is slow at first. */
#define N_WARM_UP 5

enum { CPU, WALL, USAGE, SWITCHES, N_CLOCKS };

struct clocks {
	uint64_t values[N_CLOCKS];
};

static int task_clock;

static void open_task_clock(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK};
	task_clock = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	CHECK(task_clock >= 0);
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static struct clocks read_clocks(void)
{
	struct clocks now = {.values[WALL] = truth_now_ns()};
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	now.values[USAGE] = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	now.values[SWITCHES] = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	CHECK(read(task_clock, &now.values[CPU], sizeof(uint64_t)) == sizeof(uint64_t));
	return now;
}

/* The work is not inlined, so that it is the same code with markers and without. */
static __attribute__((noinline)) void work(uint64_t rounds)
{
	truth_work(rounds);
}

static struct clocks unmarked(unsigned long n, uint64_t rounds)
{
	struct clocks begin = read_clocks(), took;
	for (unsigned long i = 0; i < n; i++)
		work(rounds);
	took = read_clocks();
	for (int clock = 0; clock < N_CLOCKS; clock++)
		took.values[clock] -= begin.values[clock];
	return took;
}

static void marked(unsigned long number, unsigned long n, uint64_t rounds)
{
	char outer[32];
	snprintf(outer, sizeof(outer), "outer %lu", number);
	regionstat_begin(outer);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("inner");
		work(rounds);
	}
	regionstat_end(outer);
}

int main(int argc, char **argv)
{
	static const char *const names[N_CLOCKS] = {"cpu", "wall", "usage", "switches"};
	struct clocks took[1 + MAX_TIMES];
	CHECK(argc == 4);
	unsigned long n = strtoul(argv[1], NULL, 10), times = strtoul(argv[3], NULL, 10);
	CHECK(times <= MAX_TIMES);
	uint64_t rounds = strtoul(argv[2], NULL, 10);
	open_task_clock();
	for (int i = 0; i < N_WARM_UP; i++)
		unmarked(n, rounds);
	took[0] = unmarked(n, rounds);
	for (unsigned long i = 0; i < times; i++) {
		marked(i, n, rounds);
		took[1 + i] = unmarked(n, rounds);
	}
	for (int clock = 0; clock < N_CLOCKS; clock++) {
		printf("%s", names[clock]);
		for (unsigned long i = 0; i <= times; i++)
			printf(" %llu", (unsigned long long)took[i].values[clock]);
		printf("\n");
	}
	return 0;
}
