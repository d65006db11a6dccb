/* SPDX-License-Identifier: MIT */
/* Overhead of markers: 2 ticks are 1 ns, and every thread slot lived 10,000 ticks. */
#include <criterion/criterion.h>

#include <math.h>

#include "fixture.h"

TestSuite(own_cost, .init = fixture_start, .fini = fixture_finish);

/* A thread of a new process whose markers cost pair_ticks a call, with n calls of "NAME" that take
 * ticks. */
static struct rs_cell *add_calls(const char *name, uint64_t pair_ticks, unsigned n, uint64_t ticks)
{
	uint32_t process = builder.segment.header->n_processes;
	struct rs_cell *cell = add_cell(name, 70 + process, 71 + process);
	cell->pair_ticks = pair_ticks;
	for (unsigned i = 0; i < n; i++)
		record(cell, ticks, 1);
	return cell;
}

/* The same of any number of calls, on a thread that lived for lifetime_ticks. */
static struct rs_cell *add_many(
	const char *name, uint64_t pair_ticks, uint64_t n, uint64_t ticks, uint64_t lifetime_ticks)
{
	uint32_t process = builder.segment.header->n_processes;
	struct rs_cell *cell = add_cell(name, 70 + process, 71 + process);
	uint32_t slot = builder.segment.header->n_slots - 1;
	const uint64_t values[] = {ticks, 1000, 500, 7};
	cell->pair_ticks = pair_ticks;
	builder_slot_at(&builder, slot)->lifetime_ticks = lifetime_ticks;
	builder_many(&builder, cell, n, values);
	return cell;
}

Test(own_cost, not_measured)
{
	add_calls("render", 0, 3, 600);
	summarize();
	cr_expect_not(summary.total.own_cost.known);
	cr_expect_not(summary.regions[0].own_cost.known);
	cr_expect_null(find_finding("overhead"));
}

Test(own_cost, without_results)
{
	summarize_totals_only();
	cr_expect_not(summary.total.own_cost.known);
	cr_expect(isnan(summary.total.own_cost.share));
}

/* 3 pairs of 100 ticks beside 3 calls of 600 are 300 of 2,100. With 200 ns of a first marker they
 * are 700 ticks of the thread's lifetime, 10,000. */
Test(own_cost, one_region)
{
	add_calls("render", 100, 3, 600);
	builder_process_at(&builder, 0)->setup_ns = 200;
	summarize();
	const struct rs_own_cost *cost = &summary.total.own_cost;
	cr_assert(cost->known);
	cr_expect_eq(cost->call_ns, 50);
	cr_expect_eq(cost->pair_ns, 50);
	cr_expect_eq(cost->total_ns, 350);
	cr_expect_float_eq(cost->share, 700.0 / 10000, 1e-12);
	cr_expect_eq(summary.own_setup_ns, 200);
	cr_expect_not(is_warned("markers"));
	cr_expect(is_detailed(
		"markers take at least 7% of the marked threads' time, 50.0 ns a call"));
	cr_expect(is_detailed("the threads' first markers, which open the counters and are in no "
			      "region, took 200 ns"));
	cr_expect_null(find_finding("short-calls"));
	cost = &summary.regions[0].own_cost;
	cr_assert(cost->known);
	cr_expect_eq(cost->call_ns, 50);
	cr_expect_eq(cost->total_ns, 150);
	cr_expect_float_eq(cost->share, 300.0 / 2100, 1e-12);
}

/* The share is of CPU time, 3 + 2 us, wherever that is known: 700 ticks are 350 ns. */
Test(own_cost, share_of_cpu_time)
{
	add_calls("render", 100, 3, 600);
	builder_process_at(&builder, 0)->setup_ns = 200;
	outcome.usage.ru_utime.tv_usec = 3;
	outcome.usage.ru_stime.tv_usec = 2;
	summarize();
	cr_expect_float_eq(summary.total.own_cost.share, 0.07, 1e-12);
	cr_expect(is_detailed("markers take at least 7% of the CPU time, 50.0 ns a call"));
}

/* First markers of 300 ms, 600,000,000 ticks of 2e9: no sampling makes them fewer. */
Test(own_cost, advice_where_threads_are_short)
{
	add_many("render", 100, 1000001, 900, 2000000000)->skip_ticks = 10;
	builder_process_at(&builder, 0)->setup_ns = 300000000;
	summarize();
	cr_expect(is_warned(
		", most in the threads' first markers: mark in threads that live longer"));
}

/* 3 calls at 100 ticks and 1 at 300 are 150 ticks each, and 600 of 20,000. */
Test(own_cost, regions_are_weighed_by_their_calls)
{
	add_calls("render", 100, 3, 600);
	add_calls("parse", 300, 1, 600);
	summarize();
	cr_expect_eq(summary.total.own_cost.call_ns, 75);
	cr_expect_float_eq(summary.total.own_cost.share, 600.0 / 20000, 1e-12);
	cr_expect_eq(summary.regions[0].own_cost.call_ns, 50);
	cr_expect_eq(summary.regions[1].own_cost.call_ns, 150);
	cr_expect_eq(summary.regions[1].own_cost.share, 300.0 / 900);
}

