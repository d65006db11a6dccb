/* SPDX-License-Identifier: MIT */
/*
 * Tests of the events of regions that are counted in parts, on a machine with two types of cores.
 * Expected values follow from the values that tests write into the segment.
 */
#include <criterion/criterion.h>

#include <math.h>

#include "expect.h"
#include "hybrid.h"

TestSuite(parts, .init = hybrid_start, .fini = hybrid_finish);

Test(parts, have_columns_behind_their_sum)
{
	static const struct {
		const char *name;
		bool is_part;
	} expected[N_COLUMNS] = {{"time", false}, {"cpu-time", false}, {"blocked", false},
		{"preempted", false}, {"instructions", false}, {"cpu_core/instructions/", true},
		{"cpu_atom/instructions/", true}, {"cycles", false}, {"cpu_core/cycles/", true},
		{"cpu_atom/cycles/", true}, {"cpu_core/r1/", false}};
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	cr_assert_eq(summary.n_columns, N_COLUMNS);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		cr_expect_str_eq(summary.columns[i].name, expected[i].name);
		cr_expect_eq(summary.columns[i].is_part, expected[i].is_part);
	}
}

static void expect_all_on(size_t group, size_t part, size_t other)
{
	hybrid_record(group, 100, 40, 80);
	hybrid_record(group, 100, 60, 120);
	hybrid_summarize();
	EXPECT(hybrid_value(CYCLES),
		"status=ok counted=2 total=100 self_total=100 running=1 avg=50 stddev=10");
	EXPECT(hybrid_value(part), "status=ok total=100 running=1");
	EXPECT(hybrid_value(other), "status=not-counted total=- avg=-");
	cr_expect_eq(hybrid_metric(INSTRUCTIONS, "IPC"), 2);
	cr_expect_eq(hybrid_metric(CYCLES, "frequency"), 0.5);
	cr_expect_eq(summary.regions[0].slowest[CYCLES].total, 40);
	cr_expect_eq(summary.regions[0].slowest[part].total, 40);
	cr_expect_not(rs_value_has_total(&summary.regions[0].slowest[other]));
	cr_expect_not(hybrid_finds(RS_WARNING, ""));
}

Test(parts, thread_all_on_one_type)
{
	expect_all_on(CORE, CYCLES_CORE, CYCLES_ATOM);
}

Test(parts, thread_all_on_the_other)
{
	expect_all_on(ATOM, CYCLES_ATOM, CYCLES_CORE);
}

/* Calls on both types of cores: 10 and 20 cycles on one, 50, 60 and 120 on the other. */
Test(parts, distributions_add)
{
	hybrid_record(CORE, 100, 10, 40);
	hybrid_record(ATOM, 300, 60, 60);
	hybrid_record(CORE, 100, 20, 50);
	hybrid_record(ATOM, 300, 120, 120);
	hybrid_record(ATOM, 200, 50, 50);
	hybrid_summarize();
	const struct rs_value *cycles = hybrid_value(CYCLES);
	EXPECT(cycles, "status=ok counted=5 total=260 avg=52 min=10 max=120");
	/* the values of rank 3, 5 and 5 of 10, 20, 50, 60, 120 */
	EXPECT(cycles, "p50=50 p90=120 p99=120");
	/* squares: 100 + 400 + 2500 + 3600 + 14400 = 21000; 21000 / 5 - 52^2 = 1496 */
	EXPECT(cycles, "stddev=38.67815921 running=1");
	cr_expect_eq(hybrid_metric(INSTRUCTIONS, "IPC"), 320.0 / 260);

	/* one type ran 200 of 1000 ns */
	EXPECT(hybrid_value(CYCLES_CORE), "counted=2 total=30 max=20 running=0.2 status=ok");
	EXPECT(hybrid_value(CYCLES_ATOM), "counted=3 total=230 running=0.8");
	cr_expect_eq(hybrid_metric(INSTRUCTIONS_CORE, "IPC"), 3);
	cr_expect_eq(hybrid_metric(INSTRUCTIONS_ATOM, "IPC"), 1);
	cr_expect(isnan(hybrid_metric(CYCLES_CORE, "frequency")));
	/* the first of the two longest calls */
	cr_expect_eq(summary.regions[0].slowest[CYCLES].total, 60);
	cr_expect_eq(summary.regions[0].slowest[INSTRUCTIONS].total, 60);
	cr_expect_not(rs_value_has_total(&summary.regions[0].slowest[CYCLES_CORE]));
}

/* A call that moved from one type of core to the other is exact in the total, and is in no other
 * statistic. */
