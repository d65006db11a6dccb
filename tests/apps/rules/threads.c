/* SPDX-License-Identifier: MIT */
/*
 * Threads that start and end: many at once, many in turn, and markers at the begin and end of a
 * thread.
 */
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
static void threads_at_once(void)
{
	unsigned long n_threads = number(0);
	pthread_barrier_t all_alive;
	struct work work = {number(1), &all_alive};
	pthread_barrier_init(&all_alive, NULL, (unsigned int)n_threads);
	on_threads(n_threads, call_region, &work, 0);
	print_segment_bytes();
}

/* Run t threads with n calls each, and never more than `alive` at once. A new one waits until
 * another one ends. */
static void threads_in_turn(void)
{
	unsigned long n_threads = number(0), alive = number(2);
	struct work work = {number(1), NULL};
	CHECK(alive > 0);
	pthread_t *threads = calloc(alive, sizeof(*threads));
	CHECK(threads != NULL);
	for (unsigned long i = 0; i < n_threads + alive; i++) {
		if (i >= alive && i - alive < n_threads)
			pthread_join(threads[i % alive], NULL);
		if (i < n_threads)
			CHECK(!pthread_create(&threads[i % alive], NULL, call_region, &work));
	}
	free(threads);
	print_segment_bytes();
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
static void threads_cancelled(void)
{
	unsigned long n_threads = number(0);
	for (unsigned long i = 0; i < n_threads; i++) {
		pthread_barrier_t all_alive;
		struct work work = {0, &all_alive};
		pthread_t thread;
		void *value;
		pthread_barrier_init(&all_alive, NULL, 2);
		CHECK(!pthread_create(&thread, NULL, wait_cancelled, &work));
		pthread_barrier_wait(&all_alive);
		pthread_cancel(thread);
		pthread_join(thread, &value);
		CHECK(value == PTHREAD_CANCELED);
	}
}

const struct how thread_rules[] = {
	{"threads", threads_at_once},
	{"threads-in-turn", threads_in_turn},
	{"threads-cancelled", threads_cancelled},
	{0},
};
