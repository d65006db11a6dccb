/* What markers cost: 2 ticks are 1 ns, and every thread slot lived 10,000 ticks. */
#include <criterion/criterion.h>

#include <math.h>

#include "fixture.h"

TestSuite(own_cost, .init = fixture_start, .fini = fixture_finish);

/* A thread of a new process whose markers cost so much, with n calls of "NAME" that take ticks. */
static void add_calls(const char *name, uint64_t pair_ticks, unsigned n, uint64_t ticks)
{
	uint32_t process = builder.segment.header->n_processes;
	struct rs_cell *cell = add_cell(name, 70 + process, 71 + process);
	builder_process_at(&builder, process)->pair_ticks = pair_ticks;
	for (unsigned i = 0; i < n; i++)
		record(cell, ticks, 1);
}

Test(own_cost, not_measured)
{
	add_calls("render", 0, 3, 600);
	summarize();
	cr_expect_not(summary.run.own_cost.known);
	cr_expect_not(is_warned("markers") || is_detailed("markers"));
}

Test(own_cost, without_results)
{
	summarize_totals_only();
	cr_expect_not(summary.run.own_cost.known);
	cr_expect(isnan(summary.run.own_cost.share));
}

Test(own_cost, one_process)
{
	add_calls("render", 100, 3, 600);
	builder_process_at(&builder, 0)->setup_ticks = 4000000;
	summarize();
	const struct rs_own_cost *cost = &summary.run.own_cost;
	cr_assert(cost->known);
	cr_expect_eq(cost->pair_ns, 50);
	cr_expect_eq(cost->total_ns, 150);
	cr_expect_float_eq(cost->share, 300.0 / 10000, 1e-12);
	cr_expect_eq(cost->setup_ns, 2000000);
	cr_expect_not(is_warned("markers"));
	cr_expect(is_detailed(
		"markers took 3% of the marked threads' time: a BEGIN and its END cost 50.0 ns"));
	cr_expect(is_detailed("the threads' first markers, which open the counters and are in no "
			      "region, took 2.00 ms"));
	cr_expect_not(is_detailed("shorter"));
}

/* 3 calls at 100 ticks and 1 at 300 are 150 ticks each, and 600 of 20,000. */
Test(own_cost, processes_are_weighed_by_their_calls)
{
	add_calls("render", 100, 3, 600);
	add_calls("render", 300, 1, 600);
	summarize();
	cr_expect_eq(summary.run.own_cost.pair_ns, 75);
	cr_expect_float_eq(summary.run.own_cost.share, 600.0 / 20000, 1e-12);
}

/* Of a process that measured nothing the worst is assumed. */
Test(own_cost, process_without_figures)
{
	add_calls("render", 0, 1, 600);
	add_calls("render", 100, 1, 600);
	add_calls("render", 300, 1, 600);
	summarize();
	cr_expect_float_eq(summary.run.own_cost.pair_ns, (300 + 100 + 300) / 3.0 / 2, 1e-9);
}

/* Two pairs of 1 ms each: more than the thread seems to have lived. */
Test(own_cost, advice)
{
	add_calls("render", 2000000, 2, 600);
	summarize();
	cr_expect_eq(summary.run.own_cost.share, 1);
	cr_expect(is_noted("markers took 100% of the marked threads' time: a BEGIN and its END "
			   "cost 1000000 ns\n  try: --sample 10"));
	cr_expect(is_warned("calls shorter than the markers around them, so little sure: "
			    "'render'\n  try: mark"));
}

Test(own_cost, short_regions)
{
	add_calls("short", 100, 2, 99);
	add_calls("long", 100, 2, 100);
	summarize();
	cr_expect(
		is_detailed("calls shorter than the markers around them, so little sure: 'short'"));
	cr_expect_not(is_detailed("'long'"));
}

/* Raw times hold the inner part of the pair. */
Test(own_cost, short_regions_in_raw_times)
{
	options.raw = true;
	add_calls("short", 100, 2, 139);
	add_calls("long", 100, 2, 140);
	for (uint32_t i = 0; i < 2; i++)
		builder_process_at(&builder, i)->inside_ticks = 40;
	summarize();
	cr_expect(is_detailed("little sure: 'short'"));
	cr_expect_not(is_detailed("'long'"));
}

/* Figures that a stray write left there are shown as what they are, and break nothing. */
Test(own_cost, absurd_figures)
{
	add_calls("render", UINT64_MAX, 3, UINT64_MAX / 4);
	add_calls("render", 1, 3, 600);
	builder_process_at(&builder, 0)->setup_ticks = UINT64_MAX;
	builder_process_at(&builder, 1)->setup_ticks = UINT64_MAX;
	summarize();
	cr_expect(isfinite(summary.run.own_cost.pair_ns));
	cr_expect_eq(summary.run.own_cost.share, 1);
}
