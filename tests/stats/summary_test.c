/* SPDX-License-Identifier: MIT */
/* Tests of the values of a region: from calls with known values through a segment to the numbers of
 * reports. */
#include <criterion/criterion.h>

#include "expect.h"
#include "fixture.h"

TestSuite(summary, .init = fixture_start, .fini = fixture_finish);

Test(summary, columns_follow_the_user)
{
	static const char *const names[] = {"time", "cpu-time", "blocked", "preempted",
		"task-clock", "cycles", "instructions", "branches", "page-faults"};
	summarize();
	cr_assert_eq(summary.n_columns, N_COLUMNS);
	for (size_t i = 0; i < N_COLUMNS; i++)
		cr_assert_str_eq(summary.columns[i].name, names[i]);
	cr_assert_str_eq(summary.columns[0].unit, "ns");
	cr_assert_str_eq(summary.columns[COLUMN_TASK_CLOCK].unit, "ns");
	cr_assert_not(summary.columns[COLUMN_TASK_CLOCK].in_regions);
	cr_assert(summary.columns[COLUMN_CYCLES].in_regions);
}

/* Times 200, 400, 600 ticks are 100, 200, 300 ns; instructions 1000, 2000, 3000. */
Test(summary, one_region)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	for (uint64_t i = 1; i <= 3; i++)
		record(accumulator, 200 * i, i);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_str_eq(region->name, "render");
	cr_assert_eq(region->calls, 3);
	cr_assert_eq(region->n_threads, 1);
	cr_assert_null(region->process);
	cr_assert_null(region->thread);

	const struct rs_value *time = &region->values[COLUMN_TIME];
	/* the deviation is sqrt(20000 / 3) */
	EXPECT(time, "status=ok counted=3 total=600 self_total=600 avg=200 min=100 max=300 "
		     "stddev=81.64965809 running=1");

	const struct rs_value *instructions = &region->values[COLUMN_INSTRUCTIONS];
	EXPECT(instructions, "status=ok total=6000 avg=2000 min=1000 max=3000");
	EXPECT(&region->values[COLUMN_FAULTS], "total=42 avg=14");

	EXPECT(&region->values[COLUMN_BRANCHES], "status=not-supported total=- avg=-");
}

Test(summary, not_permitted_differs_from_not_supported)
{
	plan.events[PLAN_EXAMPLE_BRANCHES].status = RS_EVENT_NOT_PERMITTED;
	record(add_accumulator("render", 70, 71), 200, 1);
	summarize();
	const struct rs_value *branches = &summary.regions[0].values[COLUMN_BRANCHES];
	EXPECT(branches, "status=not-permitted total=- avg=-");
	cr_assert_eq(summary.regions[0].slowest[COLUMN_BRANCHES].status, RS_VALUE_NOT_PERMITTED);
	cr_assert_eq(summary.total.values[COLUMN_BRANCHES].status, RS_VALUE_NOT_PERMITTED);
}

Test(summary, slowest_call_keeps_its_row)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	record(accumulator, 200, 1);
	record(accumulator, 900, 5);
	record(accumulator, 300, 9);
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->slowest_start_ns, (3000 - 1000) / 2);
	cr_assert_eq(region->slowest_pid, 70);
	cr_assert_eq(region->slowest_tid, 71);
	cr_assert_eq(region->slowest[COLUMN_TIME].total, 450);
	cr_assert_eq(region->slowest[COLUMN_INSTRUCTIONS].total, 5000);
	cr_assert_not(rs_value_has_total(&region->slowest[COLUMN_TASK_CLOCK]));
}

/* The event was counted for 30 of 40 ns, so 1000 become 1333. One of 3 calls was not counted whole,
 * and is only in the total. */
Test(summary, totals_are_scaled)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	uint64_t deltas[] = {100, 300, 200, 7};
	struct builder_call call = call_of(deltas);
	call.enabled_ns = call.running_ns = 10;
	builder_record(&builder, accumulator, &call);
	builder_record(&builder, accumulator, &call);
	deltas[1] = 400;
	call.enabled_ns = 20;
	call.not_counted = 1;
	builder_record(&builder, accumulator, &call);
	summarize();
	const struct rs_value *instructions = &summary.regions[0].values[COLUMN_INSTRUCTIONS];
	EXPECT(instructions,
		"status=scaled total=1333 self_total=1333 counted=2 avg=300 max=300 running=0.75");
	cr_assert(is_noted("scaled"));
}

