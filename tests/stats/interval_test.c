/* SPDX-License-Identifier: MIT */
/* Tests of intervals: the histograms of all intervals add up to that of the run, also when a bucket
 * moves between two looks, and later estimates are smaller. */
#include <criterion/criterion.h>

#include "metrics/metrics.h"
#include "random.h"
#include "segment/buckets.h"
#include "stats/histogram.h"
#include "stats/interval.h"

#define N_BUCKETS 1200u

static struct rs_plan plan;
static struct rs_run run = {.plan = &plan, .n_regions = 1};
static struct rs_summary_column columns[RS_EVENT_FIRST];
static struct rs_value total[RS_EVENT_FIRST], values[RS_EVENT_FIRST];
static struct rs_summary_region region = {.name = "a", .values = values};
static struct rs_summary summary = {.run = &run,
	.columns = columns,
	.n_columns = RS_EVENT_FIRST,
	.total = {.values = total},
	.merged = &region,
	.n_merged = 1};
static struct rs_intervals intervals;
static struct rs_interval interval;
static uint64_t counts[N_BUCKETS]; /* of the run */
static struct rs_bucket buckets[N_BUCKETS];
static struct rs_metrics usual;

static void init(void)
{
	summary.usual = &usual;
}

static void finish(void)
{
	rs_intervals_finish(&intervals);
}

TestSuite(interval, .init = init, .fini = finish);

/* Make the summary from counts, in which each call takes the low bound of its bucket. */
static void look(uint64_t n_calls, bool is_last)
{
	struct rs_value *time = &values[0];
	size_t n = 0;
	*time = (struct rs_value){.counted = n_calls, .weight = n_calls};
	for (uint32_t i = 0; i < N_BUCKETS; i++) {
		if (counts[i] == 0)
			continue;
		buckets[n++] = rs_histogram_bucket(rs_bucket_low(i), counts[i]);
		time->sum += counts[i] * rs_bucket_low(i);
	}
	time->histogram = (struct rs_histogram){.buckets = buckets, .n = n};
	time->min = n > 0 ? buckets[0].low : 0;
	time->max = n > 0 ? buckets[n - 1].low : 0;
	time->total = time->sum;
	time->self = (int64_t)time->sum;
	region.calls = n_calls;
	cr_assert(rs_interval_make(&interval, &intervals, &summary, is_last));
}

static const struct rs_value *time_of_interval(void)
{
	return &interval.regions[0].values[0];
}

Test(interval, histograms_add_up)
{
	static uint64_t sums[N_BUCKETS];
	uint64_t state = 1, n_calls = 0;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 50; i++, n_calls++)
			counts[random_next(&state) % N_BUCKETS]++;
		look(n_calls, round == 199);
		const struct rs_value *time = time_of_interval();
		cr_assert_eq(interval.regions[0].calls, 50);
		cr_assert_eq(rs_histogram_count(&time->histogram), 50);
		for (size_t i = 0; i < time->histogram.n; i++)
			sums[rs_bucket_of(time->histogram.buckets[i].low)] +=
				time->histogram.buckets[i].count;
		cr_assert(time->min <= time->max && time->min < rs_bucket_low(N_BUCKETS));
		rs_interval_finish(&interval);
	}
	cr_assert_arr_eq(sums, counts, sizeof(counts));
}

/* A bucket of a million calls moves up, and another one down, while 10 calls end elsewhere. */
Test(interval, a_bucket_that_moves_is_not_new)
{
	counts[300] = 1000000;
	counts[400] = 500000;
	look(1500000, false);
	rs_interval_finish(&interval);
	counts[300] = counts[400] = 0;
	counts[301] = 1000000;
	counts[399] = 500000;
	counts[500] = 10;
	look(1500010, false);
	const struct rs_value *time = time_of_interval();
	cr_assert_eq(time->histogram.n, 1);
	cr_assert_eq(time->histogram.buckets[0].low, rs_bucket_low(500));
	cr_assert_eq(time->histogram.buckets[0].count, 10);
	cr_assert_eq(time->max, rs_bucket_low(500));
	rs_interval_finish(&interval);
}

/* All calls of the second interval are in the highest bucket of the run, below its middle. */
Test(interval, the_max_of_the_run_is_exact)
{
	for (uint32_t bucket = 1000; bucket <= 1100; bucket += 100) {
		counts[bucket] = 2;
		look(values[0].counted + 2, false);
		cr_assert_leq(time_of_interval()->min, rs_bucket_low(bucket));
		cr_assert_eq(time_of_interval()->max, rs_bucket_low(bucket));
		rs_interval_finish(&interval);
	}
}

/* A total that a look finds smaller is 0, and its difference is made up for later. */
Test(interval, smaller_estimates)
{
	const uint64_t totals[] = {100, 90, 95, 120, 110};
	const int64_t expected[] = {100, 0, 0, 20, -10};
	for (int i = 0; i < 5; i++) {
		region.calls = (uint64_t)i + 1;
		values[0] = (struct rs_value){.total = totals[i], .lacks_self = true};
		cr_assert(rs_interval_make(&interval, &intervals, &summary, i == 4));
		cr_assert_eq((int64_t)time_of_interval()->total, expected[i]);
		rs_interval_finish(&interval);
	}
}

/* Without calls a region has no values, which a later interval then has. */
Test(interval, values_wait_for_a_call)
{
	const uint64_t calls[] = {1, 1, 2}, totals[] = {100, 107, 120}, expected[] = {100, 0, 20};
	for (int i = 0; i < 3; i++) {
		region.calls = calls[i];
		values[0] = (struct rs_value){.total = totals[i], .lacks_self = true};
		cr_assert(rs_interval_make(&interval, &intervals, &summary, false));
		cr_assert_eq(time_of_interval()->total, expected[i]);
		rs_interval_finish(&interval);
	}
}
