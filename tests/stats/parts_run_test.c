/* SPDX-License-Identifier: MIT */
/*
 * Tests of the whole run's events that are counted in parts, and of scaling parts.
 */
#include <criterion/criterion.h>

#include "expect.h"
#include "hybrid.h"
#include "stats/value.h"

TestSuite(parts_run, .init = hybrid_start, .fini = hybrid_finish);

/* During the run each part is enabled all the time, and runs while a thread is on its type of
 * core. */
Test(parts_run, totals_of_the_run)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 600, 1000, 750};
	totals[ATOM_CYCLES] = (struct rs_total){true, 100, 1000, 250};
	totals[CORE_INSTRUCTIONS] = (struct rs_total){true, 1200, 1000, 750};
	totals[ATOM_INSTRUCTIONS] = (struct rs_total){true, 200, 1000, 250};
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	const struct rs_value *values = summary.total.values;
	EXPECT(&values[CYCLES], "total=700 status=ok running=1");
	EXPECT(&values[CYCLES_CORE], "total=600 running=0.75");
	cr_expect_eq(rs_value_running(&values[CYCLES_ATOM]), 0.25);
	cr_expect_eq(values[ALONE].status, RS_VALUE_NOT_COUNTED);
	cr_assert_eq(summary.total.n_metrics, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(summary.total.metrics[i].value, 2);
}

Test(parts_run, totals_of_the_run_that_shared_the_pmu)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 300, 1000, 400};
	totals[ATOM_CYCLES] = (struct rs_total){true, 50, 1000, 100};
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	EXPECT(&summary.total.values[CYCLES], "total=700 status=scaled running=0.5");
	cr_expect_eq(summary.total.values[CYCLES_CORE].total, 600);
}

/* cpu_core/r1/ has only the count of this type of core. If it shared the PMU, the time of the
 * thread on other cores would be unknown. */
Test(parts_run, an_event_of_one_type_alone)
{
	totals[CORE_ALONE] = (struct rs_total){true, 300, 1000, 400};
	groups[APART].totals_whole = true;
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	EXPECT(&summary.total.values[ALONE], "total=300 status=ok");
	groups[APART].totals_whole = false;
	hybrid_summarize();
	EXPECT(&summary.total.values[ALONE], "total=750 status=scaled");
}

/* The kernel's times of two PMUs differ by some ns per second. */
Test(parts_run, noise_of_clocks_is_no_reason_to_scale)
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