/* Where markers make system calls, each records its overhead. */
Test(own_cost, measured_at_every_call)
{
	add_calls("render", 0, 3, 600)->own_ticks = 900;
	summarize();
	cr_expect(summary.regions[0].own_cost.known);
	cr_expect_eq(summary.regions[0].own_cost.call_ns, 150);
	cr_expect_eq(summary.total.own_cost.total_ns, 450);
}

/* 2 calls have an overhead of 100 ticks and 50 besides, 8 skipped calls one of 10 each: 330 ticks
 * for 10 calls. A call took 600, so all of them and their markers took at least 6,330. */
Test(own_cost, skipped_calls)
{
	builder_sample(&builder);
	struct rs_cell *cell = add_calls("render", 100, 0, 0);
	uint64_t deltas[] = {600, 1, 1, 1};
	struct builder_call call = call_of(deltas);
	for (call.weight = 1; call.weight < 18; call.weight += 16)
		builder_record(&builder, cell, &call);
	cell->own_ticks = 50;
	cell->skip_ticks = 10;
	cell->skipped = 8;
	summarize();
	const struct rs_own_cost *cost = &summary.regions[0].own_cost;
	cr_expect_eq(cost->call_ns, 16.5);
	cr_expect_eq(cost->pair_ns, 62.5);
	cr_expect_eq(cost->total_ns, 165);
	cr_expect_float_eq(cost->share, 330.0 / 6330, 1e-12);
	cr_expect_eq(summary.total.own_cost.total_ns, 165);
}

/* If one thread could not calibrate, overhead is unknown of all rows that have its calls, and never
 * 0. */
Test(own_cost, thread_that_could_not_calibrate)
{
	add_calls("render", 0, 1, 600);
	add_calls("parse", 100, 1, 600);
	builder_process_at(&builder, 0)->diag[RS_PROCESS_DIAG_COST_UNKNOWN] = 1;
	summarize();
	cr_expect_not(summary.total.own_cost.known);
	cr_expect_not(summary.regions[0].own_cost.known);
	cr_expect(summary.regions[1].own_cost.known);
	cr_expect(is_warned("1 thread could not calibrate the overhead, which is in their figures: "
			    "memory was refused, or an event was not counted then; ulimit -v"));
}

/* Two pairs of 1 ms each: more than the thread seems to have lived. */
Test(own_cost, more_than_there_is)
{
	add_calls("render", 2000000, 2, 600);
	summarize();
	cr_expect_eq(summary.total.own_cost.share, 1);
	cr_expect(is_warned(
		"markers take at least 100% of the marked threads' time, most in render (2 "
		"calls): use --budget 1%, or mark larger parts"));
	cr_expect(is_noted(
		"render: calls are shorter than their markers, values are upper bounds: mark "
		"the enclosing loop"));
}

/* 1,000,001 calls of 120 ticks and one of 300 are 6 % of 2e9. */
Test(own_cost, the_dearest_region_is_named)
{
	add_many("render", 120, 1000001, 900, 2000000000)->skip_ticks = 10;
	add_calls("parse", 300, 1, 600);
	summarize();
	cr_expect(is_warned("markers take at least 6% of the marked threads' time, most in render "
			    "(1,000,001 calls): use --budget 1%, or mark larger parts"));
	cr_expect_str_eq(find_finding("overhead")->region, "render");
}

Test(own_cost, short_regions)
{
	add_calls("short", 100, 2, 99);
	add_calls("long", 100, 2, 100);
	summarize();
	cr_expect(is_detailed(
		"short: calls are shorter than their markers, values are upper bounds"));
	cr_expect_eq(find_finding("short-calls")->number, 1);
}

/* Raw times hold the inner part of the pair. */
Test(own_cost, short_regions_in_raw_times)
{
	run_record.how.raw = true;
	add_calls("short", 100, 2, 139);
	add_calls("long", 100, 2, 140);
	for (uint32_t i = 0; i < 2; i++)
		builder_process_at(&builder, i)->inside_ticks = 40;
	summarize();
	cr_expect(is_detailed("short: calls are shorter"));
	cr_expect_eq(find_finding("short-calls")->number, 1);
}

/* Figures of a stray write are shown as they are, and break nothing. */
Test(own_cost, absurd_figures)
{
	struct rs_cell *cell = add_calls("render", UINT64_MAX, 3, RS_VALUE_MAX);
	add_calls("render", 1, 3, 600);
	cell->own_ticks = cell->skip_ticks = cell->skipped = UINT64_MAX;
	builder_process_at(&builder, 0)->setup_ns = UINT64_MAX;
	builder_process_at(&builder, 1)->setup_ns = UINT64_MAX;
	summarize();
	cr_expect(isfinite(summary.total.own_cost.call_ns));
	cr_expect_eq(summary.total.own_cost.share, 1);
	for (size_t i = 0; i < 2; i++)
		cr_expect(isfinite(summary.regions[i].own_cost.call_ns));
	cr_expect(summary.regions[0].own_cost.share >= 0 && summary.regions[0].own_cost.share <= 1);
}
