/* SPDX-License-Identifier: MIT */
/*
 * Threads that start and end: many at once, many in turn, and markers at the begin and end of a
 * thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "rules.h"

struct work {
	unsigned long n_calls;
	pthread_barrier_t *all_alive; /* NULL: do not wait */
};

static void *call_region(void *argument)
{
	const struct work *work = argument;
	for (unsigned long i = 0; i < work->n_calls; i++)
		CALL_ONCE("call");
	if (work->all_alive)
		pthread_barrier_wait(work->all_alive);
	return NULL;
}

static void start_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	require(pthread_create(thread, &attributes, run, argument) == 0, "a thread");
	pthread_attr_destroy(&attributes);
}

/* If regionstat launched this program, print how much memory the segment uses now. */
static void print_segment_bytes(void)
{
	const char *segment = getenv("REGIONSTAT_SEGMENT");
	struct stat status;
	int fd;
	if (segment && sscanf(segment, "%*u:%d", &fd) == 1 && fstat(fd, &status) == 0)
		printf("segment_bytes %lld\n", (long long)status.st_blocks * 512);
}

/* Run t threads with n calls each. All are alive until the end. */
static int threads_at_once(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]);
	pthread_barrier_t all_alive;
	struct work work = {number_of(arguments[1]), &all_alive};
	pthread_t *threads = calloc(n_threads + 1, sizeof(*threads));
	require(threads != NULL, "calloc");
	pthread_barrier_init(&all_alive, NULL, (unsigned int)n_threads);
	for (unsigned long i = 0; i < n_threads; i++)
		start_thread(&threads[i], call_region, &work);
	for (unsigned long i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	print_segment_bytes();
	return 0;
}

/* Run t threads with n calls each, and never more than `alive` at once. A new one waits until
 * another one ends. */
static int threads_in_turn(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]), alive = number_of(arguments[2]);
	struct work work = {number_of(arguments[1]), NULL};
	require(alive > 0, "ALIVE of at least 1");
	pthread_t *threads = calloc(alive, sizeof(*threads));
	require(threads != NULL, "calloc");
	for (unsigned long i = 0; i < n_threads + alive; i++) {
		if (i >= alive && i - alive < n_threads)
			pthread_join(threads[i % alive], NULL);
		if (i < n_threads)
			start_thread(&threads[i % alive], call_region, &work);
	}
	free(threads);
	print_segment_bytes();
	return 0;
}

static void *wait_cancelled(void *argument)
{
	struct work *work = argument;
	CALL_ONCE("before");
	REGIONSTAT_SCOPE("cancelled");
	pthread_barrier_wait(work->all_alive);
	for (;;) {
		CALL_ONCE("spin");
		pthread_testcancel();
	}
	return NULL;
}

/* Run n threads that are cancelled inside a region, at a cancellation point. Markers are not
 * cancellation points. */
static int threads_cancelled(char **arguments)
{
	unsigned long n_threads = number_of(arguments[0]);
	for (unsigned long i = 0; i < n_threads; i++) {
		pthread_barrier_t all_alive;
		struct work work = {0, &all_alive};
		pthread_t thread;
		void *value;
		pthread_barrier_init(&all_alive, NULL, 2);
		start_thread(&thread, wait_cancelled, &work);
		pthread_barrier_wait(&all_alive);
		pthread_cancel(thread);
		pthread_join(thread, &value);
		require(value == PTHREAD_CANCELED, "cancelling");
	}
	return 0;
}

const struct rule thread_rules[] = {
	{"threads", "THREADS N", 2, threads_at_once},
	{"threads-in-turn", "THREADS N ALIVE", 3, threads_in_turn},
	{"threads-cancelled", "THREADS", 1, threads_cancelled},
	{0},
};
