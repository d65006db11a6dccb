/* SPDX-License-Identifier: MIT */
/* Tests of adding values: the sum is exact where simple floating point is not, and does not depend
 * on the order. */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "random.h"
#include "stats/histogram.h"
#include "stats/value.h"

static struct rs_arena arena;

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(value, .fini = finish);

/* Return the value of n calls with one number each. */
static struct rs_value value_of(uint64_t number, uint64_t n)
{
	struct rs_bucket *bucket = rs_arena_array(&arena, 1, sizeof(*bucket));
	*bucket = rs_histogram_bucket(number, n);
	return (struct rs_value){.counted = n,
		.weight = n,
		.sum = number * n,
		.min = number,
		.max = number,
		.total = number * n,
		.self = (int64_t)(number * n),
		.enabled_ns = 3 * n,
		.running_ns = 2 * n,
		.variance = (double)number,
		.histogram = {bucket, 1, false}};
}

static struct rs_value merge(const struct rs_value *values, size_t n)
{
	const struct rs_value *all[4096];
	struct rs_value sum;
	for (size_t i = 0; i < n; i++)
		all[i] = &values[i];
	rs_value_merge(&sum, all, n, &arena);
	return sum;
}

static struct rs_value merge_numbers(const uint64_t *numbers, size_t n, uint64_t times)
{
	struct rs_value values[8];
	for (size_t i = 0; i < n; i++)
		values[i] = value_of(numbers[i], times);
	return merge(values, n);
}

