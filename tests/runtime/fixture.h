/* SPDX-License-Identifier: MIT */
/*
 * A launched program in miniature. The test process makes a segment as the launcher would, and
 * attaches the runtime to it as the marker header would. It marks regions, and reads the segment
 * back.
 */
#ifndef RS_TESTS_RUNTIME_FIXTURE_H
#define RS_TESTS_RUNTIME_FIXTURE_H

#include <criterion/criterion.h>

#include "regionstat.h"
#include "segment/segment.h"
#include "stats/collect.h"

struct fixture {
	struct rs_segment segment;
	uint32_t n_events;
	uint32_t n_groups;
	struct rs_run collection; /* of the latest fixture_collect() */
};

/* Make a segment that counts page-faults, context-switches, task-clock (the first n_events of
 * them, at most 3) in one group, and put its address into the environment. */
void fixture_make(struct fixture *fixture, uint32_t n_events);

/* Attach to a segment that is made: from here on markers are on. */
void fixture_attach(const struct fixture *fixture);

/* Both. */
void fixture_start(struct fixture *fixture, uint32_t n_events);

/* The same with hardware events in user mode, instructions first (0 to 5), whether or not this
 * machine counts them. sample_calls: about one call of this number is measured; 1: all. */
void fixture_start_hardware(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls);

/* Read the segment; any damage fails the test. */
void fixture_collect(struct fixture *fixture);

/* The accumulator of a region, the n-th if several slots have one; NULL when there is none. */
const struct rs_result *fixture_cell(const struct fixture *fixture, const char *region, uint32_t n);

/* Over all slots: calls of a region, and what happened to it. */
uint64_t fixture_calls(const struct fixture *fixture, const char *region);
uint64_t fixture_diag(const struct fixture *fixture, const char *region, enum rs_cell_diag what);

/* Over all processes. */
uint64_t fixture_process_diag(const struct fixture *fixture, enum rs_process_diag what);

/* How many calls a histogram holds. */
uint64_t fixture_histogram_sum(const struct rs_histogram *histogram);

/* The first event of a group, of the n-th accumulator of a region. */
const struct rs_value *fixture_group(
	const struct fixture *fixture, const char *region, uint32_t n, uint32_t group);

#endif
