/* SPDX-License-Identifier: MIT */
/*
 * Sets of events that are counted by hand, as the peers of what regionstat counts in the same run.
 */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_EVENTS 4

/* One group of events of the calling thread, its leader first. */
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

/* The names of a set's events as PAPI has them, separated by commas; NULL when there is no such
 * set. Sets: software3, software4, hardware2, hardware4. */
const char *event_set_papi_names(const char *set);

/* Open a set for the calling thread, running. is_mapped: map the page of each member, too, as tools
 * with one descriptor a group do. In hardware sets map the leader's page as well, and close them
 * all, as tools that read in user space do. False, with errno set: the set is unknown (EINVAL), or
 * the kernel refused. */
bool event_group_open(struct event_group *group, const char *set, bool is_mapped);
void event_group_close(struct event_group *group);

#endif
