/* SPDX-License-Identifier: MIT */
/* Sums, averages and deviations: exact where naive floating point is not. */
#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

#include "random.h"
#include "stats/moments.h"

static struct rs_moments_sum sum;

/* One cell of n values. */
static void add_cell(const uint64_t *values, size_t n)
{
	struct rs_cell_moments moments = {.min = n > 0 ? UINT64_MAX : 0};
	for (size_t i = 0; i < n; i++) {
		moments.total += values[i];
		moments.self += (int64_t)values[i];
		moments.sum += values[i];
		moments.square += (rs_u128)values[i] * values[i];
		if (values[i] < moments.min)
			moments.min = values[i];
		if (values[i] > moments.max)
			moments.max = values[i];
	}
	rs_moments_sum_add(&sum, &moments, n, n);
}

/* Of 0, 1, 2, 3 whatever is added to each: average 1.5, variance 5/4. */
Test(moments, no_cancellation_at_1e9)
{
	uint64_t values[] = {1000000000, 1000000001, 1000000002, 1000000003};
	add_cell(values, 4);
	cr_assert_eq(rs_moments_sum_average(&sum), 1000000001.5);
	cr_assert_eq(rs_moments_sum_deviation(&sum), sqrt(1.25));
}

Test(moments, no_cancellation_at_1e18)
{
	uint64_t values[] = {1000000000000000000, 1000000000000000002};
	add_cell(values, 2);
	cr_assert_eq(rs_moments_sum_deviation(&sum), 1.0);
}

/* The same four values, 2^40 times each: only integers keep this. */
Test(moments, no_drift_over_many_calls)
{
	rs_u128 times = (rs_u128)1 << 40;
	rs_u128 low = 1000;
	struct rs_cell_moments moments = {.min = 1000, .max = 1003};
	moments.sum = (uint64_t)(times * (4 * low + 6));
	moments.square = times * (low * low + (low + 1) * (low + 1) + (low + 2) * (low + 2) +
					 (low + 3) * (low + 3));
	rs_moments_sum_add(&sum, &moments, (uint64_t)times * 4, (uint64_t)times * 4);
	cr_assert_eq(rs_moments_sum_average(&sum), 1001.5);
	cr_assert_eq(rs_moments_sum_deviation(&sum), sqrt(1.25));
}

Test(moments, equal_values_do_not_deviate)
{
	uint64_t values[1000];
	for (size_t i = 0; i < 1000; i++)
		values[i] = 987654321987;
	add_cell(values, 1000);
	cr_assert_eq(rs_moments_sum_deviation(&sum), 0);
	cr_assert_eq(rs_moments_sum_average(&sum), 987654321987.0);
}

Test(moments, one_value)
{
	uint64_t value = UINT64_MAX;
	add_cell(&value, 1);
	cr_assert_eq(rs_moments_sum_average(&sum), (double)UINT64_MAX);
	cr_assert_eq(rs_moments_sum_deviation(&sum), 0);
	cr_assert_eq(sum.min, UINT64_MAX);
	cr_assert_eq(sum.max, UINT64_MAX);
}

Test(moments, nothing)
{
	cr_assert_eq(rs_moments_sum_average(&sum), 0);
	cr_assert_eq(rs_moments_sum_deviation(&sum), 0);
}

/* Split over cells in any way, the sums are those of all values. */
Test(moments, merging_is_exact)
{
	enum { N = 4096 };
	static uint64_t values[N];
	uint64_t state = 5;
	rs_u128 total = 0, square = 0;
	uint64_t min = UINT64_MAX, max = 0;
	for (size_t i = 0; i < N; i++) {
		values[i] = random_next(&state) >> 20;
		total += values[i];
		square += (rs_u128)values[i] * values[i];
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	for (size_t first = 0; first < N;) {
		size_t n = random_next(&state) % 300;
		n = n < N - first ? n : N - first;
		add_cell(values + first, n);
		first += n;
	}
	cr_assert_eq(sum.counted, N);
	cr_assert(sum.sum == total && sum.total == (rs_i128)total && sum.self == (rs_i128)total);
	cr_assert(sum.square == square);
	cr_assert_eq(sum.min, min);
	cr_assert_eq(sum.max, max);

	/* two passes in long double over the values themselves */
	long double average = (long double)total / N, deviation = 0;
	for (size_t i = 0; i < N; i++)
		deviation += ((long double)values[i] - average) *
			     ((long double)values[i] - average);
	deviation = sqrtl(deviation / N);
	cr_assert_float_eq(
		rs_moments_sum_average(&sum), (double)average, (double)average * DBL_EPSILON);
	cr_assert_float_eq(rs_moments_sum_deviation(&sum), (double)deviation,
		(double)deviation * 4 * DBL_EPSILON);
}

/* 10 once and 20 three times: 17.5 on average, and (56.25 + 3 * 6.25) / 4 = 18.75 around it. */
Test(moments, values_count_as_often_as_their_weights)
{
	struct rs_cell_moments moments = {.min = 10, .max = 20, .sum = 70, .square = 1300};
	rs_moments_sum_add(&sum, &moments, 2, 4);
	cr_assert_eq(sum.counted, 2);
	cr_assert_eq(rs_moments_sum_average(&sum), 17.5);
	cr_assert_eq(rs_moments_sum_deviation(&sum), sqrt(18.75));
}

/* What calls within calls took is an estimate where calls are sampled: on one thread too much. */
Test(moments, totals_of_one_cell_may_be_below_0)
{
	struct rs_cell_moments moments = {.total = (uint64_t)-30, .self = -10};
	rs_moments_sum_add(&sum, &moments, 0, 0);
	moments.total = 100;
	moments.self = 50;
	rs_moments_sum_add(&sum, &moments, 0, 0);
	cr_assert(sum.total == 70 && sum.self == 40);
}

/* 65,536 cells, each with the greatest sum of squares of 2^32 calls. */
Test(moments, greatest_sums_fit)
{
	struct rs_cell_moments moments = {.min = 1, .max = UINT32_MAX, .sum = UINT64_MAX};
	moments.square = (rs_u128)1 << 111;
	for (int i = 0; i < 65536; i++)
		rs_moments_sum_add(&sum, &moments, UINT64_C(1) << 32, UINT64_C(1) << 32);
	cr_assert(sum.sum == (rs_u128)UINT64_MAX * 65536);
	cr_assert(sum.square == (rs_u128)1 << 127);
	rs_moments_sum_add(&sum, &moments, 1, 1);
	for (int i = 0; i < 65536; i++)
		rs_moments_sum_add(&sum, &moments, 1, 1);
	cr_assert(sum.square == ~(rs_u128)0);
}
