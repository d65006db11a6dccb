/* SPDX-License-Identifier: MIT */
/* Log-linear histograms: bucket edges, and quantiles beside those of the sorted values. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stats/histogram.h"

static struct rs_histogram_sum sum;

static void add_value(uint64_t value)
{
	cr_assert(rs_histogram_sum_add(&sum, rs_bucket_of(value), 1));
}

Test(histogram, buckets_below_512_hold_one_value_each)
{
	for (uint64_t value = 0; value < 512; value++) {
		cr_assert_eq(rs_bucket_of(value), value);
		cr_assert_eq(rs_bucket_low((uint32_t)value), value);
		cr_assert_eq(rs_bucket_width((uint32_t)value), 1);
	}
}

/* At each power of two a bucket begins, and the value before is the last of the bucket before. */
Test(histogram, edges_at_powers_of_two)
{
	for (unsigned power = 8; power < 64; power++) {
		uint64_t value = UINT64_C(1) << power;
		uint32_t bucket = rs_bucket_of(value);
		cr_assert_eq(bucket, (power - 7) * 256, "2^%u", power);
		cr_assert_eq(rs_bucket_low(bucket), value);
		cr_assert_eq(rs_bucket_of(value - 1), bucket - 1);
		cr_assert_eq(rs_bucket_low(bucket - 1) + rs_bucket_width(bucket - 1), value);
	}
	cr_assert_eq(rs_bucket_of(UINT64_MAX), RS_HISTOGRAM_BUCKETS - 1);
}

Test(histogram, every_value_lies_in_its_bucket)
{
	uint64_t state = 3;
	for (int i = 0; i < 1000000; i++) {
		uint64_t value = random_next(&state) >> random_next(&state) % 64;
		uint32_t bucket = rs_bucket_of(value);
		cr_assert_geq(value, rs_bucket_low(bucket));
		cr_assert_lt(value - rs_bucket_low(bucket), rs_bucket_width(bucket));
	}
}

static int compare_values(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* Nearest rank: the smallest value such that percent of the values are no greater. */
static uint64_t exact_quantile(const uint64_t *sorted, size_t n, unsigned percent)
{
	size_t rank = (n * percent + 99) / 100;
	return sorted[rank - 1];
}

static void check_quantiles(uint64_t *values, size_t n)
{
	static const unsigned percents[] = {1, 10, 25, 50, 75, 90, 95, 99, 100};
	rs_histogram_sum_clear(&sum);
	for (size_t i = 0; i < n; i++)
		add_value(values[i]);
	qsort(values, n, sizeof(*values), compare_values);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t exact = exact_quantile(values, n, percents[i]);
		uint64_t found = rs_histogram_sum_quantile(
			&sum, percents[i], values[0], values[n - 1]);
		uint64_t error = found > exact ? found - exact : exact - found;
		if (exact < 128)
			cr_assert_eq(found, exact, "p%u of %zu", percents[i], n);
		cr_assert_leq((double)error, 0.008 * (double)exact,
			"p%u of %zu: %llu instead of %llu", percents[i], n,
			(unsigned long long)found, (unsigned long long)exact);
	}
}

Test(histogram, quantiles_are_within_0_8_percent)
{
	enum { MOST = 5000 };
	static uint64_t values[MOST];
	uint64_t state = 4;
	for (unsigned shift = 0; shift < 64; shift++) {
		size_t n = 1 + random_next(&state) % MOST;
		for (size_t i = 0; i < n; i++)
			values[i] = random_next(&state) >> shift;
		check_quantiles(values, n);
		for (size_t i = 0; i < n; i++)
			values[i] = random_next(&state) >> random_next(&state) % (shift + 1);
		check_quantiles(values, n);
	}
}

/* 1 to 100: the nearest rank of p% is p itself, and all are exact below 128. */
Test(histogram, p90_of_uniform)
{
	for (uint64_t value = 1; value <= 100; value++)
		add_value(value);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 50, 1, 100), 50);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 90, 1, 100), 90);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 99, 1, 100), 99);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 100, 1, 100), 100);
}

/* ceil(0.9 * 10) = 9: the ninth of ten, not the tenth */
Test(histogram, nearest_rank_of_few)
{
	for (uint64_t value = 1; value <= 10; value++)
		add_value(value * 10);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 90, 10, 100), 90);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 91, 10, 100), 100);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 50, 10, 100), 50);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 1, 10, 100), 10);
}

Test(histogram, equal_values_are_their_quantiles)
{
	for (int i = 0; i < 1000; i++)
		add_value(123456789);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 50, 123456789, 123456789), 123456789);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 99, 123456789, 123456789), 123456789);
}

Test(histogram, merging_adds_bucket_by_bucket)
{
	uint32_t buckets[] = {5, 100, 3000};
	uint64_t counts[] = {1, 2, 3};
	struct rs_histogram histogram = {.buckets = buckets, .counts = counts, .n = 3};
	rs_histogram_sum_merge(&sum, &histogram);
	rs_histogram_sum_merge(&sum, &histogram);
	cr_assert_eq(sum.n, 12);
	cr_assert_eq(sum.counts[5], 2);
	cr_assert_eq(sum.counts[100], 4);
	cr_assert_eq(sum.counts[3000], 6);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 50, 0, UINT64_MAX), 100);
}

Test(histogram, clearing_leaves_nothing)
{
	static const struct rs_histogram_sum zeroed;
	for (unsigned shift = 0; shift < 64; shift++)
		add_value(UINT64_MAX >> shift);
	rs_histogram_sum_clear(&sum);
	cr_assert(memcmp(&sum, &zeroed, sizeof(sum)) == 0);
}

Test(histogram, count_cannot_overflow)
{
	cr_assert(rs_histogram_sum_add(&sum, 1, UINT64_MAX));
	cr_assert_not(rs_histogram_sum_add(&sum, 1, 1));
	cr_assert_eq(sum.n, UINT64_MAX);
	cr_assert_eq(rs_histogram_sum_quantile(&sum, 99, 0, UINT64_MAX), 1);
}
