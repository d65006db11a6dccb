/* SPDX-License-Identifier: MIT */
/*
 * The whole run's events counted in parts, and the arithmetic of scaling parts.
 */
#include <criterion/criterion.h>

#include "hybrid.h"
#include "stats/parts_scale.h"

TestSuite(parts_run, .init = hybrid_start, .fini = hybrid_finish);

/* Over the run every part is wanted all the time, and runs while a thread is on its type. */
Test(parts_run, totals_of_the_run)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 600, 1000, 750};
	totals[ATOM_CYCLES] = (struct rs_total){true, 100, 1000, 250};
	totals[CORE_INSTRUCTIONS] = (struct rs_total){true, 1200, 1000, 750};
	totals[ATOM_INSTRUCTIONS] = (struct rs_total){true, 200, 1000, 250};
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	const struct rs_summary_value *values = summary.run.values;
	cr_expect_eq(values[CYCLES].total, 700);
	cr_expect_eq(values[CYCLES].status, RS_VALUE_OK);
	cr_expect_eq(values[CYCLES].running, 1);
	cr_expect_eq(values[CYCLES_CORE].total, 600);
	cr_expect_eq(values[CYCLES_CORE].running, 0.75);
	cr_expect_eq(values[CYCLES_ATOM].running, 0.25);
	cr_expect_eq(values[ALONE].status, RS_VALUE_NOT_COUNTED);
	cr_assert_eq(summary.run.n_metrics, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(summary.run.metrics[i].value, 2);
}

Test(parts_run, totals_of_the_run_that_shared_the_pmu)
{
	totals[CORE_CYCLES] = (struct rs_total){true, 300, 1000, 400};
	totals[ATOM_CYCLES] = (struct rs_total){true, 50, 1000, 100};
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	cr_expect_eq(summary.run.values[CYCLES].total, 700);
	cr_expect_eq(summary.run.values[CYCLES].status, RS_VALUE_SCALED);
	cr_expect_eq(summary.run.values[CYCLES].running, 0.5);
	cr_expect_eq(summary.run.values[CYCLES_CORE].total, 600);
}

/* cpu_core/r1/ alone is what happened there, unless it shared that PMU: then nobody knows how much
 * of the time the thread was elsewhere. */
Test(parts_run, an_event_of_one_type_alone)
{
	totals[CORE_ALONE] = (struct rs_total){true, 300, 1000, 400};
	groups[APART].totals_whole = true;
	hybrid_record(CORE, 100, 1, 1);
	hybrid_summarize();
	cr_expect_eq(summary.run.values[ALONE].total, 300);
	cr_expect_eq(summary.run.values[ALONE].status, RS_VALUE_OK);
	groups[APART].totals_whole = false;
	hybrid_summarize();
	cr_expect_eq(summary.run.values[ALONE].total, 750);
	cr_expect_eq(summary.run.values[ALONE].status, RS_VALUE_SCALED);
}

/* Times of two PMUs by the kernel differ by some ns in a second. */
Test(parts_run, noise_of_clocks_is_no_reason_to_scale)
{
	struct rs_part parts[] = {{700, 0, 1000000000, 400000000}, {300, 0, 1000000100, 600000090}};
	struct rs_parts_scale scale = rs_parts_scale(parts, 2);
	cr_expect(scale.is_exact);
	cr_expect_eq(rs_parts_total(&parts[0], &scale), 700);
	cr_expect_eq(rs_parts_share(parts[0].running_ns, &scale), 400000000.0 / 1000000100);
	parts[1].running_ns = 599000000;
	scale = rs_parts_scale(parts, 2);
	cr_expect_not(scale.is_exact);
	cr_expect_eq(rs_parts_total(&parts[0], &scale), 701); /* 700 * 1.000000100 / 0.999 */
	/* one event alone has no such excuse */
	struct rs_part alone = {700, -700, 1000000000, 999999999};
	scale = rs_parts_scale(&alone, 1);
	cr_expect_not(scale.is_exact);
	cr_expect_eq(rs_parts_self(&alone, &scale), -700);
}
