/* SPDX-License-Identifier: MIT */
/*
 * Tests of the longest 2 % of a region's calls: their number is rounded down, but at least one. If
 * far fewer calls take nearly as much time, these replace them. Values below 512 have buckets of
 * their own, so sums are exact.
 */
#include <criterion/criterion.h>

#include "stats/builder.h"

static struct rs_value value_of(const struct rs_bucket *buckets, size_t n, uint64_t max)
{
	return (struct rs_value){
		.histogram = {.buckets = (struct rs_bucket *)buckets, .n = n}, .max = max};
}

static const struct rs_value unknown = {.status = RS_VALUE_NOT_SUPPORTED};

Test(long_calls, of_known_histograms)
{
	static const struct {
		struct rs_bucket buckets[3];
		size_t n;
		uint64_t max;
		double calls, time, time_of_part;
		uint64_t bound_ns;
	} cases[] = {
		/* 2 of 100 calls are taken from the 3 calls of 300 ns */
		{{{10, 11, 97}, {300, 301, 3}}, 2, 300, 0.02, 600.0 / 1870, 600.0 / 1870, 300},
		/* 2 of 149 calls are 1.3 %, and come from two buckets */
		{{{10, 11, 147}, {300, 301, 1}, {400, 401, 1}}, 3, 400, 2.0 / 149, 700.0 / 2170,
			700.0 / 2170, 300},
		/* of 200 calls, 20 take nearly as much, but 2 take only 10,000 ns */
		{{{1, 2, 10000}, {5000, 5001, 3}}, 2, 5000, 20.0 / 10003, 15017.0 / 25000,
			15197.0 / 25000, 1},
		{{{1, 2, 10000}, {5000, 5001, 1}}, 2, 5000, 1.0 / 10001, 5000.0 / 15000,
			5199.0 / 15000, 5000},
		/* the longest call took less than its bucket */
		{{{10, 11, 49}, {300, 301, 1}}, 2, 296, 1.0 / 50, 296.0 / 786, 296.0 / 786, 296},
		/* at least one call, unless there is none */
		{{{10, 11, 2}, {20, 21, 1}}, 2, 20, 1.0 / 3, 20.0 / 40, 20.0 / 40, 20},
		{{{0}}, 0, 0, 0, 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rs_value time = value_of(cases[i].buckets, cases[i].n, cases[i].max);
		struct rs_long_calls found;
		rs_long_calls_make(&found, &time, &unknown);
		cr_expect_float_eq(found.calls, cases[i].calls, 1e-12, "%zu", i);
		cr_expect_float_eq(found.time, cases[i].time, 1e-12, "%zu", i);
		cr_expect_float_eq(found.time_of_part, cases[i].time_of_part, 1e-12, "%zu", i);
		cr_expect_eq(found.bound_ns, cases[i].bound_ns, "%zu", i);
		cr_expect_not(found.is_off_cpu, "%zu", i);
	}
}

/* The long calls took 600 ns. With at most 119 ns on the CPU they were off the CPU; with 120 ns
 * that is not certain. */
Test(long_calls, off_the_cpu)
{
	struct rs_bucket buckets[] = {{10, 11, 98}, {300, 301, 2}};
	struct rs_bucket on_cpu[] = {{10, 11, 98}, {59, 60, 1}, {60, 61, 1}};
	struct rs_value time = value_of(buckets, 2, 300), cpu = value_of(on_cpu, 3, 60);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &cpu);
	cr_expect(found.is_off_cpu);
	on_cpu[1] = (struct rs_bucket){60, 61, 1};
	rs_long_calls_make(&found, &time, &cpu);
	cr_expect_not(found.is_off_cpu);
}
