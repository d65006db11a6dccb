/* SPDX-License-Identifier: MIT */
/*
 * threads measures a pair of markers on each of several threads that execute calls of the same
 * region at once. Its arguments are a number of rounds, and numbers of threads. Each round runs
 * once with each number of threads. It prints `threads,round,ns`. `ns` is the CPU time of a pair:
 * the median over batches of pairs. Because this is CPU time, there may be more threads than CPUs.
 */
#include <regionstat.h>

#include "../apps/check.h"
#include "../apps/clock.h"

#define MAX_THREADS 64
#define N_BATCHES 40
#define BATCH_PAIRS 1000

static pthread_barrier_t barrier;
static double batch_ns[MAX_THREADS * N_BATCHES];

__attribute__((noinline)) static void run_batch(void)
{
	for (int i = 0; i < BATCH_PAIRS; i++) {
		REGIONSTAT_BEGIN("pair");
		REGIONSTAT_END("pair");
	}
}

static void *mark(void *argument)
{
	double *mine = argument;
	run_batch();
	pthread_barrier_wait(&barrier);
	for (int b = 0; b < N_BATCHES; b++) {
		uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		run_batch();
		mine[b] = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before) / BATCH_PAIRS;
	}
	return NULL;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* Return the median time of a pair with this many threads. */
static double measure(uint32_t n_threads)
{
	pthread_barrier_init(&barrier, NULL, n_threads);
	on_threads(n_threads, mark, batch_ns, N_BATCHES * sizeof(batch_ns[0]));
	pthread_barrier_destroy(&barrier);
	size_t n = (size_t)n_threads * N_BATCHES;
	qsort(batch_ns, n, sizeof(batch_ns[0]), compare);
	return batch_ns[n / 2];
}

int main(int argc, char **argv)
{
	long n_rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	for (long r = 0; r < n_rounds; r++) {
		for (int i = 2; i < argc; i++) {
			long n_threads = strtol(argv[i], NULL, 10);
			if (n_threads < 1 || n_threads > MAX_THREADS)
				return 2;
			printf("%ld,%ld,%.3f\n", n_threads, r, measure((uint32_t)n_threads));
		}
	}
	return 0;
}
