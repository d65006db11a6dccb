/* SPDX-License-Identifier: MIT */
/*
 * first_marker measures a thread's first marker, and the bare system calls that open and map the
 * same events, or with -o only open them. Its options are listed below. It prints `marker,bare` for
 * pairs of new threads, one of which executes the marker and the other the system calls. All
 * threads live until the end, so that none uses what another left. The process's own first marker
 * is not measured.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <regionstat.h>

#include "events.h"
#include "meter.h"

#define MAX_PAIRS 64

static const char *kind = "ns", *set; /* NULL: no events */
static bool is_mapped = true;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t done;

static void mark_first(struct event_group *group)
{
	(void)group;
	REGIONSTAT_BEGIN("first");
}

static void open_bare(struct event_group *group)
{
	if (set && !event_group_open(group, set, is_mapped))
		fprintf(stderr, "bench: cannot count %s: %s\n", set, strerror(errno));
}

struct task {
	void (*run)(struct event_group *group);
	uint64_t value;
};

static void *perform(void *argument)
{
	struct task *task = argument;
	struct event_group group = {0};
	struct meter meter;
	if (!meter_open(&meter, kind))
		exit(1);
	meter_now(&meter);
	uint64_t before = meter_now(&meter);
	task->run(&group);
	task->value = meter_now(&meter) - before;
	meter_close(&meter);
	if (task->run == mark_first)
		REGIONSTAT_END("first");
	pthread_barrier_wait(&done);
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	event_group_close(&group);
	return NULL;
}

static void start(pthread_t *thread, struct task *task)
{
	if (pthread_create(thread, NULL, perform, task)) {
		fputs("bench: cannot start a thread\n", stderr);
		exit(1);
	}
	pthread_barrier_wait(&done);
}

int main(int argc, char **argv)
{
	static struct task markers[MAX_PAIRS], bares[MAX_PAIRS];
	static pthread_t threads[2 * MAX_PAIRS];
	unsigned long n_pairs = 16;
	int option;
	while ((option = getopt(argc, argv, "m:s:n:o")) != -1) {
		if (option == 'm')
			kind = optarg;
		else if (option == 's')
			set = optarg;
		else if (option == 'n')
			n_pairs = strtoul(optarg, NULL, 10);
		else if (option == 'o')
			is_mapped = false;
		else
			optind = argc + 1;
	}
	if (optind != argc || n_pairs < 1 || n_pairs > MAX_PAIRS) {
		fputs("usage: first_marker [-m ns|faults|instructions] [-s SET] [-o] [-n PAIRS]\n",
			stderr);
		return 2;
	}
	struct event_group none = {0};
	mark_first(&none);
	REGIONSTAT_END("first");
	pthread_barrier_init(&done, NULL, 2);
	pthread_mutex_lock(&held);
	for (unsigned long i = 0; i < n_pairs; i++) {
		markers[i].run = mark_first;
		bares[i].run = open_bare;
		start(&threads[2 * i], &markers[i]);
		start(&threads[2 * i + 1], &bares[i]);
	}
	pthread_mutex_unlock(&held);
	for (unsigned long i = 0; i < 2 * n_pairs; i++)
		pthread_join(threads[i], NULL);
	for (unsigned long i = 0; i < n_pairs; i++)
		printf("%ju,%ju\n", (uintmax_t)markers[i].value, (uintmax_t)bares[i].value);
	return 0;
}