Test(summary, never_on_the_pmu)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(100, 0, 0, 7);
	call.running_ns = 0;
	call.not_counted = 3;
	builder_record(&builder, accumulator, &call);
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_INSTRUCTIONS], "status=not-counted total=- avg=-");
	cr_assert_eq(summary.regions[0].n_metrics, 0);
}

Test(summary, no_call_counted_whole)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(100, 50, 20, 7);
	call.running_ns = 25;
	call.not_counted = 1;
	for (int i = 0; i < 20; i++)
		builder_record(&builder, accumulator, &call);
	summarize();
	const struct rs_value *value = &summary.regions[0].values[COLUMN_INSTRUCTIONS];
	EXPECT(value, "status=scaled total=4000 running=0.25 avg=-");
	cr_assert_eq(count_findings(RS_WARNING), 1);
	cr_assert(is_warned("'instructions' and its group were counted all the time in no "
			    "call, and have only totals: 'render'; "));
	cr_assert(is_warned("spans"));
	cr_assert_null(find_finding("scaled"));
}

/* The counts of an event are in memory that was never written. The sums are still there. */
Test(summary, no_histogram)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	record(accumulator, 200, 1);
	record(accumulator, 200, 1);
	accumulator->flags = RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE;
	builder_blocks(&builder, accumulator)[1] = RS_SEGMENT_BYTES - sizeof(struct rs_block);
	summarize();
	const struct rs_value *values = summary.regions[0].values;
	EXPECT(&values[COLUMN_TIME], "avg=100 p50=100");
	EXPECT(&values[COLUMN_INSTRUCTIONS], "avg=1000 p50=-");
	cr_assert(is_warned("percentiles do not include all calls"));
}

/* One of four calls was measured: the total is four times its time, and the distribution has only
 * this call. */
Test(summary, sampled_calls)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	record(accumulator, 200, 1);
	accumulator->skipped = 3;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 4);
	EXPECT(&region->values[COLUMN_TIME],
		"counted=1 total=400 self_total=400 status=scaled avg=100");
	EXPECT(&region->values[COLUMN_INSTRUCTIONS], "total=4000 status=scaled");
	cr_assert_eq(region->n_metrics, 2);
	cr_assert_eq(region->metrics[0].value, 2);
	cr_assert_eq(region->metrics[1].value, 5);
	cr_assert(is_detailed("calls were sampled, 1 of 4 measured"));
}

/*
 * Calls of 90, 300 and 54 ns represent 1, 3 and 5 calls. These 9 calls take 1,260 ns, 140 on
 * average, and more than half of them take 54. There were 8 calls, so the total is 1,120 ns.
 * Instructions of the last call were not counted: 90 and 3 * 300 of 4 calls are counted, and 5 * 54
 * more are in the total.
 */
Test(summary, weights)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	static const uint64_t ns[] = {90, 300, 54}, weights[] = {1, 3, 5};
	for (size_t i = 0; i < 3; i++) {
		struct builder_call call = CALL(2 * ns[i], ns[i], 10, 1);
		call.weight = weights[i];
		call.children = ns[i];
		call.not_counted = i == 2;
		builder_record(&builder, accumulator, &call);
	}
	accumulator->skipped = 5;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	const struct rs_value *time = &region->values[COLUMN_TIME];
	cr_expect_eq(region->calls, 8);
	EXPECT(time, "status=scaled counted=3 total=1120 self_total=560 avg=140");
	/* squares: 1 * 8,100 + 3 * 90,000 + 5 * 2,916 = 292,680; 32,520 - 140^2 = 12,920 */
	EXPECT(time, "stddev=113.6661779 min=54 p50=54 p90=300 max=300");

	const struct rs_value *instructions = &region->values[COLUMN_INSTRUCTIONS];
	EXPECT(instructions, "counted=2 avg=247.5 p50=300 total=1120 self_total=0");
	EXPECT(&region->values[COLUMN_FAULTS], "counted=3 total=8");
}

