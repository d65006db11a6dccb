/* SPDX-License-Identifier: MIT */
/*
 * Tests of events that are counted in parts, of regions and of the run, on a machine with two types
 * of cores. The segment has one region, `render`, for tests to fill. Groups are pinned; 1 tick is 1
 * ns. Expected values follow from the values that tests write into the segment.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "expect.h"
#include "fixture.h"
#include "stats/value.h"

/* Events of the plan, in the order of their groups. Regions count all but the last two. */
enum {
	CORE_CYCLES,
	CORE_INSTRUCTIONS,
	ATOM_CYCLES,
	ATOM_INSTRUCTIONS,
	CORE_ALONE,
	ATOM_LOADS, /* not supported: only cpu_core counts loads */
	N_EVENTS,
};
#define N_REGION_EVENTS 5u

/* Columns: the user wrote instructions,cycles,cpu_core/r1/ and in some tests loads. */
enum {
	TIME,
	INSTRUCTIONS = RS_EVENT_FIRST,
	INSTRUCTIONS_CORE,
	INSTRUCTIONS_ATOM,
	CYCLES,
	CYCLES_CORE,
	CYCLES_ATOM,
	ALONE,
	N_PLAN_COLUMNS,
};

enum { CORE, ATOM, APART, N_GROUPS };

static const uint32_t event_group[N_REGION_EVENTS] = {CORE, CORE, ATOM, ATOM, APART};

static struct rs_event events[N_EVENTS];
static struct rs_group groups[N_GROUPS];
static struct rs_accumulator *accumulator;

/* Set an event of the plan. part_name: NULL if it is not a part. */
static void set_event(size_t index, const char *name, const char *part_name, size_t position)
{
	bool is_atom = index == ATOM_CYCLES || index == ATOM_INSTRUCTIONS || index == ATOM_LOADS;
	events[index] = (struct rs_event){.name = (char *)name,
		.part_name = (char *)part_name,
		.core_pmu = is_atom ? 2 : 1,
		.generic = rs_names_find(name),
		.unit = "count",
		.group = index < N_REGION_EVENTS ? (int)event_group[index] : -1,
		.in_regions = true,
		.in_totals = true,
		.position = position,
		.counter = index < N_REGION_EVENTS ? 1 + (uint32_t)index : 0};
}

static void start(void)
{
	fixture_start_segment(N_REGION_EVENTS, event_group, 1000000);
	set_event(CORE_CYCLES, "cycles", "cpu_core/cycles/", 2);
	set_event(CORE_INSTRUCTIONS, "instructions", "cpu_core/instructions/", 0);
	set_event(ATOM_CYCLES, "cycles", "cpu_atom/cycles/", 2);
	set_event(ATOM_INSTRUCTIONS, "instructions", "cpu_atom/instructions/", 0);
	set_event(CORE_ALONE, "cpu_core/r1/", NULL, 4);
	set_event(ATOM_LOADS, "loads", "cpu_atom/loads/", 5);
	for (size_t g = 0; g < N_GROUPS; g++)
		groups[g].in_regions = true;
	plan.plan = (struct rs_plan){.events = events,
		.n_events = N_REGION_EVENTS,
		.groups = groups,
		.n_groups = N_GROUPS,
		.core_pmus.n = 2};
	strcpy(plan.plan.core_pmus.items[0].name, "cpu_core");
	strcpy(plan.plan.core_pmus.items[1].name, "cpu_atom");
	accumulator = add_accumulator("render", 70, 71);
}

/* Record a call that one group counted whole. N_GROUPS: no group counted it. The event was enabled
 * as long as it ran. */
static void record_on(size_t group, uint64_t ns, uint64_t cycles, uint64_t instructions)
{
	uint64_t deltas[1 + N_REGION_EVENTS] = {ns};
	struct builder_call call = {.deltas = deltas, .pid = 70, .tid = 71};
	if (group == CORE) {
		deltas[1 + CORE_CYCLES] = cycles;
		deltas[1 + CORE_INSTRUCTIONS] = instructions;
	} else {
		deltas[1 + ATOM_CYCLES] = cycles;
		deltas[1 + ATOM_INSTRUCTIONS] = instructions;
	}
	call.not_counted = 7u & ~(1u << group);
	builder_record(&builder, accumulator, &call);
	if (group < N_GROUPS) {
		builder_groups(&builder, accumulator)[group].unstable_ticks -= ns;
		builder_groups(&builder, accumulator)[group].answered_ticks -= ns;
	}
}

