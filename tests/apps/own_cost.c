/* SPDX-License-Identifier: MIT */
/*
 * own_cost N ROUNDS TIMES: TIMES calls of "outer" with N calls of "inner" each, of ROUNDS rounds of
 * work. Between them the same work without a marker, measured by a task-clock of the program's own
 * (the thread's CPU time leaves out what interrupts and a hypervisor take, which task-clock does not)
 * and by CLOCK_MONOTONIC. Prints "cpu|wall BEFORE AFTER": sums in ns of the unmarked work done before
 * each call, and of that after each.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <regionstat.h>

#include "truth.h"

struct clocks {
	uint64_t cpu_ns, wall_ns;
};

static int task_clock;

static void open_task_clock(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK};
	task_clock = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (task_clock < 0) {
		perror("own_cost: perf_event_open of task-clock");
		exit(1);
	}
}

static struct clocks read_clocks(void)
{
	struct clocks now = {.wall_ns = truth_now_ns()};
	if (read(task_clock, &now.cpu_ns, sizeof(now.cpu_ns)) != sizeof(now.cpu_ns))
		exit(1);
	return now;
}

/* Not inlined: the same code with markers and without. */
static __attribute__((noinline)) void work(uint64_t rounds)
{
	truth_work(rounds);
}

static void unmarked(unsigned long n, uint64_t rounds, struct clocks *sum)
{
	struct clocks begin = read_clocks(), end;
	for (unsigned long i = 0; i < n; i++)
		work(rounds);
	end = read_clocks();
	sum->cpu_ns += end.cpu_ns - begin.cpu_ns;
	sum->wall_ns += end.wall_ns - begin.wall_ns;
}

static void marked(unsigned long n, uint64_t rounds)
{
	REGIONSTAT_SCOPE("outer");
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_SCOPE("inner");
		work(rounds);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: own_cost N ROUNDS TIMES\n", stderr);
		return 2;
	}
	unsigned long n = strtoul(argv[1], NULL, 10), times = strtoul(argv[3], NULL, 10);
	uint64_t rounds = strtoul(argv[2], NULL, 10);
	struct clocks before = {0, 0}, after = {0, 0};
	open_task_clock();
	for (unsigned long i = 0; i < times; i++) {
		unmarked(n, rounds, &before);
		marked(n, rounds);
		unmarked(n, rounds, &after);
	}
	printf("cpu %llu %llu\nwall %llu %llu\n", (unsigned long long)before.cpu_ns,
		(unsigned long long)after.cpu_ns, (unsigned long long)before.wall_ns,
		(unsigned long long)after.wall_ns);
	return 0;
}