/* All calls were measured, but their weights are not 1: 2 calls represent 4. */
Test(summary, weights_of_more_calls_than_there_were)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(200, 0, 0, 0);
	builder_record(&builder, accumulator, &call);
	call.weight = 3;
	builder_record(&builder, accumulator, &call);
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_TIME], "total=200 status=scaled");
}

/* Calls of both threads: 9 ns once, 27 ns for 3 calls and for 5 calls, and one skipped call. The
 * first thread had 3 calls, represented as 4, with 90 ns; the second one has 27 ns. */
Test(summary, weights_of_several_threads)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	uint64_t deltas[] = {18, 0, 0, 0};
	struct builder_call call = call_of(deltas);
	builder_record(&builder, accumulator, &call);
	deltas[0] = 54;
	call.weight = 3;
	builder_record(&builder, accumulator, &call);
	accumulator->skipped = 1;
	accumulator = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 10000), accumulator->region);
	call.weight = 5;
	builder_record(&builder, accumulator, &call);
	summarize();
	const struct rs_value *time = &summary.regions[0].values[COLUMN_TIME];
	cr_expect_eq(summary.n_regions, 1);
	cr_expect_eq(summary.regions[0].calls, 4);
	EXPECT(time, "total=95 avg=23.75"); /* 67.5 + 27, in whole ns */
	/* the total of a recursive region is not the sum of its calls: 225 ns for 9 */
	rs_summary_finish(&summary);
	accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 1;
	summarize();
	cr_expect_eq(rs_value_average(&summary.regions[0].values[COLUMN_TIME]), 25);
}

/* 64 calls of 100 ns represent 101 calls each, and one takes 1 ms. It is nearly all of the total,
 * and another such call may have been skipped. */
Test(summary, a_rare_long_call_of_a_sampled_region)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	builder_slot_at(&builder, 0)->lifetime_ticks = 1000000000;
	uint64_t deltas[] = {200, 0, 0, 0};
	struct builder_call call = call_of(deltas);
	call.weight = 101;
	for (int i = 0; i < 64; i++)
		builder_record(&builder, accumulator, &call);
	accumulator->skipped = 64 * 100;
	summarize();
	cr_expect_not(is_noted("a few long calls"));
	cr_expect(rs_value_has_error(&summary.regions[0].values[COLUMN_TIME]));
	deltas[0] = 2000000;
	builder_record(&builder, accumulator, &call);
	accumulator->skipped = 65 * 100;
	summarize();
	cr_expect(
		is_noted("a few long calls make up much of the total, and sampling may have missed "
			 "others: render \xc2\xb1"));
}

Test(summary, no_call_sampled)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	accumulator->skipped = 3;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_assert_eq(region->calls, 3);
	EXPECT(&region->values[COLUMN_TIME], "total=- avg=-");
	cr_assert_null(region->slowest);
}

/* If the group cannot have left the PMU during a call, ticks replace the kernel's times. 400 ticks
 * are 200 ns. Another call was counted for 100 of 200 ns. */
Test(summary, stable_ticks_are_both_enabled_and_running)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(400, 300, 200, 7);
	call.enabled_ns = 200;
	builder_record(&builder, accumulator, &call);
	builder_groups(&builder, accumulator)[0].unstable_ticks -= 400;
	builder_groups(&builder, accumulator)[0].answered_ticks -= 400;
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_INSTRUCTIONS], "running=0.75 total=400");
}

/* A thread without the group took 600 ns, all on the CPU, since it had no context switch. So the
 * event missed 600 ns of task time. In other calls it counted during 200 of 200 ns. */
Test(summary, threads_without_a_group_are_scaled_by_their_time)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(800, 200, 200, 7);
	call.enabled_ns = call.running_ns = 200;
	builder_record(&builder, accumulator, &call);
	accumulator = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 10000), accumulator->region);
	call = CALL(1200, 0, 0, 0);
	call.enabled_ns = call.running_ns = 0;
	call.not_counted = UINT32_MAX;
	builder_record(&builder, accumulator, &call);
	builder_groups(&builder, accumulator)[0].answered_ticks -= 1200;
	builder_groups(&builder, accumulator)[0].missed_ticks += 1200;
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_INSTRUCTIONS],
		"status=scaled running=0.25 total=800");
}

