/* SPDX-License-Identifier: MIT */
/*
 * pairs measures a pair of markers, and the corresponding pairs of other tools. All run alternately
 * in one process. Its options are listed below. It prints `variant,round,pairs,value`, where value
 * is what all pairs of that round took together. The command that launches it decides whether the
 * markers are on.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <regionstat.h>

#include "events.h"
#include "papi_peer.h"
#include "rounds.h"
#include "runtime/arch/arch.h" /* rs_counter(), the clock that the runtime reads */

static const char usage[] =
	"usage: pairs [-m ns|cpu_ns|instructions] [-r ROUNDS] [-s SET] [-n PAIRS] VARIANT...\n"
	"  VARIANT  empty, call, clock, marker, scope, nested, parents, recursive, next, async, "
	"work, work_within, sleep, marked_sleep, read, papi_read, papi_hl\n"
	"  -s SET   of the events that read, papi_read and papi_hl count (software3)\n"
	"  -n PAIRS a round of any variant (as many as suit it)\n";

static struct event_group group;
/* the arrays in which a pair saves its differences */
static uint64_t running_ns[256], counts[MAX_EVENTS][256];
static volatile uint64_t sink;

static void do_nothing(void)
{
	__asm__ volatile("");
}
static void (*volatile nothing)(void) = do_nothing;

LOOP static void run_call(uint64_t n_pairs)
{
	void (*call)(void) = nothing;
	for (uint64_t i = 0; i < n_pairs; i++) {
		call();
		call();
	}
}

LOOP static void run_clock(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		uint64_t before = rs_counter();
		sink = rs_counter_after() - before;
	}
}

LOOP static void run_marker(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("pair");
		/* assume that the code between the markers writes any memory */
		__asm__ volatile("" ::: "memory");
		REGIONSTAT_END("pair");
	}
}

LOOP static void run_scope(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_SCOPE("scope");
		__asm__ volatile("" ::: "memory");
	}
}

/* One pair in another. */
LOOP static void run_nested(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("outer");
		REGIONSTAT_BEGIN("inner");
		__asm__ volatile("" ::: "memory");
		REGIONSTAT_END("inner");
		REGIONSTAT_END("outer");
	}
}

/* A region in two others alternately, which makes half as many calls of each of them. */
static __attribute__((noinline)) void mark_shared(void)
{
	REGIONSTAT_BEGIN("shared");
	__asm__ volatile("" ::: "memory");
	REGIONSTAT_END("shared");
}

LOOP static void run_parents(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs / 2; i++) {
		REGIONSTAT_BEGIN("left");
		mark_shared();
		REGIONSTAT_END("left");
		REGIONSTAT_BEGIN("right");
		mark_shared();
		REGIONSTAT_END("right");
	}
}

/* Two pairs of one region, one in the other. */
LOOP static void run_recursive(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("again");
		REGIONSTAT_BEGIN("again");
		__asm__ volatile("" ::: "memory");
		REGIONSTAT_END("again");
		REGIONSTAT_END("again");
	}
}

/* Give up the CPU. */
static void sleep_once(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 1}, NULL);
}

LOOP static void run_sleep(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++)
		sleep_once();
}

LOOP static void run_marked_sleep(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("sleep");
		sleep_once();
		REGIONSTAT_END("sleep");
	}
}

LOOP static void run_next(uint64_t n_pairs)
{
	REGIONSTAT_BEGIN("next");
	for (uint64_t i = 0; i < n_pairs; i++)
		REGIONSTAT_NEXT("next", "next");
	REGIONSTAT_END("next");
}

LOOP static void run_async(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		struct regionstat_call call = REGIONSTAT_START("async");
		regionstat_stop(call);
	}
}

LOOP static void run_work(uint64_t n_pairs)
{
	for (uint64_t i = 0; i < n_pairs; i++) {
		REGIONSTAT_BEGIN("work");
		REGIONSTAT_WORK("work", 4096, 512);
		REGIONSTAT_END("work");
	}
}

/* Do the same within a region, which would include the overhead of END. */
LOOP static void run_work_within(uint64_t n_pairs)
{
	REGIONSTAT_SCOPE("around");
	run_work(n_pairs);
}

/* Read a group before and after a part of the program, and save the differences. */
LOOP static void run_read(uint64_t n_pairs)
{
	struct group_counts before, after;
	size_t bytes = (3 + group.n_events) * sizeof(uint64_t);
	for (uint64_t i = 0; i < n_pairs; i++) {
		if (read(group.fds[0], &before, bytes) < 0 || read(group.fds[0], &after, bytes) < 0)
			return;
		running_ns[i % 256] = after.running_ns - before.running_ns;
		for (uint32_t e = 0; e < group.n_events; e++)
			counts[e][i % 256] = after.values[e] - before.values[e];
	}
}

static bool start_read(const char *set)
{
	if (event_group_open(&group, set, false))
		return true;
	fprintf(stderr, "bench: cannot count %s: %s\n", set, strerror(errno));
	return false;
}

static const struct variant variants[] = {
	{"empty", rounds_run_empty, NULL, 4000},
	{"call", run_call, NULL, 4000},
	{"clock", run_clock, NULL, 2000},
	{"marker", run_marker, NULL, 2000},
	{"scope", run_scope, NULL, 2000},
	{"nested", run_nested, NULL, 1000},
	{"parents", run_parents, NULL, 1000},
	{"recursive", run_recursive, NULL, 1000},
	{"next", run_next, NULL, 2000},
	{"async", run_async, NULL, 1000},
	{"work", run_work, NULL, 1000},
	{"work_within", run_work_within, NULL, 1000},
	{"sleep", run_sleep, NULL, 10},
	{"marked_sleep", run_marked_sleep, NULL, 10},
	{"read", run_read, start_read, 100},
	{"papi_read", papi_reads_run, papi_reads_start, 100},
	{"papi_hl", papi_regions_run, papi_regions_start, 50},
};
#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static const struct variant *find_variant(const char *name)
{
	for (size_t i = 0; i < N_VARIANTS; i++) {
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	}
	return NULL;
}

/* Start the variants that can run on this machine, in the order of the options. Print why the
 * others cannot. */
static size_t start_variants(int argc, char **argv, const char *set, const struct variant **started)
{
	size_t n_started = 0;
	for (int i = optind; i < argc && n_started < N_VARIANTS; i++) {
		const struct variant *variant = find_variant(argv[i]);
		if (!variant) {
			fprintf(stderr, "bench: there is no variant '%s'\n%s", argv[i], usage);
			exit(2);
		}
		if (!variant->start || variant->start(set))
			started[n_started++] = variant;
	}
	return n_started;
}

int main(int argc, char **argv)
{
	const char *kind = "ns", *set = "software3";
	uint64_t n_rounds = 300, n_pairs = 0;
	int option;
	while ((option = getopt(argc, argv, "m:r:s:n:")) != -1) {
		if (option == 'm')
			kind = optarg;
		else if (option == 'r')
			n_rounds = strtoull(optarg, NULL, 10);
		else if (option == 's')
			set = optarg;
		else if (option == 'n')
			n_pairs = strtoull(optarg, NULL, 10);
		else
			optind = argc;
	}
	if (optind >= argc || !event_set_papi_names(set)) {
		fputs(usage, stderr);
		return 2;
	}
	struct meter meter;
	if (!meter_open(&meter, kind))
		return 1;
	const struct variant *started[N_VARIANTS];
	size_t n_started = start_variants(argc, argv, set, started);
	rounds_run(started, n_started, n_rounds, n_pairs, &meter);
	meter_close(&meter);
	return 0;
}
