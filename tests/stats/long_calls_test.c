/* SPDX-License-Identifier: MIT */
/*
 * Tests of the longest 2 % of a region's calls: their number is rounded down, but at least one. If
 * far fewer calls take nearly as much time, these replace them. Values below 512 have buckets of
 * their own, so sums are exact.
 */
#include <criterion/criterion.h>

#include "stats/builder.h"

static struct rs_value value_of(struct rs_bucket *buckets, size_t n)
{
	uint64_t max = n > 0 ? buckets[n - 1].high - 1 : 0;
	return (struct rs_value){.histogram = {.buckets = buckets, .n = n}, .max = max};
}

static const struct rs_value unknown = {.status = RS_VALUE_NOT_SUPPORTED};

/* 2 of 100 calls are taken from the 3 calls of 300 ns: 600 of 97 * 10 + 900 ns. */
Test(long_calls, part_of_a_bucket)
{
	struct rs_bucket buckets[] = {{10, 11, 97}, {300, 301, 3}};
	struct rs_value time = value_of(buckets, 2);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.calls, 0.02, 1e-12);
	cr_expect_float_eq(found.time, 600.0 / 1870, 1e-12);
	cr_expect_eq(found.bound_ns, 300);
	cr_expect_not(found.is_off_cpu);
}

/* 2 of 149 calls are 1.3 %, and come from two buckets: 400 and 300 of 147 * 10 + 700 ns. */
Test(long_calls, several_buckets)
{
	struct rs_bucket buckets[] = {{10, 11, 147}, {300, 301, 1}, {400, 401, 1}};
	struct rs_value time = value_of(buckets, 3);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.calls, 2.0 / 149, 1e-12);
	cr_expect_float_eq(found.time, 700.0 / 2170, 1e-12);
	cr_expect_eq(found.bound_ns, 300);
}

/* Of 10,000 calls of 1 ns and 3 of 5,000 ns, 20 calls take 15,017 ns and 2 of them only 10,000. So
 * 200 calls, which take 15,197 ns, are replaced by 20 and no fewer. */
Test(long_calls, far_fewer_that_take_nearly_as_much)
{
	struct rs_bucket buckets[] = {{1, 2, 10000}, {5000, 5001, 3}};
	struct rs_value time = value_of(buckets, 2);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.calls, 20.0 / 10003, 1e-12);
	cr_expect_float_eq(found.time, 15017.0 / 25000, 1e-12);
	cr_expect_float_eq(found.time_of_part, 15197.0 / 25000, 1e-12);
	cr_expect_eq(found.bound_ns, 1);
	buckets[1].count = 1;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.calls, 1.0 / 10001, 1e-12);
	cr_expect_eq(found.bound_ns, 5000);
}

/* The longest call took 296 ns, below its bucket: 296 of 49 * 10 + 296 ns. */
Test(long_calls, are_not_longer_than_the_maximum)
{
	struct rs_bucket buckets[] = {{10, 11, 49}, {300, 301, 1}};
	struct rs_value time = value_of(buckets, 2);
	struct rs_long_calls found;
	time.max = 296;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.time, 296.0 / 786, 1e-12);
	cr_expect_eq(found.bound_ns, 296);
}

Test(long_calls, one_at_least_and_none_of_none)
{
	struct rs_bucket buckets[] = {{10, 11, 2}, {20, 21, 1}};
	struct rs_value time = value_of(buckets, 2), nothing = value_of(NULL, 0);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &unknown);
	cr_expect_float_eq(found.time, 20.0 / 40, 1e-12);
	rs_long_calls_make(&found, &nothing, &nothing);
	cr_expect_eq(found.calls, 0);
}

/* The long calls took 600 ns. With at most 119 ns on the CPU they were off the CPU; with 120 ns
 * that is not certain. */
Test(long_calls, off_the_cpu)
{
	struct rs_bucket buckets[] = {{10, 11, 98}, {300, 301, 2}};
	struct rs_bucket on_cpu[] = {{10, 11, 98}, {59, 60, 1}, {60, 61, 1}};
	struct rs_value time = value_of(buckets, 2), cpu = value_of(on_cpu, 3);
	struct rs_long_calls found;
	rs_long_calls_make(&found, &time, &cpu);
	cr_expect(found.is_off_cpu);
	on_cpu[1] = (struct rs_bucket){60, 61, 1};
	rs_long_calls_make(&found, &time, &cpu);
	cr_expect_not(found.is_off_cpu);
}
