/* SPDX-License-Identifier: MIT */
/* Tests of the overhead of markers. 2 ticks are 1 ns, and each thread slot lived for 10,000
 * ticks. */
#include <criterion/criterion.h>

#include <math.h>

#include "fixture.h"

TestSuite(overhead, .init = fixture_start, .fini = fixture_finish);

/* Add a thread of a new process whose markers cost pair_ticks for each call. It makes n calls of
 * "NAME" of so many ticks. */
static struct rs_accumulator *add_calls(
	const char *name, uint32_t pair_ticks, unsigned n, uint64_t ticks)
{
	uint32_t process = builder.segment.header->n_processes;
	struct rs_accumulator *accumulator = add_accumulator(name, 70 + process, 71 + process);
	accumulator->pair_ticks = pair_ticks;
	for (unsigned i = 0; i < n; i++)
		record(accumulator, ticks, 1);
	return accumulator;
}

Test(overhead, not_measured)
{
	add_calls("render", 0, 3, 600);
	summarize();
	cr_expect_not(summary.total.overhead.known);
	cr_expect_not(summary.regions[0].overhead.known);
	cr_expect_null(find_finding("overhead"));
}

Test(overhead, without_results)
{
	summarize_totals_only();
	cr_expect_not(summary.total.overhead.known);
	cr_expect(isnan(summary.total.overhead.share));
}

/* The markers of 3 calls take 100 ticks each, and the calls 600 each: 300 of 2,100 ticks are
 * overhead. With 200 ns of a first marker it is 700 ticks, of a lifetime of 10,000. */
Test(overhead, one_region)
{
	add_calls("render", 100, 3, 600);
	builder_process_at(&builder, 0)->setup_ns = 200;
	summarize();
	const struct rs_marker_overhead *cost = &summary.total.overhead;
	cr_assert(cost->known);
	cr_expect_eq(cost->call_ns, 50);
	cr_expect_eq(cost->pair_ns, 50);
	cr_expect_eq(cost->total_ns, 350);
	cr_expect_float_eq(cost->share, 700.0 / 10000, 1e-12);
	cr_expect_eq(summary.overhead_setup_ns, 200);
	cr_expect_not(is_warned("markers"));
	cr_expect(is_detailed(
		"markers take at least 7% of the marked threads' time, 50.0 ns a call"));
	cr_expect(is_detailed("the threads' first markers, which open the counters and are in no "
			      "region, took 200 ns"));
	cr_expect_null(find_finding("short-calls"));
	cost = &summary.regions[0].overhead;
	cr_assert(cost->known);
	cr_expect_eq(cost->call_ns, 50);
	cr_expect_eq(cost->total_ns, 150);
	cr_expect_float_eq(cost->share, 300.0 / 2100, 1e-12);
}

/* 700 ticks are 350 ns. If the CPU time is known, 3 + 2 us, it is the whole. */
Test(overhead, share_of_cpu_time)
{
	add_calls("render", 100, 3, 600);
	builder_process_at(&builder, 0)->setup_ns = 200;
	outcome.usage.ru_utime.tv_usec = 3;
	outcome.usage.ru_stime.tv_usec = 2;
	summarize();
	cr_expect_float_eq(summary.total.overhead.share, 0.07, 1e-12);
	cr_expect(is_detailed("markers take at least 7% of the CPU time, 50.0 ns a call"));
}

/* 3 calls with 100 ticks and 1 call with 300 ticks of overhead have 150 ticks on average, and 600
 * of 20,000 in total. */
Test(overhead, regions_are_weighed_by_their_calls)
{
	add_calls("render", 100, 3, 600);
	add_calls("parse", 300, 1, 600);
	summarize();
	cr_expect_eq(summary.total.overhead.call_ns, 75);
	cr_expect_float_eq(summary.total.overhead.share, 600.0 / 20000, 1e-12);
	cr_expect_eq(summary.regions[0].overhead.call_ns, 50);
	cr_expect_eq(summary.regions[1].overhead.call_ns, 150);
	cr_expect_eq(summary.regions[1].overhead.share, 300.0 / 900);
}

/* If markers make system calls, each marker records its overhead. */
Test(overhead, measured_at_every_call)
{
	add_calls("render", 0, 3, 600)->own_ticks = 900;
	summarize();
	cr_expect(summary.regions[0].overhead.known);
	cr_expect_eq(summary.regions[0].overhead.call_ns, 150);
	cr_expect_eq(summary.total.overhead.total_ns, 450);
}

/* 2 calls have an overhead of 100 ticks each and 50 more, 8 skipped calls 10 each: 330 ticks for 10
 * calls. A call took 600 ticks, so all calls and their markers took at least 6,330. */
Test(overhead, skipped_calls)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_calls("render", 100, 0, 0);
	struct builder_call call = CALL(600, 1, 1, 1);
	for (call.weight = 1; call.weight < 18; call.weight += 16)
		builder_record(&builder, accumulator, &call);
	accumulator->own_ticks = 50;
	accumulator->skip_ticks = 10;
	accumulator->skipped = 8;
	summarize();
	const struct rs_marker_overhead *cost = &summary.regions[0].overhead;
	cr_expect_eq(cost->call_ns, 16.5);
	cr_expect_eq(cost->pair_ns, 62.5);
	cr_expect_eq(cost->total_ns, 165);
	cr_expect_float_eq(cost->share, 330.0 / 6330, 1e-12);
	cr_expect_eq(summary.total.overhead.total_ns, 165);
	/* standard errors: 1 % of 10 * 300 ns, and a sixteenth of 10 * 50 ns */
	cr_expect_float_eq(rs_value_error(&summary.regions[0].values[COLUMN_TIME]),
		2 * hypot(30, 31.25), 1e-9);
}

