/* SPDX-License-Identifier: MIT */
/*
 * A plan for the tests of later modules, in another order than the user's. Instructions and cycles
 * are in one group of regions, page-faults in another one. task-clock is counted for the run only,
 * and branches are not supported.
 */
#ifndef RS_TEST_STATS_PLAN_EXAMPLE_H
#define RS_TEST_STATS_PLAN_EXAMPLE_H

#include "plan/plan.h"

enum {
	PLAN_EXAMPLE_INSTRUCTIONS,
	PLAN_EXAMPLE_CYCLES,
	PLAN_EXAMPLE_FAULTS,
	PLAN_EXAMPLE_TASK_CLOCK,
	PLAN_EXAMPLE_BRANCHES,
	PLAN_EXAMPLE_EVENTS,
};

struct plan_example {
	struct rs_plan plan;
	struct rs_event events[PLAN_EXAMPLE_EVENTS];
	struct rs_group groups[3];
};

/* Fill the example. It needs no release. */
static inline void plan_example_init(struct plan_example *example)
{
	static const struct rs_event events[PLAN_EXAMPLE_EVENTS] = {
		{.name = (char *)"instructions",
			.unit = "count",
			.position = 2,
			.counter = 1,
			.group = 0,
			.attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
			.in_regions = true,
			.in_totals = true},
		{.name = (char *)"cycles",
			.unit = "count",
			.position = 1,
			.counter = 2,
			.group = 0,
			.attr = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
			.in_regions = true,
			.in_totals = true},
		{.name = (char *)"page-faults",
			.unit = "count",
			.position = 4,
			.counter = 3,
			.group = 1,
			.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
			.in_regions = true,
			.in_totals = true},
		{.name = (char *)"task-clock",
			.unit = "ns",
			.position = 0,
			.group = 2,
			.attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
			.in_totals = true},
		{.name = (char *)"branches",
			.unit = "count",
			.position = 3,
			.group = -1,
			.attr = {.type = PERF_TYPE_HARDWARE,
				.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
			.status = RS_EVENT_NOT_SUPPORTED,
			.in_regions = true,
			.in_totals = true},
	};
	static const struct rs_group groups[3] = {
		{.first = 0, .n_events = 2, .in_regions = true},
		{.first = 2, .n_events = 1, .in_regions = true},
		{.first = 3, .n_events = 1},
	};
	*example = (struct plan_example){0};
	for (size_t i = 0; i < PLAN_EXAMPLE_EVENTS; i++)
		example->events[i] = events[i];
	for (size_t i = 0; i < PLAN_EXAMPLE_EVENTS; i++)
		example->events[i].generic = rs_names_find(events[i].name);
	for (size_t i = 0; i < 3; i++)
		example->groups[i] = groups[i];
	example->plan = (struct rs_plan){.events = example->events,
		.n_events = PLAN_EXAMPLE_EVENTS,
		.groups = example->groups,
		.n_groups = 3};
}

#endif
