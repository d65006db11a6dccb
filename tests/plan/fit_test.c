/* SPDX-License-Identifier: MIT */
/*
 * Tests of dividing the PMU between regions and totals, on a kernel whose PMU has a known number of
 * counters.
 */
#include <criterion/criterion.h>

#include "describe.h"
#include "plan/builder.h"

TestSuite(fit, .init = machine_init, .fini = finish_plan);

Test(fit, what_there_is_room_for)
{
	static const char two_groups[] = "{cycles,instructions},{branches,branch-misses}";
	static const char eight[] = "cycles,instructions,branches,branch-misses,cache-references,"
				    "cache-misses,bus-cycles,ref-cycles";
	static const struct {
		int n_counters, n_taken;
		const char *events, *groups, *note;
		bool rotate, pin, no_totals;
	} cases[] = {
		{4, 0, "cycles,instructions", "pw", FIT_BOTH},
		{3, 0, "cycles,instructions", "pa", FIT_SHARED},
		{2, 0, "cycles,instructions", "pa", FIT_SHARED},
		{8, 0, two_groups, "pwpw", FIT_BOTH},
		/* Two groups of totals each fit beside the regions, but not together. They are
		 * multiplexed as whole groups. */
		{6, 0, two_groups, "pp", FIT_SHARED},
		{3, 0, two_groups, "ff", FIT_TURNS, .rotate = true},
		{3, 0, two_groups, "pp",
			"regions are pinned to the PMU as --pin asks, but do not fit it",
			.rotate = true, .pin = true},
		/* eight events exceed six counters, and are packed into two groups */
		{6, 0, eight, "ff", FIT_TURNS, .rotate = true},
		/* other processes have three counters */
		{4, 3, "{cycles,instructions}", "f", FIT_TURNS, .rotate = true},
		/* a group with an event of the PMU is pinned, even if a software event leads it */
		{4, 0, "{cs,cycles}", "pw", FIT_BOTH},
		{4, 0, "cs,cycles", "fpw", FIT_BOTH},
		{4, 0, "cs,faults", "f", "", .pin = true},
		{2, 0, "cycles,instructions", "p", "regions are pinned to the PMU",
			.no_totals = true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine.n_counters = cases[i].n_counters;
		machine.n_taken = cases[i].n_taken;
		cr_assert(make_plan(cases[i].events, (struct rs_plan_options){.pin = cases[i].pin,
							     .no_totals = cases[i].no_totals}),
			"%s", err.text);
		expect_fit(cases[i].events, cases[i].groups, cases[i].rotate, cases[i].note);
		for (size_t e = 0; e < plan.n_events; e++)
			cr_expect(plan.events[e].in_regions &&
				  plan.events[e].in_totals == !cases[i].no_totals);
	}
}

Test(fit, defaults_without_totals)
{
	static const struct machine_refusal no_pmu[] = {
		{PERF_TYPE_HARDWARE, UINT64_MAX, 2}, {0, 0, 0}};
	machine.refusals = no_pmu;
	cr_assert(make_plan(NULL, (struct rs_plan_options){.no_totals = true}));
	cr_expect_eq(plan.n_events, 0);
}