Test(parts, migrating_call)
{
	uint64_t deltas[1 + N_REGION_EVENTS] = {100};
	struct builder_call call = {.deltas = deltas, .not_counted = 7};
	hybrid_record(CORE, 50, 10, 30);
	deltas[1 + CORE_CYCLES] = 7;
	deltas[1 + ATOM_CYCLES] = 5;
	deltas[1 + CORE_INSTRUCTIONS] = 20;
	deltas[1 + ATOM_INSTRUCTIONS] = 4;
	builder_record(&builder, accumulator, &call);
	hybrid_set_times(CORE, 60, 60);
	hybrid_set_times(ATOM, 40, 40);
	hybrid_summarize();
	EXPECT(hybrid_value(CYCLES), "status=ok total=22 counted=1 max=10 running=1");
	cr_expect_eq(hybrid_value(CYCLES_CORE)->total, 17);
	EXPECT(hybrid_value(CYCLES_ATOM), "total=5 status=ok avg=-");
	cr_expect_eq(hybrid_metric(INSTRUCTIONS, "IPC"), 54.0 / 22);
	cr_expect(isnan(hybrid_metric(CYCLES, "frequency")));
	cr_expect_not(rs_value_has_total(&summary.regions[0].slowest[CYCLES]));
}

/* Both parts are multiplexed. Of 100 ns enabled, one ran for 30 ns and the other for 40 ns. */
Test(parts, totals_are_scaled)
{
	hybrid_record(CORE, 0, 210, 0);
	hybrid_record(ATOM, 0, 490, 0);
	hybrid_set_times(CORE, 100, 30);
	hybrid_set_times(ATOM, 100, 40);
	hybrid_summarize();
	EXPECT(hybrid_value(CYCLES),
		"status=scaled total=1000 self_total=1000 running=0.7 counted=2");
	EXPECT(hybrid_value(CYCLES_CORE), "total=300 running=0.3");
	EXPECT(hybrid_value(CYCLES_ATOM), "total=700 status=scaled");
}

/* Only one part is multiplexed: it ran for half of the 50 ns during which the other one did not. */
Test(parts, only_the_multiplexed_part_is_scaled)
{
	hybrid_record(CORE, 0, 500, 0);
	hybrid_record(ATOM, 0, 100, 0);
	hybrid_set_times(CORE, 50, 50);
	hybrid_set_times(ATOM, 100, 25);
	hybrid_summarize();
	EXPECT(hybrid_value(CYCLES), "status=scaled total=700 running=0.75");
	EXPECT(hybrid_value(CYCLES_CORE), "status=ok total=500");
	cr_expect_eq(hybrid_value(CYCLES_ATOM)->total, 200);
}

/* One part never ran, so the other part has the count of the whole event. */
Test(parts, one_never_ran)
{
	hybrid_record(CORE, 0, 500, 0);
	hybrid_set_times(CORE, 50, 50);
	hybrid_set_times(ATOM, 100, 0);
	hybrid_summarize();
	EXPECT(hybrid_value(CYCLES), "total=1000 running=0.5 status=scaled");
	cr_expect_eq(hybrid_value(CYCLES_CORE)->total, 1000);
	cr_expect_not(rs_value_has_total(hybrid_value(CYCLES_ATOM)));
}

/* cpu_atom does not have the event: its value is the count of cpu_core, and a message says so. */
Test(parts, one_type_does_not_have_it)
{
	hybrid_set_event(CORE_ALONE, "loads", "cpu_core/loads/", 4);
	hybrid_set_event(ATOM_LOADS, "loads", "cpu_atom/loads/", 4);
	events[ATOM_LOADS].status = RS_EVENT_NOT_SUPPORTED;
	plan.n_events = N_EVENTS;
	uint64_t deltas[1 + N_REGION_EVENTS] = {[0] = 100, [1 + CORE_ALONE] = 9};
	struct builder_call call = {.deltas = deltas, .not_counted = 3};
	builder_record(&builder, accumulator, &call);
	hybrid_set_times(APART, 100, 100);
	hybrid_summarize();
	cr_assert_eq(summary.n_columns, N_COLUMNS + 2);
	cr_expect_str_eq(summary.columns[ALONE].name, "loads");
	EXPECT(hybrid_value(ALONE), "status=ok total=9");
	cr_expect_eq(hybrid_value(ALONE + 1)->total, 9);
	cr_expect_str_eq(summary.columns[ALONE + 2].name, "cpu_atom/loads/");
	cr_expect_eq(hybrid_value(ALONE + 2)->status, RS_VALUE_NOT_SUPPORTED);
	cr_expect_eq(summary.total.values[ALONE + 2].status, RS_VALUE_NOT_SUPPORTED);
	cr_expect(hybrid_finds(
		RS_NOTE, "'loads' is counted only by cpu_core, and not on cores of cpu_atom"));
}

/* One of 40 calls was on one type of core, and the others on the other type: no warning. */
Test(parts, few_calls_on_one_type_are_no_warning)
{
	for (int i = 0; i < 40; i++)
		hybrid_record(i == 0 ? CORE : ATOM, 100, 1, 1);
	hybrid_summarize();
	cr_expect_not(hybrid_finds(RS_WARNING, ""));
}

/* One of 40 calls was counted by any part: one warning for both parts. */
Test(parts, few_calls_counted_at_all)
{
	for (int i = 0; i < 40; i++)
		hybrid_record(i == 0 ? CORE : i == 1 ? ATOM : N_GROUPS, 100, 1, 1);
	hybrid_summarize();
	cr_expect(hybrid_finds(RS_WARNING, "'cycles' and its group were counted all the time in"));
	cr_expect(hybrid_finds(RS_WARNING, "one type of core to another"));
}