/* Set all times of a group, including those of calls that it counted partly. */
static void set_times(size_t group, uint64_t enabled_ns, uint64_t running_ns)
{
	builder_groups(&builder, accumulator)[group].enabled_ns = enabled_ns;
	builder_groups(&builder, accumulator)[group].running_ns = running_ns;
}

/* Return a value of `render`, or a metric, which is NAN if it is missing. */
static const struct rs_value *value_of(size_t column)
{
	return &summary.regions[0].values[column];
}

static double metric_of(size_t column, const char *name)
{
	const struct rs_summary_region *region = &summary.regions[0];
	for (size_t i = 0; i < region->n_metrics; i++)
		if (region->metrics[i].column == column &&
			strcmp(region->metrics[i].name, name) == 0)
			return region->metrics[i].value;
	return NAN;
}

TestSuite(parts, .init = start, .fini = fixture_finish);

Test(parts, have_columns_behind_their_sum)
{
	static const struct {
		const char *name;
		bool is_part;
	} expected[N_PLAN_COLUMNS] = {{"time", false}, {"cpu-time", false}, {"blocked", false},
		{"preempted", false}, {"instructions", false}, {"cpu_core/instructions/", true},
		{"cpu_atom/instructions/", true}, {"cycles", false}, {"cpu_core/cycles/", true},
		{"cpu_atom/cycles/", true}, {"cpu_core/r1/", false}};
	record_on(CORE, 100, 1, 1);
	summarize();
	cr_assert_eq(summary.n_columns, N_PLAN_COLUMNS);
	for (size_t i = 0; i < N_PLAN_COLUMNS; i++) {
		cr_expect_str_eq(summary.columns[i].name, expected[i].name);
		cr_expect_eq(summary.columns[i].is_part, expected[i].is_part);
	}
}

static void expect_all_on(size_t group, size_t part, size_t other)
{
	record_on(group, 100, 40, 80);
	record_on(group, 100, 60, 120);
	summarize();
	EXPECT(value_of(CYCLES),
		"status=ok counted=2 total=100 self_total=100 running=1 avg=50 stddev=10");
	EXPECT(value_of(part), "status=ok total=100 running=1");
	EXPECT(value_of(other), "status=not-counted total=- avg=-");
	cr_expect_eq(metric_of(INSTRUCTIONS, "IPC"), 2);
	cr_expect_eq(metric_of(CYCLES, "frequency"), 0.5);
	cr_expect_eq(summary.regions[0].slowest[CYCLES].total, 40);
	cr_expect_eq(summary.regions[0].slowest[part].total, 40);
	cr_expect_not(rs_value_has_total(&summary.regions[0].slowest[other]));
	cr_expect_eq(count_findings(RS_WARNING), 0);
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
	record_on(CORE, 100, 10, 40);
	record_on(ATOM, 300, 60, 60);
	record_on(CORE, 100, 20, 50);
	record_on(ATOM, 300, 120, 120);
	record_on(ATOM, 200, 50, 50);
	summarize();
	const struct rs_value *cycles = value_of(CYCLES);
	EXPECT(cycles, "status=ok counted=5 total=260 avg=52 min=10 max=120");
	/* the values of rank 3, 5 and 5 of 10, 20, 50, 60, 120 */
	EXPECT(cycles, "p50=50 p90=120 p99=120");
	/* squares: 100 + 400 + 2500 + 3600 + 14400 = 21000; 21000 / 5 - 52^2 = 1496 */
	EXPECT(cycles, "stddev=38.67815921 running=1");
	cr_expect_eq(metric_of(INSTRUCTIONS, "IPC"), 320.0 / 260);

	/* one type ran 200 of 1000 ns */
	EXPECT(value_of(CYCLES_CORE), "counted=2 total=30 max=20 running=0.2 status=ok");
	EXPECT(value_of(CYCLES_ATOM), "counted=3 total=230 running=0.8");
	cr_expect_eq(metric_of(INSTRUCTIONS_CORE, "IPC"), 3);
	cr_expect_eq(metric_of(INSTRUCTIONS_ATOM, "IPC"), 1);
	cr_expect(isnan(metric_of(CYCLES_CORE, "frequency")));
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
	record_on(CORE, 50, 10, 30);
	deltas[1 + CORE_CYCLES] = 7;
	deltas[1 + ATOM_CYCLES] = 5;
	deltas[1 + CORE_INSTRUCTIONS] = 20;
	deltas[1 + ATOM_INSTRUCTIONS] = 4;
	builder_record(&builder, accumulator, &call);
	set_times(CORE, 60, 60);
	set_times(ATOM, 40, 40);
	summarize();
	EXPECT(value_of(CYCLES), "status=ok total=22 counted=1 max=10 running=1");
	cr_expect_eq(value_of(CYCLES_CORE)->total, 17);
	EXPECT(value_of(CYCLES_ATOM), "total=5 status=ok avg=-");
	cr_expect_eq(metric_of(INSTRUCTIONS, "IPC"), 54.0 / 22);
	cr_expect(isnan(metric_of(CYCLES, "frequency")));
	cr_expect_not(rs_value_has_total(&summary.regions[0].slowest[CYCLES]));
}

