/* SPDX-License-Identifier: MIT */
/*
 * Sets of events that the benchmark counts by hand, to compare with regionstat in the same run.
 */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_EVENTS 4

/* A group of events of the calling thread, with its leader first. */
struct event_group {
	uint32_t n_events;
	int fds[MAX_EVENTS];
	void *pages[MAX_EVENTS];
};

/* The result of one read() of a group: perf_event_open(2), PERF_FORMAT_GROUP and both times. */
struct group_counts {
	uint64_t n_events;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t values[MAX_EVENTS];
};

/* Return PAPI's names of a set's events, separated by commas, or NULL if there is no such set.
 * Sets: software3, software4, hardware2, hardware4. */
const char *event_set_papi_names(const char *set);

/* Open a set for the calling thread and let it count. With is_mapped, map each member's page, as
 * tools with one descriptor for a group do. In hardware sets also map the leader's page and close
 * all descriptors, as tools that read in user space do. Return false with errno set if the set is
 * unknown (EINVAL) or the kernel refuses it. */
bool event_group_open(struct event_group *group, const char *set, bool is_mapped);
void event_group_close(struct event_group *group);

#endif
