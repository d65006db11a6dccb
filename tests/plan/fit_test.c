/* SPDX-License-Identifier: MIT */
/*
 * Tests of dividing the PMU between regions and totals, on a kernel whose PMU has a known number of
 * counters.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "describe.h"
#include "plan/builder.h"
#include "segment/layout.h"

TestSuite(fit, .init = machine_init, .fini = finish_plan);

static void make(int n_counters, const char *events, struct rs_plan_options options)
{
	machine.n_counters = n_counters;
	cr_assert(make_plan(events, options), "%s", err.text);
}

static void check(
	int n_counters, const char *events, const char *groups, bool rotate, const char *note)
{
	make(n_counters, events, (struct rs_plan_options){0});
	expect_fit(events, groups, rotate, note);
}

Test(fit, what_there_is_room_for)
{
	static const char two_groups[] = "{cycles,instructions},{branches,branch-misses}";
	check(4, "cycles,instructions", "pw", false, FIT_BOTH);
	check(3, "cycles,instructions", "pa", false, FIT_SHARED);
	check(2, "cycles,instructions", "pa", false, FIT_SHARED);
	check(8, two_groups, "pwpw", false, FIT_BOTH);
	/* Two groups of totals each fit beside the regions, but not together. They are multiplexed
	 * as whole groups. */
	check(6, two_groups, "pp", false, FIT_SHARED);
	check(3, two_groups, "ff", true, FIT_TURNS);
}

/* Eight events exceed six counters, and are packed into two groups. */
Test(fit, events_exceed_the_pmu)
{
	check(6,
		"cycles,instructions,branches,branch-misses,cache-references,cache-misses,"
		"bus-cycles,ref-cycles",
		"ff", true, FIT_TURNS);
	cr_expect_eq(plan.groups[0].n_events, 6);
	cr_expect_eq(plan.groups[1].n_events, 2);
}

Test(fit, counters_taken_by_somebody_else)
{
	machine.n_taken = 3;
	check(4, "{cycles,instructions}", "f", true, FIT_TURNS);
}

Test(fit, software_is_never_pinned)
{
	check(4, "cs,cycles", "fpw", false, FIT_BOTH);
	make(4, "cs,faults", (struct rs_plan_options){.pin = true});
	cr_expect_str_eq(describe_groups(), "f");
	cr_expect_null(plan.fit_note);
	cr_expect(!plan.regions_rotate);
}

/* A group with an event of the PMU is pinned, even if a software event leads it. */
Test(fit, software_leads_hardware)
{
	check(4, "{cs,cycles}", "pw", false, FIT_BOTH);
}

Test(fit, pin_forces)
{
	make(3, "{cycles,instructions},{branches,branch-misses}",
		(struct rs_plan_options){.pin = true});
	cr_expect_str_eq(describe_groups(), "pp");
	cr_expect(plan.regions_rotate);
	cr_expect_str_eq(
		plan.fit_note, "regions are pinned to the PMU as --pin asks, but do not fit it");
}

Test(fit, without_totals)
{
	make(2, "cycles,instructions", (struct rs_plan_options){.no_totals = true});
	cr_expect_str_eq(describe_groups(), "p");
	cr_expect_str_eq(plan.fit_note, "regions are pinned to the PMU");
	for (size_t i = 0; i < plan.n_events; i++)
		cr_expect(plan.events[i].in_regions && !plan.events[i].in_totals);
}

Test(fit, defaults_without_totals)
{
	static const struct machine_refusal no_pmu[] = {
		{PERF_TYPE_HARDWARE, UINT64_MAX, 2}, {0, 0, 0}};
	machine.refusals = no_pmu;
	make(4, NULL, (struct rs_plan_options){.no_totals = true});
	cr_expect_eq(plan.n_events, 0);
}

/* Only leaders of groups on the PMU are pinned. */
Test(fit, segment_events)
{
	struct rs_segment_event events[RS_MAX_EVENTS];
	uint32_t n_events, n_groups;
	static const bool pinned[] = {true, false, false, false, true};
	make(4, "cycles,instructions,cs,faults,{branches}", (struct rs_plan_options){0});
	rs_plan_segment_events(&plan, events, &n_events, &n_groups);
	cr_assert_eq(n_events, 5);
	cr_assert_eq(n_groups, 3);
	for (size_t i = 0; i < 5; i++) {
		struct perf_event_attr attr;
		memcpy(&attr, events[i].attr, sizeof(attr));
		cr_expect_eq(attr.pinned, pinned[i], "event %zu", i);
	}
}
