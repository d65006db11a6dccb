/* SPDX-License-Identifier: MIT */
/*
 * Tests of events that are more frequent in slow calls. All steps are tested, from the sums for
 * each octave of time to the tails of a row. Expected values follow from arithmetic. Bounds are in
 * ticks here, since a tick is 1 ns.
 */
#include <criterion/criterion.h>

#include <math.h>

#include "fixture.h"
#include "stats/builder.h"
#include "stats/merge.h"

static struct rs_arena arena;
static struct rs_merge merge;
static struct rs_tail tails[RS_TAILS];
static size_t n_tails;

static void finish(void)
{
	rs_arena_finish(&arena);
	fixture_finish();
}

TestSuite(octaves, .init = fixture_start_ticks, .fini = finish);

/* Collect the segment and find the tails of its first row. */
static void find(void)
{
	collect();
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	rs_merge_make(&merge, &arena, &collection, RS_MERGE_REGION);
	n_tails = rs_tails_find(tails, &merge.rows[0]);
}

/* Return how much a tail used of an event. */
static struct rs_tail_event event_of(size_t tail, uint32_t event)
{
	const uint32_t counter = 1 + event;
	return rs_tail_of_event(&tails[tail], &merge.rows[0],
		&merge.rows[0].values[rs_event_of_counter(counter)], &counter, 1);
}

/* Record n calls with the same ticks and events. */
static void add(struct rs_accumulator *accumulator, int n, uint64_t ticks, uint64_t instructions,
	uint64_t cycles, uint64_t faults)
{
	struct builder_call call = CALL(ticks, instructions, cycles, faults);
	for (int i = 0; i < n; i++)
		builder_record(&builder, accumulator, &call);
}

Test(octaves, sums_by_time)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	add(accumulator, 3, 100, 10, 20, 0); /* the first octave: below 128 */
	add(accumulator, 2, 5, 1, 2, 3);
	add(accumulator, 4, 1000, 50, 60, 7); /* 512 to 1023 */
	add(accumulator, 1, 1024, 9, 9, 9); /* 1024 to 2047 */
	collect();
	const struct rs_result *copy = &collection.results[0];
	cr_assert_eq(copy->n_octaves, 3);
	cr_expect_eq(copy->octaves[0].low_ns, 1024);
	cr_expect_eq(copy->octaves[1].low_ns, 512);
	cr_expect_eq(copy->octaves[2].low_ns, 0);
	static const uint64_t expected[3][4] = {{1, 9, 9, 9}, {4, 200, 240, 28}, {5, 32, 64, 6}};
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(copy->octaves[i].weight, expected[i][0]);
		for (int e = 0; e < 3; e++)
			cr_expect_eq(copy->octaves[i].sums[e], expected[i][1 + e]);
	}
}

/* Record 900 calls of 100 ticks, 90 of 1000 and 10 of 10,000, on two threads. */
static void add_three_kinds(void)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	struct rs_accumulator *other = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 10000), 1);
	add(accumulator, 600, 100, 50, 100, 0);
	add(other, 300, 100, 50, 100, 0);
	add(other, 90, 1000, 50, 200, 2);
	add(accumulator, 10, 10000, 50, 5000, 40);
}

Test(octaves, a_tenth_and_a_hundredth)
{
	add_three_kinds();
	find();
	cr_assert_eq(n_tails, 2);
	cr_expect_eq(tails[0].calls, 100);
	cr_expect_float_eq(tails[0].share, 0.1, 1e-12);
	cr_expect_eq(tails[0].bound_ns, 512);
	cr_expect_eq(tails[1].calls, 10);
	cr_expect_float_eq(tails[1].share, 0.01, 1e-12);
	cr_expect_eq(tails[1].bound_ns, 8192);
	const struct rs_tail_event instructions = event_of(0, 0);
	cr_expect(instructions.is_known);
	cr_expect_not(instructions.is_more);
	cr_expect_float_eq(instructions.ratio, 1, 1e-12);
	cr_expect_eq((uint64_t)instructions.total, 5000);
	/* (90 * 200 + 10 * 5000) / 100, compared with 100 */
	cr_expect_float_eq(event_of(0, 1).avg, 680, 1e-9);
	cr_expect_float_eq(event_of(0, 1).ratio, 6.8, 1e-9);
	/* 5000, compared with (900 * 100 + 90 * 200) / 990 */
	cr_expect_float_eq(event_of(1, 1).ratio, 5000 / (108000. / 990), 1e-9);
	/* (180 + 400) / 100, compared with 0; 40, compared with 180 / 990 */
	cr_expect(isinf(event_of(0, 2).ratio));
	cr_expect_float_eq(event_of(0, 2).avg, 5.8, 1e-12);
	cr_expect_float_eq(event_of(1, 2).ratio, 40 / (180. / 990), 1e-9);
}

/* All calls in one octave, half of them in each of two, or three of a hundred: there is no tail. */
Test(octaves, nothing_where_there_is_no_tail)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	add(accumulator, 1000, 600, 1, 1, 1);
	add(accumulator, 1000, 1000, 1, 1, 1);
	find();
	cr_expect_eq(n_tails, 0);
	add(accumulator, 1990, 1025, 1, 1, 1);
	find();
	cr_expect_eq(n_tails, 0);
}

Test(octaves, nothing_of_too_few_calls)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	add(accumulator, 90, 100, 1, 1, 1);
	add(accumulator, 9, 1000, 1, 1, 1);
	find();
	cr_expect_eq(n_tails, 0);
	add(accumulator, 1, 1000, 1, 1, 1);
	find();
	cr_expect_eq(n_tails, 1);
	cr_expect_float_eq(tails[0].share, 0.1, 1e-12);
}

/* The event was not counted in some calls, so it is unknown for the tail. */
Test(octaves, events_that_were_not_counted_in_all_calls)
{
	add_three_kinds();
	struct builder_call call = CALL(100, 50, 100, 0);
	call.not_counted = 2;
	builder_record(&builder, builder_accumulator(&builder, builder_slot(&builder, 0, 73, 1), 1),
		&call);
	find();
	cr_assert_eq(n_tails, 2);
	cr_expect(event_of(0, 0).is_known);
	cr_expect(event_of(0, 1).is_known);
	cr_expect_not(event_of(0, 2).is_known);
}

Test(octaves, samples)
{
	builder_sample(&builder);
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	for (int i = 0; i < 20; i++) {
		struct builder_call call = CALL(i < 10 ? 100 : 1000, 10, 20, i < 10 ? 1 : 3);
		call.weight = i < 10 ? 91 : 11;
		builder_record(&builder, accumulator, &call);
	}
	find();
	/* by weight they are a tenth, but only about 2 of them were measured */
	cr_assert_eq(n_tails, 0);
}