/* Both parts are multiplexed. Of 100 ns enabled, one ran for 30 ns and the other for 40 ns. */
Test(parts, totals_are_scaled)
{
	record_on(CORE, 0, 210, 0);
	record_on(ATOM, 0, 490, 0);
	set_times(CORE, 100, 30);
	set_times(ATOM, 100, 40);
	summarize();
	EXPECT(value_of(CYCLES), "status=scaled total=1000 self_total=1000 running=0.7 counted=2");
	EXPECT(value_of(CYCLES_CORE), "total=300 running=0.3");
	EXPECT(value_of(CYCLES_ATOM), "total=700 status=scaled");
}

/* Only one part is multiplexed: it ran for half of the 50 ns during which the other one did not. */
Test(parts, only_the_multiplexed_part_is_scaled)
{
	record_on(CORE, 0, 500, 0);
	record_on(ATOM, 0, 100, 0);
	set_times(CORE, 50, 50);
	set_times(ATOM, 100, 25);
	summarize();
	EXPECT(value_of(CYCLES), "status=scaled total=700 running=0.75");
	EXPECT(value_of(CYCLES_CORE), "status=ok total=500");
	cr_expect_eq(value_of(CYCLES_ATOM)->total, 200);
}

/* One part never ran, so the other part has the count of the whole event. */
Test(parts, one_never_ran)
{
	record_on(CORE, 0, 500, 0);
	set_times(CORE, 50, 50);
	set_times(ATOM, 100, 0);
	summarize();
	EXPECT(value_of(CYCLES), "total=1000 running=0.5 status=scaled");
	cr_expect_eq(value_of(CYCLES_CORE)->total, 1000);
	cr_expect_not(rs_value_has_total(value_of(CYCLES_ATOM)));
}

/* cpu_atom does not have the event: its value is the count of cpu_core, and a message says so. */
Test(parts, one_type_does_not_have_it)
{
	set_event(CORE_ALONE, "loads", "cpu_core/loads/", 4);
	set_event(ATOM_LOADS, "loads", "cpu_atom/loads/", 4);
	events[ATOM_LOADS].status = RS_EVENT_NOT_SUPPORTED;
	plan.plan.n_events = N_EVENTS;
	uint64_t deltas[1 + N_REGION_EVENTS] = {[0] = 100, [1 + CORE_ALONE] = 9};
	struct builder_call call = {.deltas = deltas, .not_counted = 3};
	builder_record(&builder, accumulator, &call);
	set_times(APART, 100, 100);
	summarize();
	cr_assert_eq(summary.n_columns, N_PLAN_COLUMNS + 2);
	cr_expect_str_eq(summary.columns[ALONE].name, "loads");
	EXPECT(value_of(ALONE), "status=ok total=9");
	cr_expect_eq(value_of(ALONE + 1)->total, 9);
	cr_expect_str_eq(summary.columns[ALONE + 2].name, "cpu_atom/loads/");
	cr_expect_eq(value_of(ALONE + 2)->status, RS_VALUE_NOT_SUPPORTED);
	cr_expect_eq(summary.total.values[ALONE + 2].status, RS_VALUE_NOT_SUPPORTED);
	cr_expect(is_noted("'loads' is counted only by cpu_core, and not on cores of cpu_atom"));
}

