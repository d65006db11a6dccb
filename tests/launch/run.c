/* SPDX-License-Identifier: MIT */
/* This file launches a test program with a hand-made plan. */
#include "run.h"

#include <criterion/criterion.h>

struct test_run run;

static struct rs_event software_event(const char *name, uint64_t config)
{
	return (struct rs_event){
		.name = (char *)name,
		.unit = "count",
		.attr = {.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(struct perf_event_attr),
			.config = config,
			.exclude_kernel = config != PERF_COUNT_SW_TASK_CLOCK},
		.in_totals = true,
	};
}

void test_run_init(size_t n_events, const char *const *argv)
{
	struct rs_err err;
	run.events[TEST_PAGE_FAULTS] = software_event("page-faults", PERF_COUNT_SW_PAGE_FAULTS);
	run.events[TEST_TASK_CLOCK] = software_event("task-clock", PERF_COUNT_SW_TASK_CLOCK);
	run.events[TEST_IMPOSSIBLE] = software_event("impossible", 12345);
	run.group = (struct rs_group){.n_events = n_events};
	run.plan = (struct rs_plan){
		.events = run.events,
		.n_events = n_events,
		.groups = &run.group,
		.n_groups = n_events > 0,
	};
	const struct rs_segment_config config = {
		.clock = RS_CLOCK_MONOTONIC, .flags = run.segment_flags};
	cr_assert(rs_segment_init(&run.segment, &config, &err), "%s", err.text);
	run.options.argv = (char *const *)argv;
	cr_assert(rs_launch(&run.options, &run.plan, &run.segment, &run.outcome, &err), "%s",
		err.text);
	rs_outcome_unblock_signals(&run.outcome);
	run.status = rs_outcome_exit_status(&run.outcome);
}

void test_run_finish(void)
{
	rs_outcome_finish(&run.outcome);
	rs_segment_finish(&run.segment);
}

uint64_t test_page_faults(const char *const *argv)
{
	test_run_init(TEST_PAGE_FAULTS + 1, argv);
	cr_assert_eq(run.status, 0, "status %d", run.status);
	struct rs_total total = run.outcome.totals[TEST_PAGE_FAULTS];
	cr_assert(total.counted);
	test_run_finish();
	return total.value;
}
