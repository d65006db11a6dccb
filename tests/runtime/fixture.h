/* SPDX-License-Identifier: MIT */
/*
 * A launched program in miniature. The test process makes a segment as the launcher would, and
 * attaches the runtime to it as the marker header would. It marks regions, and reads the segment
 * back.
 */
#ifndef RS_TESTS_RUNTIME_FIXTURE_H
#define RS_TESTS_RUNTIME_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "regionstat.h"
#include "segment/segment.h"
#include "stats/collect.h"
#include "stats/histogram.h"

struct fixture {
	struct rs_segment segment;
	uint32_t n_events;
	uint32_t n_groups;
	struct rs_run collection; /* Result of the latest fixture_collect(). */
};

/* Make one call of a region. The name is a literal. */
#define CALL_ONCE(name)                 \
	do {                            \
		REGIONSTAT_BEGIN(name); \
		REGIONSTAT_END(name);   \
	} while (0)

/* Make a segment and put its address into the environment. It counts the first n_events (at most 3)
 * of page-faults, context-switches and task-clock in one group. */
void fixture_make(struct fixture *fixture, uint32_t n_events);

/* Attach to the segment. From then on markers are on. */
void fixture_attach(const struct fixture *fixture);

/* Make a segment and attach to it. */
void fixture_start(struct fixture *fixture, uint32_t n_events);

/* Start with 0 to 5 hardware events in user mode, instructions first, even if this machine does not
 * count them. About one of sample_calls calls is measured. */
void fixture_start_hardware(struct fixture *fixture, uint32_t n_events, uint32_t sample_calls);

/* Make a segment with flags in addition to the usual ones, and attach to it. If the flags have
 * RS_SEGMENT_SAMPLES, about one of sample_calls calls is measured. */
void fixture_start_with(
	struct fixture *fixture, uint32_t n_events, uint32_t flags, uint32_t sample_calls);

/* Make n calls of a region whose name is made at run time. */
static inline void fixture_call(const char *name, int n)
{
	for (int i = 0; i < n; i++) {
		regionstat_begin(name);
		regionstat_end(name);
	}
}

/* Make one call of each of the regions "NAME 0" to "NAME n - 1". */
static inline void fixture_call_each(const char *name, uint32_t n)
{
	char numbered[64];
	for (uint32_t i = 0; i < n; i++) {
		snprintf(numbered, sizeof(numbered), "%s %u", name, i);
		fixture_call(numbered, 1);
	}
}

/* Return what this thread keeps of a region. */
struct rs_thread_region *fixture_region(const char *name);

/* Let a variable of the test take the place of this thread's rseq_cs, which the kernel clears. */
void fixture_watch(volatile uint64_t *watched);

/* Run a function on a new thread, and wait for the thread's end. */
void fixture_on_thread(void *(*run)(void *), void *argument);

/* Wait for a child of the test. The test fails if the child did not succeed. */
void fixture_wait(pid_t child);

/* Read the segment. The test fails if it is damaged. */
void fixture_collect(struct fixture *fixture);

/* Return the n-th accumulator of a region, if several thread slots have one. Return NULL if there
 * is none. */
const struct rs_result *fixture_accumulator(
	const struct fixture *fixture, const char *region, uint32_t n);

/* Return the calls of a region, or a diagnostic of it, over all thread slots. */
uint64_t fixture_calls(const struct fixture *fixture, const char *region);
uint64_t fixture_diag(
	const struct fixture *fixture, const char *region, enum rs_accumulator_diag what);

/* Return a diagnostic over all processes. */
uint64_t fixture_process_diag(const struct fixture *fixture, enum rs_process_diag what);

/* Return the first event of a group, in the n-th accumulator of a region. */
const struct rs_value *fixture_group(
	const struct fixture *fixture, const char *region, uint32_t n, uint32_t group);

#endif
