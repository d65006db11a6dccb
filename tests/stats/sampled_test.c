/* SPDX-License-Identifier: MIT */
/* Tests of collecting sampled calls: weights are read, and invalid weights are rejected. */
#include <criterion/criterion.h>

#include "expect.h"
#include "fixture.h"
#include "stats/histogram.h"

static uint32_t slot;
static struct rs_accumulator *accumulator; /* region "victim" on slot 0 */

static void start(void)
{
	fixture_start_ticks();
	builder_sample(&builder);
	slot = builder_slot(&builder, builder_process(&builder, 70), 71, 1000000);
	accumulator = builder_accumulator(&builder, slot, builder_region(&builder, "victim"));
}

TestSuite(sampled, .init = start, .fini = fixture_finish, .timeout = 60);

/* Record a call with 10, 20 and 30 of the events. */
static void record_call(uint64_t time, uint32_t not_counted, uint64_t weight)
{
	uint64_t deltas[] = {time, 10, 20, 30};
	struct builder_call call = {.deltas = deltas,
		.not_counted = not_counted,
		.enabled_ns = 10,
		.running_ns = not_counted ? 5 : 10,
		.children = 3,
		.inner = 2,
		.weight = weight};
	builder_record(&builder, accumulator, &call);
}

Test(sampled, weights_come_back)
{
	record_call(100, 0, 1);
	record_call(300, 2, 7);
	record_call(200, 0, 1001);
	accumulator->skipped = 900;
	accumulator->pending = (uint64_t)-4;
	accumulator->pair_ticks = 50;
	accumulator->skip_ticks = 6;
	accumulator->own_ticks = 70;
	collect();
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	const struct rs_result *copy = &collection.results[0];
	cr_expect_eq(copy->measured, 3);
	cr_expect_eq(copy->weight, 1009);
	cr_expect_eq(rs_result_skipped(copy), 900);
	EXPECT(&copy->values[rs_event_of_counter(1)], "weight=1009");
	/* 1002 * 30, 903 * 28, 10 + 7 * 5 + 10010 */
	const struct rs_value *third = &copy->values[rs_event_of_counter(3)];
	EXPECT(third, "counted=2 weight=1002 sum=30060 total=25284 running_ns=10055");
	cr_expect_eq(rs_histogram_count(&third->histogram), 1002);
	/* 903 calls, which the measured ones represent as 1,009: (202,400 - 2,018) * 903 / 1,009;
	 * (202,400 - 3,027) * 903 / 1,009 */
	const struct rs_value *time = &copy->values[RS_EVENT_TIME];
	EXPECT(time, "sum=202400 total=179331 self_total=178428 max=300");
	cr_expect_float_eq(
		time->square, 10000.0 + 7 * 90000 + 1001 * 40000 - 202400.0 * 202400 / 1009, 1e-6);
	cr_expect_eq(rs_histogram_count(&time->histogram), 1009);
	cr_expect_eq((int64_t)copy->pending, -4);
	cr_expect_eq(copy->overhead.measured_ns, 3 * 50 + 70);
	cr_expect_eq(copy->overhead.fast_ns, 3 * 50);
	cr_expect_eq(copy->overhead.skipped_ns, 900 * 6);
}

/* Record 100 calls of 1,000 to 1,099 ticks, each with weight 11. The first one was not counted. */
static void fill(void)
{
	for (uint64_t i = 0; i < 100; i++)
		record_call(1000 + i, i == 0, 11);
}

static void assert_left_out(size_t n_accumulators)
{
	collect();
	cr_assert_eq(collection.n_results, n_accumulators);
	cr_assert_eq(collection.n_damaged, 1);
}

Test(sampled, nothing_wrong_to_begin_with)
{
	fill();
	collect();
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
	cr_assert_eq(collection.results[0].weight, 1100);
}

static void assert_weights_refused(uint64_t weights)
{
	accumulator->weights = weights;
	assert_left_out(0);
}

/* Weights of 100 calls are at least 100, and sums are those of 1,100 calls. */
Test(sampled, weights)
{
	fill();
	static const uint64_t weights[] = {0, 1, 99, 100, 900, 1000, RS_MAX_CALLS - 1, RS_MAX_CALLS,
		INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++)
		assert_weights_refused(weights[i]);
}

Test(sampled, weights_without_calls)
{
	fill();
	struct rs_accumulator *other = builder_accumulator(
		&builder, slot, builder_region(&builder, "other"));
	other->weights = 1;
	assert_left_out(1);
}

/* One call is not counted, and its weight is 11. */
Test(sampled, uncounted_weights)
{
	fill();
	static const uint64_t weights[] = {
		0, 9, 10, 12, 901, 1100, 1101, UINT64_MAX - 10, UINT64_MAX};
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		builder_groups(&builder, accumulator)->uncounted_weights = weights[i];
		assert_left_out(0);
	}
}

Test(sampled, all_weights_uncounted_and_some_calls_counted)
{
	fill();
	builder_groups(&builder, accumulator)->uncounted_weights = 1100;
	assert_left_out(0);
}

/* The program removed the flag of sampling, so sums have more calls than there are. */
Test(sampled, flag_taken_away)
{
	fill();
	builder.segment.header->flags = 0;
	assert_left_out(0);
}

/* The latest weight is even, 0 or too large. */
Test(sampled, latest_weight)
{
	static const uint64_t weights[] = {0, 10, 12, RS_MAX_CALLS + 1, UINT64_MAX};
	fill();
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		accumulator->latest_weight = weights[i];
		collect();
		cr_expect_eq(collection.n_damaged, 1, "%zu", i);
	}
}

/* A histogram has more calls than were counted. */
Test(sampled, histogram_of_too_many)
{
	fill();
	*builder_count(&builder, accumulator, 1, 10) += 22;
	collect();
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.n_damaged, 1);
	cr_assert(collection.results[0].values[rs_event_of_counter(1)].histogram.incomplete);
	cr_assert_not(collection.results[0].values[RS_EVENT_TIME].histogram.incomplete);
}
