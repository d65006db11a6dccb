/* SPDX-License-Identifier: MIT */
/* Tests of histograms: edges of buckets, and quantiles compared with those of the sorted values. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "random.h"
#include "segment/buckets.h"
#include "stats/histogram.h"

static struct rs_arena arena;
static struct rs_histogram sum;

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(histogram, .fini = finish);

/* Make n histograms of one value each. */
static void set_values(const uint64_t *values, size_t n)
{
	static struct rs_bucket buckets[5000];
	static struct rs_value single[5000];
	static const struct rs_value *all[5000];
	for (size_t i = 0; i < n; i++) {
		buckets[i] = rs_histogram_bucket(values[i], 1);
		single[i].histogram = (struct rs_histogram){.buckets = &buckets[i], .n = 1};
		all[i] = &single[i];
	}
	rs_histogram_merge(&sum, all, n, &arena);
	cr_assert_eq(rs_histogram_count(&sum), n);
}

static uint64_t quantile(unsigned percent, uint64_t min, uint64_t max)
{
	return rs_histogram_quantile(&sum, percent * 10000, min, max);
}

Test(histogram, buckets_below_512_hold_one_value_each)
{
	for (uint64_t value = 0; value < 512; value++) {
		cr_assert_eq(rs_bucket_of(value), value);
		cr_assert_eq(rs_bucket_low((uint32_t)value), value);
		cr_assert_eq(rs_bucket_width((uint32_t)value), 1);
	}
}

/* A bucket begins at each power of two. The value before it is the last one of another bucket. */
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

/* Return the quantile by nearest rank: the smallest value that `percent` percent of the values do
 * not exceed. */
static uint64_t exact_quantile(const uint64_t *sorted, size_t n, unsigned percent)
{
	size_t rank = (n * percent + 99) / 100;
	return sorted[rank - 1];
}

static void check_quantiles(uint64_t *values, size_t n)
{
	static const unsigned percents[] = {1, 10, 25, 50, 75, 90, 95, 99, 100};
	rs_arena_finish(&arena);
	set_values(values, n);
	qsort(values, n, sizeof(*values), compare_values);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t exact = exact_quantile(values, n, percents[i]);
		uint64_t found = quantile(percents[i], values[0], values[n - 1]);
		uint64_t error = found > exact ? found - exact : exact - found;
		if (exact < 512)
			cr_assert_eq(found, exact, "p%u of %zu", percents[i], n);
		if (exact == values[0] || exact == values[n - 1])
			cr_assert_eq(found, exact, "p%u of %zu", percents[i], n);
		cr_assert_leq((double)error, (double)exact / 512,
			"p%u of %zu: %llu instead of %llu", percents[i], n,
			(unsigned long long)found, (unsigned long long)exact);
	}
}

Test(histogram, quantiles_are_within_half_a_bucket)
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

/* One value is above the middle of its bucket, the other below. */
Test(histogram, equal_values_are_their_quantiles)
{
	static const uint64_t values[] = {123456789, 123207681};
	for (size_t v = 0; v < 2; v++) {
		const uint64_t same[] = {values[v], values[v], values[v]};
		set_values(same, 3);
		cr_assert_eq(sum.n, 1);
		cr_assert_eq(quantile(50, values[v], values[v]), values[v]);
	}
}

Test(histogram, merging_adds_bucket_by_bucket)
{
	struct rs_bucket one[] = {rs_histogram_bucket(5, 1), rs_histogram_bucket(100, 2),
		rs_histogram_bucket(1 << 20, 3)};
	struct rs_bucket other[] = {rs_histogram_bucket(7, 5), rs_histogram_bucket(100, 1)};
	const struct rs_value a = {.histogram = {one, 3, false}};
	const struct rs_value b = {.histogram = {other, 2, true}}, *both[] = {&a, &b};
	static const uint64_t low[] = {5, 7, 100, 1 << 20}, counts[] = {1, 5, 3, 3};
	rs_histogram_merge(&sum, both, 2, &arena);
	cr_assert_eq(sum.n, 4);
	cr_expect(sum.incomplete);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(sum.buckets[i].low, low[i]);
		cr_expect_eq(sum.buckets[i].count, counts[i]);
	}
	cr_expect_eq(rs_histogram_count(&sum), 12);
	cr_expect_eq(quantile(50, 0, UINT64_MAX), 7);
}

Test(histogram, of_nothing)
{
	const struct rs_value none = {0}, *two[] = {&none, &none};
	rs_histogram_merge(&sum, two, 2, &arena);
	cr_assert_eq(sum.n, 0);
	cr_assert_eq(rs_histogram_count(&sum), 0);
}

Test(histogram, count_cannot_overflow)
{
	struct rs_bucket bucket = rs_histogram_bucket(1, UINT64_MAX);
	const struct rs_value full = {.histogram = {&bucket, 1, false}}, *two[] = {&full, &full};
	rs_histogram_merge(&sum, two, 2, &arena);
	cr_assert_eq(rs_histogram_count(&sum), UINT64_MAX);
	cr_assert_eq(quantile(99, 0, 9), 1);
}