/* The kernel's clock may not move between two reads of a counter. The count is valid all the
 * same. */
Test(summary, calls_shorter_than_the_kernels_clock)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct builder_call call = CALL(100, 50, 20, 7);
	call.enabled_ns = call.running_ns = 0;
	builder_record(&builder, accumulator, &call);
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_INSTRUCTIONS], "status=ok total=50 running=1");
}

/* A call of 400 ticks contains one of 250 ticks, which contains one of 100 ticks of the same
 * region. Another region takes 40 ticks in the innermost one. The distribution has all three calls.
 * The total is 200 ns, of which 20 ns belong to the other region. */
Test(summary, recursion)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	static const uint64_t ticks[] = {100, 250, 400}, inner[] = {0, 100, 250};
	for (size_t i = 0; i < 3; i++) {
		struct builder_call call = CALL(ticks[i], ticks[i], ticks[i], ticks[i]);
		call.inner = inner[i];
		call.children = i == 0 ? 40 : inner[i];
		builder_record(&builder, accumulator, &call);
	}
	accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 2;
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	cr_expect_eq(region->calls, 3);
	EXPECT(&region->values[COLUMN_TIME],
		"counted=3 total=200 self_total=180 avg=125 min=50 max=200");
	EXPECT(&region->values[COLUMN_INSTRUCTIONS], "total=400 self_total=360");
	cr_expect_eq(count_findings(RS_WARNING), 0);
	cr_expect(is_detailed("2 calls of regions that were already open"));
}

/* Overhead is an estimate, so children may seem to use more than their parent. Calls may also seem
 * to use less than nothing, if calls of the same region are nested in them. */
Test(summary, self_is_between_0_and_the_total)
{
	struct rs_accumulator *below = add_accumulator("below", 70, 71),
			      *above = add_accumulator("above", 80, 81);
	struct builder_call call = CALL(200, 1000, 500, 7);
	call.children = 10000;
	builder_record(&builder, below, &call);
	call.children = 0;
	call.inner = 100;
	builder_record(&builder, above, &call);
	summarize();
	for (size_t c = 0; c < N_COLUMNS; c++)
		cr_expect_eq(rs_value_self(&summary.regions[0].values[c]), 0);
	cr_expect_eq(summary.regions[0].values[COLUMN_TIME].total, 100);
	EXPECT(&summary.regions[1].values[COLUMN_TIME], "total=50 self_total=50");
	EXPECT(&summary.regions[1].values[COLUMN_INSTRUCTIONS], "total=900 self_total=900");
	/* 7 - 100 */
	EXPECT(&summary.regions[1].values[COLUMN_FAULTS], "total=0 self_total=0");
}

/* Record calls of 100 and 300 ns. A CPU clock that was read later gives 130 and 260 ns, but no call
 * can have more than 100 and 300. */
static void record_clocks(void)
{
	static const uint64_t deltas[][4] = {{200, 1, 1, 130}, {600, 1, 1, 260}};
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	for (size_t i = 0; i < 2; i++) {
		struct builder_call call = call_of(deltas[i]);
		builder_record(&builder, accumulator, &call);
	}
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_TASK_CLOCK;
}

Test(summary, task_clock_is_at_most_the_time)
{
	record_clocks();
	summarize();
	EXPECT(&summary.regions[0].values[COLUMN_FAULTS],
		"total=390 avg=195 min=100 p50=100 max=260 stddev=65");
}

Test(summary, task_clock_of_one_call_is_at_most_its_time)
{
	const struct builder_call call = CALL(200, 1, 1, 130);
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	builder_record(&builder, add_accumulator("render", 70, 71), &call);
	summarize();
	const struct rs_summary_region *region = &summary.regions[0];
	const struct rs_value *clock = &region->values[COLUMN_FAULTS];
	EXPECT(clock, "total=100 self_total=100 avg=100 p99=100 max=100 stddev=0");
	cr_expect_eq(region->slowest[COLUMN_FAULTS].total, 100);
}

/* Other events have no such limit. */
Test(summary, events_may_be_more_than_the_time)
{
	record_clocks();
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	summarize();
	cr_expect_eq(summary.regions[0].values[COLUMN_FAULTS].min, 130);
}
