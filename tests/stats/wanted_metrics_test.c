/* SPDX-License-Identifier: MIT */
/* Tests of metrics that the user asked for, over events that were counted together and over
 * others. */
#include <criterion/criterion.h>

#include "fixture.h"
#include "metrics/metrics.h"

static struct rs_metrics rules;
static struct rs_plan_metric wanted;

static void start(void)
{
	static const char file[] = "metrics:\n"
				   "  - {name: fpc, formula: page-faults / cycles}\n"
				   "  - {name: faults-per-us, formula: page-faults / cpu-time,"
				   " unit: per us}\n";
	struct rs_err err;
	fixture_start();
	cr_assert(rs_metrics_add_text(&rules, "file", file, &err), "%s", err.text);
	wanted = (struct rs_plan_metric){.rule = rules.rules[0],
		.positions = {plan.events[PLAN_EXAMPLE_FAULTS].position,
			plan.events[PLAN_EXAMPLE_CYCLES].position}};
	plan.plan.metrics = &wanted;
	plan.plan.n_metrics = 1;
}

static void finish(void)
{
	fixture_finish();
	rs_metrics_finish(&rules);
}

TestSuite(wanted_metrics, .init = start, .fini = finish);

/* Check the metrics of the first region and of the run. */
static void expect_metrics(const char *region, const char *total)
{
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]), region);
	cr_expect_str_eq(show_metrics(&summary.total), total);
}

/* Record a call during half of which group 1 was off the PMU. */
static void record_half(struct rs_accumulator *accumulator)
{
	struct builder_call call = CALL(200, 1000, 500, 7);
	call.not_counted = 1u << 1;
	call.running_ns = 50;
	builder_record(&builder, accumulator, &call);
}

Test(wanted_metrics, of_events_that_were_counted_all_the_time)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 30, 100, 100};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 1000, 100, 100};
	expect_metrics("IPC 2 ratio of instructions, frequency 5 GHz of cycles, fpc 0.014 ratio",
		"fpc 0.03 ratio");
	cr_assert_not(is_noted("has no value"));
}

Test(wanted_metrics, of_events_that_were_not_counted_together)
{
	record(add_accumulator("whole", 70, 71), 200, 1);
	record_half(add_accumulator("apart", 80, 81));
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 30, 100, 100};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 1000, 100, 100};
	expect_metrics("IPC 2 ratio of instructions, frequency 5 GHz of cycles, fpc 0.014 ratio",
		"fpc 0.03 ratio");
	cr_expect_str_eq(show_metrics(&summary.regions[1]),
		"IPC 2 ratio of instructions, fpc not-counted apart");
	cr_assert(is_noted(
		"'fpc' has no value of 'apart': its events were not counted together; count fewer "
		"events"));
	cr_assert_str_eq(find_finding("metric-apart")->region, "apart");
}

Test(wanted_metrics, of_a_run_whose_events_were_not_counted_together)
{
	record_half(add_accumulator("apart", 80, 81));
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 30, 100, 40};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 1000, 100, 60};
	expect_metrics(
		"IPC 2 ratio of instructions, fpc not-counted apart", "fpc not-counted apart");
	cr_assert(is_noted("'fpc' has no value of 'apart' and of the whole run: its events"));
}

/* Neither 7 faults in 0 cycles nor 0 faults in 0 cycles have a rate. */
Test(wanted_metrics, that_divide_by_0)
{
	const struct builder_call call = CALL(200, 1000, 0, 7);
	builder_record(&builder, add_accumulator("render", 70, 71), &call);
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 0, 100, 100};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 0, 100, 100};
	expect_metrics("frequency 0 GHz of cycles, fpc undefined", "fpc undefined");
	cr_assert_not(is_noted("has no value"));
}

/* 7 faults in 2 * 100 ns, whose on-CPU part is unknown; and in 70 ns of the run. */
Test(wanted_metrics, of_cpu_time)
{
	wanted.rule = rules.rules[1];
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 7, 100, 100};
	totals[PLAN_EXAMPLE_TASK_CLOCK] = (struct rs_total){true, 70, 100, 100};
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	accumulator->flags = RS_ACCUMULATOR_UNWATCHED;
	record(accumulator, 200, 1);
	expect_metrics("IPC 2 ratio of instructions, faults-per-us not-counted",
		"faults-per-us 0.1 per us");
	cr_assert(is_noted(
		"'faults-per-us' has no value of 'render': the CPU time in which its events "
		"were counted is unknown; count task-clock as well, with -e"));
}

/* Multiplexed groups that ran for equal times did not run at the same time. */
Test(wanted_metrics, of_multiplexed_groups)
{
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 30, 100, 50};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 1000, 100, 50};
	record(add_accumulator("render", 70, 71), 200, 1);
	expect_metrics("IPC 2 ratio of instructions, frequency 5 GHz of cycles, fpc 0.014 ratio",
		"fpc not-counted apart");
	cr_assert(is_noted("'fpc' has no value of the whole run: its events"));
}
