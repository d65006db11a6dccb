/* SPDX-License-Identifier: MIT */
/*
 * Tests of distributions of known values. Each value takes the way of every call: recorded by the
 * runtime in its accumulator, collected from the segment, merged. Expected values come from the
 * sorted numbers and from arithmetic.
 */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "../stats/random.h"
#include "record_value.h"
#include "stats/merge.h"

#define VALUES 1000000

static struct fixture fixture;
static struct rs_arena arena;
static uint64_t state = 7;

static void start(void)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("values");
}

/* Return the region's time, after checking that it has so many calls. */
static const struct rs_value *merge(uint64_t calls)
{
	static struct rs_merge merge;
	fixture_collect(&fixture);
	rs_merge_make(&merge, &arena, &fixture.collection, RS_MERGE_REGION);
	cr_assert_eq(merge.n_rows, 1);
	cr_assert_eq(merge.rows[0].calls, calls);
	const struct rs_value *time = &merge.rows[0].values[RS_EVENT_TIME];
	cr_assert_eq(rs_histogram_count(&time->histogram), calls);
	return time;
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(shapes, .init = start, .fini = finish);

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static void expect_quantile(const uint64_t *sorted, unsigned percent, uint64_t found)
{
	/* The percentile by nearest rank. */
	double exact = (double)sorted[VALUES / 100 * percent - 1];
	cr_expect_leq(fabs((double)found - exact), 0.01 * exact, "p%u: %lu, not %.0f", percent,
		found, exact);
}

static uint64_t quantile(const struct rs_value *value, unsigned percent)
{
	return rs_histogram_quantile(&value->histogram, percent * 10000, value->min, value->max);
}

/* Record values from draw(), and compare their statistics with the expected ones. */
static void check(uint64_t (*draw)(void))
{
	uint64_t *values = malloc(VALUES * sizeof(*values));
	long double sum = 0, squares = 0;
	cr_assert_not_null(values);
	for (int i = 0; i < VALUES; i++) {
		values[i] = draw();
		record_value(values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare);
	for (int i = 0; i < VALUES; i++)
		sum += (long double)values[i];
	for (int i = 0; i < VALUES; i++) {
		long double off = (long double)values[i] - sum / VALUES;
		squares += off * off;
	}
	const struct rs_value *time = merge(VALUES);
	expect_quantile(values, 50, quantile(time, 50));
	expect_quantile(values, 90, quantile(time, 90));
	expect_quantile(values, 99, quantile(time, 99));
	cr_expect_eq(time->min, values[0]);
	cr_expect_eq(time->max, values[VALUES - 1]);
	cr_expect_eq(time->sum, (uint64_t)sum);
	double avg = (double)(sum / VALUES), deviation = (double)sqrtl(squares / VALUES);
	cr_expect_leq(fabs(rs_value_average(time) - avg), 1e-9 * avg);
	cr_expect_leq(fabs(rs_value_deviation(time) - deviation), 1e-9 * avg);
	free(values);
}

static uint64_t draw_uniform(void)
{
	return 1000 + random_next(&state) % 99000;
}

Test(shapes, uniform)
{
	check(draw_uniform);
}

static uint64_t draw_normal(void)
{
	return (uint64_t)fmax(50000 + 5000 * random_normal(&state), 0);
}

Test(shapes, normal)
{
	check(draw_normal);
}

static uint64_t draw_bimodal(void)
{
	return random_uniform(&state) < 0.85
		       ? (uint64_t)fmax(300 + 10 * random_normal(&state), 0)
		       : (uint64_t)fmax(2000000 + 50000 * random_normal(&state), 0);
}

Test(shapes, bimodal)
{
	check(draw_bimodal);
}

/* Pareto's distribution with exponent 1.2, whose variance is infinite. */
static uint64_t draw_heavy_tail(void)
{
	return (uint64_t)(200 * pow(random_uniform(&state), -1 / 1.2));
}

Test(shapes, heavy_tail)
{
	check(draw_heavy_tail);
}

static uint64_t draw_constant(void)
{
	return 123457;
}

Test(shapes, constant)
{
	check(draw_constant);
	cr_expect_eq(quantile(merge(VALUES), 50), 123457);
}

/* Ten million values from 10^9 to 10^9 + 9, a million of each. The average is 10^9 + 4.5 and the
 * variance that of 0 to 9, 8.25. A floating-point sum of squares would lose all of it. */
Test(shapes, small_differences_of_large_values)
{
	for (int i = 0; i < 10 * VALUES; i++)
		record_value(1000000000 + (uint64_t)i % 10);
	const struct rs_value *time = merge(10 * VALUES);
	cr_expect_eq(rs_value_average(time), 1000000004.5);
	cr_expect_float_eq(rs_value_deviation(time), sqrt(8.25), 1e-9);
	cr_expect_eq(time->min, 1000000000);
	cr_expect_eq(time->max, 1000000009);
}