/* If one thread could not calibrate, overhead is unknown for all rows with its calls. It is never
 * 0. */
Test(overhead, thread_that_could_not_calibrate)
{
	add_calls("render", 0, 1, 600);
	add_calls("parse", 100, 1, 600);
	builder_process_at(&builder, 0)->diag[RS_PROCESS_DIAG_COST_UNKNOWN] = 1;
	summarize();
	cr_expect_not(summary.total.overhead.known);
	cr_expect_not(summary.regions[0].overhead.known);
	cr_expect(summary.regions[1].overhead.known);
	cr_expect(is_warned(
		"1 thread could not calibrate the overhead, so their values include "
		"it: memory was refused, or an event was not counted; allow more memory "
		"(cgroup, ulimit -v or -d), and permit mmap(2) and munmap(2) in a seccomp "
		"filter"));
}

/* Two markers of 1 ms each take more than the lifetime of the thread. */
Test(overhead, more_than_there_is)
{
	add_calls("render", 2000000, 2, 600);
	summarize();
	cr_expect_eq(summary.total.overhead.share, 1);
	cr_expect(is_warned(
		"markers take at least 100% of the marked threads' time, most in render (2 "
		"calls): mark larger parts, or fewer regions: the first calls of a region take "
		"longest"));
	cr_expect(is_noted(
		"render: calls are shorter than their markers, values are upper bounds: mark "
		"the enclosing loop"));
}

Test(overhead, short_regions)
{
	add_calls("short", 100, 2, 99);
	add_calls("long", 100, 2, 100);
	/* The slow path of the first call is measured each time, so it hides nothing. */
	add_calls("setup", 100, 1, 600)->own_ticks = 10000;
	summarize();
	cr_expect_eq(summary.regions[0].bound_ns, 50);
	cr_expect_eq(summary.regions[2].bound_ns, 0);
	cr_expect(is_detailed(
		"short: calls are shorter than their markers, values are upper bounds"));
	cr_expect_eq(find_finding("short-calls")->number, 1);
}

/* Each of 2 calls of 99 ticks represents 11 or 101. Their threads lived for 10,000 ns together: 22
 * calls may take 50 ns each, but 202 may not. */
Test(overhead, short_regions_of_samples)
{
	const uint64_t deltas[] = {99, 1000, 500, 7};
	builder_sample(&builder);
	for (unsigned i = 0; i < 2; i++) {
		struct builder_call call = call_of(deltas);
		call.weight = i ? 101 : 11;
		struct rs_accumulator *accumulator = add_calls(i ? "less" : "short", 100, 0, 0);
		builder_record(&builder, accumulator, &call);
		builder_record(&builder, accumulator, &call);
		accumulator->skipped = 2 * (call.weight - 1);
	}
	summarize();
	cr_expect(is_detailed("short: calls are shorter"));
	cr_expect_eq(find_finding("short-calls")->number, 1);
}

/* Raw times include the overhead inside calls. */
Test(overhead, short_regions_in_raw_times)
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

/* Numbers of a stray write are shown as they are, and do no harm. */
Test(overhead, absurd_figures)
{
	struct rs_accumulator *accumulator = add_calls("render", UINT32_MAX, 3, RS_VALUE_MAX);
	add_calls("render", 1, 3, 600);
	accumulator->own_ticks = accumulator->skip_own_ticks = INT64_MAX;
	accumulator->skip_ticks = UINT32_MAX;
	accumulator->skipped = UINT64_MAX;
	builder_process_at(&builder, 0)->setup_ns = UINT64_MAX;
	builder_process_at(&builder, 1)->setup_ns = UINT64_MAX;
	summarize();
	cr_expect(isfinite(summary.total.overhead.call_ns));
	cr_expect_eq(summary.total.overhead.share, 1);
	for (size_t i = 0; i < 2; i++)
		cr_expect(isfinite(summary.regions[i].overhead.call_ns));
	cr_expect(summary.regions[0].overhead.share >= 0 && summary.regions[0].overhead.share <= 1);
}

/* Two threads lived for 5,000 ns each; their calls took 2,000 and 1,000 ns. The program used 5,000
 * ns of CPU time, so of 7,000 ns in no region, 2,000 were on the CPU: 2/7 of each thread's. */
Test(overhead, threads_that_were_blocked_at_their_end)
{
	add_calls("render", 0, 2, 2000);
	add_calls("parse", 0, 1, 2000);
	outcome.usage.ru_utime.tv_usec = 5;
	options.per_thread = true;
	summarize();
	const uint64_t cpu_ns[] = {2857, 2143};
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(summary.places[i].cpu_ns, cpu_ns[i]);
		cr_expect_eq(summary.places[i].off_ns[RS_OFF_BLOCKED], 5000 - cpu_ns[i]);
	}
	cr_expect_eq(summary.whole.cpu_ns, 5000);
}

/* If the on-CPU time of a region is unknown, it is not known how much is left for others. */
Test(overhead, threads_beside_one_with_unknown_on_cpu_time)
{
	add_calls("render", 0, 2, 2000)->flags = RS_ACCUMULATOR_UNWATCHED;
	add_calls("parse", 0, 1, 2000);
	outcome.usage.ru_utime.tv_usec = 5;
	options.per_thread = true;
	summarize();
	cr_expect_not(summary.places[0].has_cpu);
	cr_expect_eq(summary.places[1].cpu_ns, 5000);
}
