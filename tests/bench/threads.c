/* SPDX-License-Identifier: MIT */
/*
 * threads measures a pair of markers on each of several threads that execute calls of the same
 * region at once. Its arguments are a kind of marker, a number of rounds, and numbers of threads.
 * Each round runs every number. It prints `threads,round,ns`, where ns is the median over batches
 * of pairs of the CPU time of a pair. So there may be more threads than CPUs.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <regionstat.h>

#include "papi_peer.h"

#define MAX_THREADS 64
#define MAX_BATCHES 64

struct workload {
	void (*run)(uint64_t n_pairs);
	uint64_t batch_pairs;
	uint32_t n_batches;
};

static const struct workload *workload;
static pthread_barrier_t barrier;
static double batch_ns[MAX_THREADS * MAX_BATCHES];

__attribute__((noinline)) static void run_marker(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("pair");
		REGIONSTAT_END("pair");
	}
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void *mark(void *argument)
{
	double *mine = argument;
	workload->run(workload->batch_pairs);
	pthread_barrier_wait(&barrier);
	for (uint32_t b = 0; b < workload->n_batches; b++) {
		uint64_t before = thread_cpu_ns();
		workload->run(workload->batch_pairs);
		mine[b] = (double)(thread_cpu_ns() - before) / (double)workload->batch_pairs;
	}
	return NULL;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* Return the median time of a pair with this many threads. Return a negative number if the threads
 * cannot be started. */
static double measure(uint32_t n_threads)
{
	pthread_t threads[MAX_THREADS];
	pthread_barrier_init(&barrier, NULL, n_threads);
	for (uint32_t t = 0; t < n_threads; t++) {
		/* the threads that were started wait for the rest, so the program cannot
		 * continue */
		if (pthread_create(&threads[t], NULL, mark, &batch_ns[t * workload->n_batches])) {
			fputs("bench: cannot start a thread\n", stderr);
			exit(1);
		}
	}
	for (uint32_t t = 0; t < n_threads; t++)
		pthread_join(threads[t], NULL);
	pthread_barrier_destroy(&barrier);
	size_t n = (size_t)n_threads * workload->n_batches;
	qsort(batch_ns, n, sizeof(batch_ns[0]), compare);
	return batch_ns[n / 2];
}

int main(int argc, char **argv)
{
	static const struct workload markers = {run_marker, 1000, 40};
	static const struct workload papi = {papi_regions_run, 50, 4};
	if (argc < 4 || (strcmp(argv[1], "marker") != 0 && strcmp(argv[1], "papi_hl") != 0)) {
		fputs("usage: threads marker|papi_hl ROUNDS THREADS...\n", stderr);
		return 2;
	}
	workload = strcmp(argv[1], "marker") == 0 ? &markers : &papi;
	if (workload == &papi && !papi_regions_start("software3"))
		return 1;
	long n_rounds = strtol(argv[2], NULL, 10);
	for (long r = 0; r < n_rounds; r++) {
		for (int i = 3; i < argc; i++) {
			long n_threads = strtol(argv[i], NULL, 10);
			if (n_threads < 1 || n_threads > MAX_THREADS)
				return 2;
			printf("%ld,%ld,%.3f\n", n_threads, r, measure((uint32_t)n_threads));
		}
	}
	return 0;
}
