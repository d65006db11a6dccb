/* SPDX-License-Identifier: MIT */
/*
 * Ten regions, one in the other, each with work of its own, and one that sleeps.
 *
 *	glance threads|forks
 *
 * threads: in 8 threads at once. forks: in a process, its two children, and theirs. level-N does
 * 50,000 rounds of work, N + 1 times; the first one sleeps for 5 ms in "sleep".
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <regionstat.h>

#include "truth.h"

#define N_LEVELS 10
#define N_THREADS 8
#define N_GENERATIONS 2
#define N_CHILDREN 2
#define ROUNDS 50000

static void level(int n)
{
	char name[] = "level-0";
	name[sizeof(name) - 2] = (char)('0' + n);
	regionstat_begin(name);
	if (n == 0) {
		REGIONSTAT_BEGIN("sleep");
		usleep(5000);
		REGIONSTAT_END("sleep");
	}
	truth_work((uint64_t)(n + 1) * ROUNDS);
	if (n + 1 < N_LEVELS)
		level(n + 1);
	regionstat_end(name);
}

static void *run(void *data)
{
	for (int i = 0; i < 3; i++)
		level(0);
	truth_work(10 * ROUNDS);
	return data;
}

static int run_threads(void)
{
	pthread_t threads[N_THREADS];
	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int run_forks(int generation)
{
	int failed = 0;
	run(NULL);
	for (int i = 0; i < N_CHILDREN && generation < N_GENERATIONS; i++) {
		pid_t pid = fork();
		int status = 1;
		if (pid == 0)
			_exit(run_forks(generation + 1));
		failed |= pid < 0 || waitpid(pid, &status, 0) != pid || status;
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "threads"))
		return run_threads();
	if (argc == 2 && !strcmp(argv[1], "forks"))
		return run_forks(0);
	fputs("usage: glance threads|forks\n", stderr);
	return 2;
}
