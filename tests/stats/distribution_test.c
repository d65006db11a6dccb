/* SPDX-License-Identifier: MIT */
/* Tests of distributions of regions. Their histograms are known. */
#include <criterion/criterion.h>

#include "segment/accumulator.h"
#include "stats/builder.h"
#include "stats/histogram.h"

static struct rs_run_region regions[] = {
	{"(other)", 0, true}, {"a", 0, true}, {"a:b", 0, true}, {"", 0, false}};
static struct rs_run run = {.regions = regions, .n_regions = 4};
static struct rs_summary_column columns[] = {{"time", "ns", true, true},
	{"cpu-time", "ns", true, false}, {"blocked", "ns", true, false},
	{"preempted", "ns", true, false}, {"faults:u", "count", true, true},
	{"cycles", "count", false, true}};
static struct rs_value values[2][RS_EVENT_FIRST + 2];
static struct rs_summary_region merged[] = {
	{.name = "a", .values = values[0]}, {.name = "a:b", .values = values[1]}};
static struct rs_summary summary = {.run = &run,
	.columns = columns,
	.n_columns = RS_EVENT_FIRST + 2,
	.merged = merged,
	.n_merged = 2};
static struct rs_arena arena;

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(distribution, .fini = finish);

static struct rs_distribution make(const char *wish)
{
	struct rs_distribution made;
	rs_distribution_make(&made, &arena, &summary, wish);
	return made;
}

static void expect_found(const char *wish, size_t wanted, size_t wanted_column)
{
	const struct rs_distribution found = make(wish);
	cr_assert(found.region, "%s", wish);
	cr_expect_str_eq(found.region, merged[wanted].name, "%s", wish);
	cr_expect_eq(found.column, wanted_column, "%s", wish);
	cr_expect_eq(found.row, &merged[wanted]);
}

Test(distribution, wishes)
{
	expect_found("a", 0, 0);
	expect_found("a:time", 0, 0);
	expect_found("a:faults:u", 0, RS_EVENT_FIRST);
	expect_found("a:b", 1, 0);
	expect_found("a:cpu-time", 0, RS_EVENT_CPU_TIME);
	expect_found("a:b:cpu-time", 1, RS_EVENT_CPU_TIME);
	expect_found("a:b:faults:u", 1, RS_EVENT_FIRST);
	static const char *const wrong[] = {
		"", "b", "a:", "a:cycles", "a:b:c", ":time", "a:blocked"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct rs_distribution made = make(wrong[i]);
		cr_expect_null(made.region, "%s", wrong[i]);
		cr_expect_eq(made.lacks_event, wrong[i][0] == 'a', "%s", wrong[i]);
	}
}

/* A region that was never called has an empty distribution. */
Test(distribution, of_no_calls)
{
	summary.n_merged = 1;
	const struct rs_distribution made = make("a:b");
	cr_expect_str_eq(made.region, "a:b");
	cr_expect_null(made.row);
	cr_expect_eq(made.n_steps, 0);
}

/* There are 10 + i calls with each value i from 0 to 9. */
Test(distribution, small_counts)
{
	static struct rs_bucket buckets[10];
	for (uint32_t i = 0; i < 10; i++)
		buckets[i] = rs_histogram_bucket(i, 10 + i);
	values[0][RS_EVENT_FIRST].histogram = (struct rs_histogram){buckets, 10, false};
	const struct rs_distribution distribution = make("a:faults:u");
	cr_assert_eq(distribution.n_steps, 10);
	cr_expect_eq(distribution.calls, 100 + 45);
	cr_expect_eq(distribution.most, 19);
	for (size_t i = 0; i < 10; i++) {
		cr_expect_eq(distribution.steps[i].low, i);
		cr_expect_eq(distribution.steps[i].high, i);
		cr_expect_eq(distribution.steps[i].calls, 10 + i);
	}
}

/* Between two values that are far apart there is one step. */
Test(distribution, a_gap)
{
	static struct rs_bucket buckets[2];
	static const uint64_t lows[] = {0, 1, 1000000};
	buckets[0] = rs_histogram_bucket(0, 7);
	buckets[1] = rs_histogram_bucket(UINT64_C(1) << 20, 3);
	values[0][RS_EVENT_FIRST].histogram = (struct rs_histogram){buckets, 2, false};
	const struct rs_distribution distribution = make("a:faults:u");
	cr_assert_eq(distribution.n_steps, 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(distribution.steps[i].low, lows[i]);
	cr_expect_eq(distribution.steps[1].calls, 0);
}

/* Values go from 1 to 2^62. There are three steps for each decade without gaps, and each call is in
 * the step of its value. */
Test(distribution, of_all_sizes)
{
	static struct rs_bucket buckets[62];
	for (uint32_t i = 0; i < 62; i++)
		buckets[i] = rs_histogram_bucket(UINT64_C(1) << i, 1);
	values[0][0].histogram = (struct rs_histogram){buckets, 62, false};
	const struct rs_distribution distribution = make("a");
	cr_assert_leq(distribution.n_steps, 3 * 19);
	uint64_t calls = 0;
	for (size_t i = 0; i < distribution.n_steps; i++) {
		const struct rs_distribution_step *step = &distribution.steps[i];
		uint64_t within = 0;
		for (uint32_t bit = 0; bit < 62; bit++)
			within += UINT64_C(1) << bit >= step->low &&
				  UINT64_C(1) << bit <= step->high;
		cr_expect_eq(step->calls, within);
		if (i > 0)
			cr_expect_eq(step->low, distribution.steps[i - 1].high + 1);
		calls += step->calls;
	}
	cr_expect_eq(calls, 62);
}