/* Numbers around large averages. The variance of 0, 1, 2 and 3 is 5/4. */
Test(value, deviations_are_exact)
{
	static const struct {
		uint64_t numbers[4];
		size_t n;
		uint64_t times; /* how often each number is added */
		double average, variance;
	} cases[] = {
		{{1000000000, 1000000001, 1000000002, 1000000003}, 4, 1, 1000000001.5, 1.25},
		{{1000000000000000000, 1000000000000000002}, 2, 1, 1e18, 1},
		{{1000, 1001, 1002, 1003}, 4, UINT64_C(1) << 40, 1001.5, 1.25},
		{{987654321987, 987654321987, 987654321987}, 3, 333, 987654321987.0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rs_value sum = merge_numbers(cases[i].numbers, cases[i].n, cases[i].times);
		cr_expect_eq(rs_value_average(&sum), cases[i].average, "%zu", i);
		cr_expect_eq(rs_value_deviation(&sum), sqrt(cases[i].variance), "%zu", i);
	}
}

Test(value, one_number)
{
	const uint64_t number = UINT64_MAX;
	struct rs_value sum = merge_numbers(&number, 1, 1);
	cr_assert_eq(rs_value_average(&sum), (double)UINT64_MAX);
	cr_assert_eq(rs_value_deviation(&sum), 0);
	cr_assert_eq(sum.min, UINT64_MAX);
	cr_assert_eq(sum.max, UINT64_MAX);
}

Test(value, nothing)
{
	struct rs_value sum = merge(NULL, 0);
	cr_assert_eq(rs_value_average(&sum), 0);
	cr_assert_eq(rs_value_deviation(&sum), 0);
	cr_assert_eq(sum.counted, 0);
}

/* 10 once and 20 three times: 17.5 on average, with a variance of (56.25 + 3 * 6.25) / 4 =
 * 18.75. */
Test(value, numbers_count_as_often_as_their_weights)
{
	struct rs_value values[] = {value_of(10, 1), value_of(20, 3)};
	values[1].counted = 1;
	struct rs_value sum = merge(values, 2);
	cr_assert_eq(sum.counted, 2);
	cr_assert_eq(rs_value_average(&sum), 17.5);
	cr_assert_eq(rs_value_deviation(&sum), sqrt(18.75));
}

/* Calls that were not counted whole are only in totals. */
Test(value, totals_only)
{
	struct rs_value values[] = {value_of(10, 5), {.total = 7, .self = -2}};
	struct rs_value sum = merge(values, 2);
	cr_expect_eq(sum.total, 57);
	cr_expect_eq(sum.self, 48);
	cr_expect_eq(sum.weight, 5);
	cr_expect_eq(sum.min, 10);
}

/* If the context switches of one value are unknown, those of the sum are too. */
Test(value, what_one_does_not_know_the_sum_does_not)
{
	struct rs_value values[] = {value_of(10, 5), value_of(10, 5), value_of(10, 5)};
	values[1].status = RS_VALUE_NOT_SUPPORTED;
	cr_expect_eq(merge(values, 3).status, RS_VALUE_NOT_SUPPORTED);
	cr_expect_eq(merge(values, 1).status, RS_VALUE_OK);
}

Test(value, sums_saturate)
{
	struct rs_value values[] = {value_of(UINT64_MAX, 1), value_of(UINT64_MAX, 1)};
	values[0].self = values[1].self = INT64_MAX;
	struct rs_value sum = merge(values, 2);
	cr_expect_eq(sum.sum, UINT64_MAX);
	cr_expect_eq(sum.total, UINT64_MAX);
	cr_expect_eq(sum.self, INT64_MAX);
	values[0].self = values[1].self = INT64_MIN;
	cr_expect_eq(merge(values, 2).self, INT64_MIN);
}

static void expect_same(const struct rs_value *a, const struct rs_value *b)
{
	cr_expect_eq(a->counted, b->counted);
	cr_expect_eq(a->weight, b->weight);
	cr_expect_eq(a->sum, b->sum);
	cr_expect_eq(a->min, b->min);
	cr_expect_eq(a->max, b->max);
	cr_expect_eq(a->total, b->total);
	cr_expect_eq(a->self, b->self);
	cr_expect_eq(a->enabled_ns, b->enabled_ns);
	cr_expect_eq(a->running_ns, b->running_ns);
	cr_assert_eq(a->histogram.n, b->histogram.n);
	cr_expect(memcmp(a->histogram.buckets, b->histogram.buckets,
			  a->histogram.n * sizeof(*a->histogram.buckets)) == 0);
	/* each of up to 4,096 additions of doubles rounds by at most half of DBL_EPSILON */
	cr_expect_float_eq(a->square, b->square, a->square * 4096 * DBL_EPSILON);
	cr_expect_float_eq(a->variance, b->variance, a->variance * 4096 * DBL_EPSILON);
}

/* Values are added all at once, in another order, and in groups of any size whose sums are
 * added. */
Test(value, any_order_is_equal)
{
	enum { N = 4096 };
	static struct rs_value values[N], groups[N];
	static uint64_t numbers[N];
	uint64_t state = 5;
	long double total = 0, square = 0, weight = 0;
	for (size_t i = 0; i < N; i++) {
		numbers[i] = random_next(&state) >> (20 + random_next(&state) % 30);
		values[i] = value_of(numbers[i], 1 + random_next(&state) % 7);
		total += (long double)values[i].sum;
		weight += (long double)values[i].weight;
	}
	struct rs_value all = merge(values, N);
	/* two passes over the numbers themselves give the expected values */
	for (size_t i = 0; i < N; i++) {
		long double off = (long double)numbers[i] - total / weight;
		square += off * off * (long double)values[i].weight;
	}
	cr_expect_float_eq(all.square, (double)square, (double)square * N * DBL_EPSILON);
	cr_expect_eq(all.sum, (uint64_t)total);
	for (int round = 0; round < 20; round++) {
		size_t n_groups = 0;
		for (size_t i = N - 1; i > 0; i--) {
			size_t other = random_next(&state) % (i + 1);
			struct rs_value kept = values[i];
			values[i] = values[other];
			values[other] = kept;
		}
		struct rs_value again = merge(values, N);
		expect_same(&all, &again);
		for (size_t first = 0, n; first < N; first += n) {
			n = random_next(&state) % 300;
			n = n < N - first ? n : N - first;
			groups[n_groups++] = merge(values + first, n);
		}
		again = merge(groups, n_groups);
		expect_same(&all, &again);
	}
}
