/* SPDX-License-Identifier: MIT */
/* Runs the actor in tests, with a segment and with software events that every machine counts. */
#ifndef TESTS_LAUNCH_RUN_H
#define TESTS_LAUNCH_RUN_H

#include "launch/launch.h"

/* The events of the tests' plans, in this order. */
enum test_event {
	TEST_PAGE_FAULTS,
	TEST_TASK_CLOCK,
	TEST_IMPOSSIBLE, /* no kernel can open this one */
	TEST_EVENT_N,
};

struct test_run {
	struct rs_launch_options options; /* the test may set these before a run */
	uint32_t segment_flags; /* enum rs_segment_flag; the same */
	struct rs_event events[TEST_EVENT_N];
	struct rs_group group;
	struct rs_plan plan;
	struct rs_segment segment;
	struct rs_outcome outcome;
	int status; /* exit status, from rs_outcome_exit_status() */
};

/* The only run of a test at a time. */
extern struct test_run run;

/* Launch argv with the first n_events events in one group, and assert that rs_launch() succeeds.
 * test_run_finish() must follow; after it, run has all numbers still. */
void test_run_init(size_t n_events, const char *const *argv);
void test_run_finish(void);

/* Return the page faults of a run of the actor with these words. */
uint64_t test_page_faults(const char *const *argv);

#define ACTOR(...) ((const char *const[]){TEST_ACTOR, __VA_ARGS__, NULL})

#endif