/* One of 40 calls was on one type of core, and the others on the other type: no warning. */
Test(parts, few_calls_on_one_type_are_no_warning)
{
	for (int i = 0; i < 40; i++)
		record_on(i == 0 ? CORE : ATOM, 100, 1, 1);
	summarize();
	cr_expect_eq(count_findings(RS_WARNING), 0);
}

/* One of 40 calls was counted by any part: one warning for both parts. */
Test(parts, few_calls_counted_at_all)
{
	for (int i = 0; i < 40; i++)
		record_on(i == 0 ? CORE : i == 1 ? ATOM : N_GROUPS, 100, 1, 1);
	summarize();
	cr_expect(is_warned("'cycles' and its group were counted all the time in"));
	cr_expect(is_warned("one type of core to another"));
}

/* ---- the whole run ---- */

/* During the run each part is enabled all the time, and runs while a thread is on its type of
 * core. */
Test(parts, totals_of_the_run)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 600, 1000, 750};
	totals[ATOM_CYCLES] = (struct rs_total){true, 100, 1000, 250};
	totals[CORE_INSTRUCTIONS] = (struct rs_total){true, 1200, 1000, 750};
	totals[ATOM_INSTRUCTIONS] = (struct rs_total){true, 200, 1000, 250};
	record_on(CORE, 100, 1, 1);
	summarize();
	const struct rs_value *values = summary.total.values;
	EXPECT(&values[CYCLES], "total=700 status=ok running=1");
	EXPECT(&values[CYCLES_CORE], "total=600 running=0.75");
	cr_expect_eq(rs_value_running(&values[CYCLES_ATOM]), 0.25);
	cr_expect_eq(values[ALONE].status, RS_VALUE_NOT_COUNTED);
	cr_assert_eq(summary.total.n_metrics, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(summary.total.metrics[i].value, 2);
}

Test(parts, totals_of_the_run_that_shared_the_pmu)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 300, 1000, 400};
	totals[ATOM_CYCLES] = (struct rs_total){true, 50, 1000, 100};
	record_on(CORE, 100, 1, 1);
	summarize();
	EXPECT(&summary.total.values[CYCLES], "total=700 status=scaled running=0.5");
	cr_expect_eq(summary.total.values[CYCLES_CORE].total, 600);
}

/* cpu_core/r1/ has only the count of this type of core. If it shared the PMU, the time of the
 * thread on other cores would be unknown. */
Test(parts, an_event_of_one_type_alone)
{
	totals[CORE_ALONE] = (struct rs_total){true, 300, 1000, 400};
	groups[APART].totals_whole = true;
	record_on(CORE, 100, 1, 1);
	summarize();
	EXPECT(&summary.total.values[ALONE], "total=300 status=ok");
	groups[APART].totals_whole = false;
	summarize();
	EXPECT(&summary.total.values[ALONE], "total=750 status=scaled");
}

/* The kernel's times of two PMUs differ by some ns per second. */
Test(parts, noise_of_clocks_is_no_reason_to_scale)
{
	struct rs_value parts[] = {
		{.total = 700, .enabled_ns = 1000000000, .running_ns = 400000000},
		{.total = 300, .enabled_ns = 1000000100, .running_ns = 600000090}};
	const struct rs_value *const both[] = {&parts[0], &parts[1]};
	struct rs_value value = {0};
	rs_value_scale(&value, both, 2, 0);
	EXPECT(&value, "status=ok total=700 running=0.39999996");
	parts[1].running_ns = 599000000;
	rs_value_scale(&value, both, 2, 0);
	cr_expect_eq(value.status, RS_VALUE_SCALED);
	cr_expect_eq(value.total, 701); /* 700 * 1.000000100 / 0.999 */
	/* an event without parts has no such difference */
	const struct rs_value alone = {
		.total = 700, .self = -700, .enabled_ns = 1000000000, .running_ns = 999999999};
	const struct rs_value *const one[] = {&alone};
	rs_value_scale(&value, one, 1, RS_ALL_PARTS);
	cr_expect_eq(value.status, RS_VALUE_SCALED);
	cr_expect_eq(value.self, -700);
}
