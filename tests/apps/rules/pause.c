/*
 * PAUSE and RESUME: what is counted while running, ignored while paused, and cut in between.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "pages.h"
#include "rules.h"

static atomic_bool stop_busy;
static atomic_ulong n_busy_calls;

/* Marks all the time, faults never. */
static void *keep_busy(void *argument)
{
	pthread_barrier_t *ready = argument;
	unsigned long n = 0;
	REGIONSTAT_BEGIN("busy");
	REGIONSTAT_END("busy");
	pthread_barrier_wait(ready);
	while (!atomic_load_explicit(&stop_busy, memory_order_relaxed)) {
		REGIONSTAT_BEGIN("busy");
		REGIONSTAT_END("busy");
		n++;
	}
	atomic_fetch_add(&n_busy_calls, n);
	return NULL;
}

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

/* `pages` faults while paused, on memory that is given back so that any number fits. */
static void fault_paused(volatile unsigned char *pages, size_t n_pages, unsigned long n_faults)
{
	while (n_faults > 0) {
		unsigned long n = n_faults < n_pages ? n_faults : n_pages;
		touch_pages(pages, n);
		madvise((void *)(uintptr_t)pages, n * PAGE_BYTES, MADV_DONTNEED);
		n_faults -= n;
	}
}

/*
 * n rounds: a call of "work" with k faults; a pause with m / n faults, where a call of "ignored" is
 * not counted. busy threads mark all the while. Prints the
 * median time of PAUSE and of RESUME.
 */
static int run_pause(char **arguments)
{
	unsigned long n = number_of(arguments[0]), k = number_of(arguments[1]);
	unsigned long m = number_of(arguments[2]), n_busy = number_of(arguments[3]);
	enum { PAUSED_PAGES = 1000 };
	volatile unsigned char *pages = map_pages(n * k);
	volatile unsigned char *paused_pages = map_pages(PAUSED_PAGES);
	int64_t *pause_ns = calloc(n + 1, sizeof(*pause_ns));
	int64_t *resume_ns = calloc(n + 1, sizeof(*resume_ns));
	pthread_t *threads = calloc(n_busy + 1, sizeof(*threads));
	pthread_barrier_t ready;
	require(pause_ns && resume_ns && threads && n > 0, "calloc");
	pthread_barrier_init(&ready, NULL, (unsigned int)n_busy + 1);
	for (unsigned long i = 0; i < n_busy; i++)
		require(pthread_create(&threads[i], NULL, keep_busy, &ready) == 0, "a thread");
	warm_up_faults();
	pthread_barrier_wait(&ready);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("work");
		touch_pages(pages + i * k * PAGE_BYTES, k);
		REGIONSTAT_END("work");
		int64_t start = now_ns();
		REGIONSTAT_PAUSE();
		int64_t paused = now_ns();
		REGIONSTAT_BEGIN("ignored");
		fault_paused(paused_pages, PAUSED_PAGES, m * (i + 1) / n - m * i / n);
		REGIONSTAT_END("ignored");
		int64_t done = now_ns();
		REGIONSTAT_RESUME();
		resume_ns[i] = now_ns() - done;
		pause_ns[i] = paused - start;
	}
	atomic_store(&stop_busy, true);
	for (unsigned long i = 0; i < n_busy; i++)
		pthread_join(threads[i], NULL);
	qsort(pause_ns, n, sizeof(*pause_ns), compare_times);
	qsort(resume_ns, n, sizeof(*resume_ns), compare_times);
	printf("pause_ns %lld resume_ns %lld busy_calls %lu\n", (long long)pause_ns[n / 2],
		(long long)resume_ns[n / 2], atomic_load(&n_busy_calls));
	return 0;
}

/* n calls of "cut" that are paused and resumed inside, and n of "whole" that are not. */
static int run_cut(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_BEGIN("cut");
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		REGIONSTAT_END("cut");
		REGIONSTAT_BEGIN("whole");
		REGIONSTAT_END("whole");
		/* begun while paused, ended while running: ignored */
		REGIONSTAT_PAUSE();
		REGIONSTAT_BEGIN("ignored");
		REGIONSTAT_RESUME();
		REGIONSTAT_END("ignored");
	}
	return 0;
}

/* Pauses nest: counting goes on after the last RESUME only. */
static int run_pause_nested(char **arguments)
{
	unsigned long n = number_of(arguments[0]);
	for (unsigned long i = 0; i < n; i++) {
		REGIONSTAT_PAUSE();
		REGIONSTAT_PAUSE();
		REGIONSTAT_RESUME();
		REGIONSTAT_BEGIN("ignored");
		REGIONSTAT_END("ignored");
		REGIONSTAT_RESUME();
		REGIONSTAT_BEGIN("counted");
		REGIONSTAT_END("counted");
	}
	return 0;
}

const struct rule pause_rules[] = {
	{"pause", "N K M BUSY", 4, run_pause},
	{"cut", "N", 1, run_cut},
	{"pause-nested", "N", 1, run_pause_nested},
	{0},
};
