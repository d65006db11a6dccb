/* SPDX-License-Identifier: MIT */
/*
 * Calls of "work" in all kinds of lives, ten at a time, of 10,000 instructions each:
 *
 *     lives family      in a process, in children forked outside and inside a region, after exec
 *     lives threads N   in N threads that are alive at once
 *     lives robbed      while a system-wide group has all counters, and before and after
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <regionstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instructions.h"

#define N_CALLS 10
#define MAX_THREADS 1000
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

static int family(char **argv)
{
	work();
	if (fork() == 0) {
		work();
		_exit(0);
	}
	wait(NULL);
	REGIONSTAT_BEGIN("around");
	if (fork() == 0) {
		work();
		REGIONSTAT_END("around");
		work();
		_exit(0);
	}
	wait(NULL);
	work();
	REGIONSTAT_END("around");
	execlp(argv[0], argv[0], "threads", "1", (char *)NULL);
	return 1;
}

static pthread_barrier_t barrier;

static void *run_thread(void *data)
{
	work();
	pthread_barrier_wait(&barrier);
	return data;
}

static int threads(int n)
{
	static pthread_t ids[MAX_THREADS];
	if (n < 1 || n > MAX_THREADS || pthread_barrier_init(&barrier, NULL, (unsigned)n))
		return 2;
	for (int i = 1; i < n; i++)
		if (pthread_create(&ids[i], NULL, run_thread, NULL))
			return 1;
	run_thread(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

static int robbed(void)
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
		if (fds[i] < 0) {
			perror("lives: perf_event_open");
			return 1;
		}
	}
	work();
	for (int i = N_COUNTERS; i--;)
		close(fds[i]);
	/* when the thread is switched in again, it has its counters again at the latest */
	usleep(1000);
	work();
	work();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "family"))
		return family(argv);
	if (argc == 3 && !strcmp(argv[1], "threads"))
		return threads(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "robbed"))
		return robbed();
	return 2;
}
