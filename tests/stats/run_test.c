/* SPDX-License-Identifier: MIT */
/* Tests of the whole run: totals, metrics, and how it ended. */
#include <criterion/criterion.h>

#include <signal.h>
#include <string.h>

#include "expect.h"
#include "fixture.h"

TestSuite(run, .init = fixture_start, .fini = fixture_finish);

/* Turn page-faults of the plan into task-clock, so that regions count it. */
static void count_task_clock(void)
{
	plan.events[PLAN_EXAMPLE_FAULTS].name = (char *)"task-clock";
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_TASK_CLOCK;
}

/* 1000 instructions in 500 cycles. 500 cycles in 50 ns on a CPU, of 100 ns in total, are 10 GHz. */
Test(run, metrics_of_a_region)
{
	struct builder_call call = CALL(200, 1000, 500, 50);
	count_task_clock();
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	accumulator->flags = RS_ACCUMULATOR_UNWATCHED; /* only task-clock knows the CPU time */
	builder_record(&builder, accumulator, &call);
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]),
		"IPC 2 ratio of instructions, frequency 10 GHz of cycles");
}

/* A call of 100 ns without a context switch has 500 cycles. */
Test(run, frequency_by_on_cpu_time)
{
	record(add_accumulator("render", 70, 71), 200, 1);
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]),
		"IPC 2 ratio of instructions, frequency 5 GHz of cycles");
}

Test(run, no_frequency_without_the_cpu_time)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	accumulator->flags = RS_ACCUMULATOR_UNWATCHED;
	record(accumulator, 200, 1);
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]), "IPC 2 ratio of instructions");
}

/* The event was on the PMU for half of a call. The CPU time of that half is unknown, so no
 * frequency can be computed. The same holds if the event is task-clock. */
Test(run, no_frequency_of_part_of_the_cpu_time)
{
	struct builder_call call = CALL(200, 1000, 500, 50);
	count_task_clock();
	call.running_ns = 50;
	call.not_counted = 1;
	struct rs_accumulator *cycles = add_accumulator("cycles", 70, 71),
			      *clock = add_accumulator("clock", 80, 81);
	cycles->flags = clock->flags = RS_ACCUMULATOR_UNWATCHED;
	builder_record(&builder, cycles, &call);
	call.not_counted = 2;
	builder_record(&builder, clock, &call);
	summarize();
	for (size_t r = 0; r < 2; r++)
		cr_expect_str_eq(show_metrics(&summary.regions[r]), "IPC 2 ratio of instructions");
}

Test(run, no_metric_of_different_modifiers)
{
	plan.events[PLAN_EXAMPLE_CYCLES].attr.exclude_kernel = 1;
	record(add_accumulator("render", 70, 71), 200, 1);
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]), "");
}

Test(run, no_metric_of_different_groups)
{
	plan.events[PLAN_EXAMPLE_CYCLES].group = 5;
	record(add_accumulator("render", 70, 71), 200, 1);
	summarize();
	cr_expect_str_eq(show_metrics(&summary.regions[0]), "frequency 5 GHz of cycles");
}

Test(run, totals_of_the_run)
{
	totals[PLAN_EXAMPLE_INSTRUCTIONS] = (struct rs_total){true, 9000, 100, 50};
	totals[PLAN_EXAMPLE_CYCLES] = (struct rs_total){true, 6000, 100, 50};
	totals[PLAN_EXAMPLE_TASK_CLOCK] = (struct rs_total){true, 4000, 100, 100};
	totals[PLAN_EXAMPLE_FAULTS] = (struct rs_total){true, 0, 100, 0};
	outcome.usage.ru_utime = (struct timeval){1, 500000};
	summarize();
	cr_assert_eq(summary.elapsed_ns, 1000000);
	cr_assert_eq(summary.user_ns, 1500000000);
	cr_assert_eq(summary.total.values[COLUMN_TIME].total, 1000000);
	EXPECT(&summary.total.values[COLUMN_TASK_CLOCK], "total=4000 status=ok");
	EXPECT(&summary.total.values[COLUMN_CYCLES], "total=12000 status=scaled running=0.5");
	cr_assert_eq(summary.total.values[COLUMN_INSTRUCTIONS].total, 18000);
	cr_assert_eq(summary.total.values[COLUMN_BRANCHES].status, RS_VALUE_NOT_SUPPORTED);
	EXPECT(&summary.total.values[COLUMN_FAULTS], "status=not-counted total=-");
	cr_expect_str_eq(show_metrics(&summary.total),
		"IPC 1.5 ratio of instructions, frequency 3 GHz of cycles");
}

Test(run, killed)
{
	outcome.wait_status = SIGKILL;
	add_accumulator("render", 70, 71)->open = 1;
	summarize();
	cr_assert_eq(summary.exit_status, 137);
	cr_assert_eq(summary.term_signal, SIGKILL);
	cr_assert(is_warned("signal 9, SIGKILL"));
	cr_assert(is_noted("still open"));
	cr_assert_eq(count_findings(RS_WARNING), 1);
}

Test(run, results_that_could_not_be_read)
{
	summarize_totals_only();
	cr_assert_eq(summary.n_regions, 0);
	cr_assert_eq(summary.elapsed_ns, 1000000);
	cr_assert_eq(count_findings(RS_WARNING), 0);
}

/* The run takes 1 ms, so 50 us are 5 %. */
Test(run, steal_time_is_reported)
{
	outcome.steal_ns = 50000;
	summarize();
	cr_expect(
		is_noted("a hypervisor took 50.0 us of CPU time from this machine during the run"));
	cr_assert_eq(find_finding("steal")->severity, RS_NOTE);
	cr_expect_str_eq(find_finding("steal")->code, "steal");
	cr_expect_eq(find_finding("steal")->number, 50000);
	outcome.steal_ns = 49999;
	summarize();
	cr_expect_not(is_noted("hypervisor"));
	cr_expect(is_detailed("a hypervisor took 50.0 us"));
	outcome.steal_ns = 0;
	summarize();
	cr_expect_not(is_detailed("hypervisor"));
}
