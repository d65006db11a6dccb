/* SPDX-License-Identifier: MIT */
/* Tests of converting ticks to ns, by ratios of products of 64 bits. */
#include <criterion/criterion.h>

#include "random.h"
#include "stats/collect.h"

/* 2.5 GHz for 4 s: a tick is 0.4 ns */
Test(ticks, two_points_give_the_rate)
{
	struct rs_clock_point begin = {1000000, 5000}, end = {10001000000, 4000005000};
	struct rs_ticks rate = rs_ticks_between(&begin, &end);
	cr_assert_eq(rs_ticks_to_ns(&rate, 10000000000), 4000000000);
	cr_assert_eq(rs_ticks_to_ns(&rate, 5), 2);
	cr_assert_eq(rs_ticks_to_ns(&rate, 1), 0); /* 0.4 */
	cr_assert_eq(rs_ticks_to_ns(&rate, 2), 1); /* 0.8 */
	cr_assert_eq(rs_ticks_to_ns(&rate, 0), 0);
	cr_assert_eq(rs_ticks_length_ns(&rate), 0.4);
	cr_assert_eq(rate.begin, 1000000);
}

Test(ticks, monotonic_ticks_stay)
{
	struct rs_clock_point begin = {77, 77}, end = {78, 78};
	struct rs_ticks rate = rs_ticks_between(&begin, &end);
	cr_assert_eq(rs_ticks_to_ns(&rate, 123456789), 123456789);
}

Test(ticks, points_that_are_no_two_give_a_rate_of_one)
{
	struct rs_clock_point points[] = {{10, 1000}, {10, 1001}, {20, 1000}, {9, 2000}};
	for (size_t i = 0; i < 4; i++) {
		struct rs_ticks rate = rs_ticks_between(&points[0], &points[i]);
		cr_assert_eq(rs_ticks_to_ns(&rate, 42), 42);
	}
}

/* Products exceed 64 bits: a year of ticks at 5 GHz, times a year of ns. */
Test(ticks, a_year_is_exact)
{
	uint64_t second = 1000000000, year = 365 * UINT64_C(86400);
	struct rs_clock_point begin = {0, 1}, end = {year * second * 5, year * second + 1};
	struct rs_ticks rate = rs_ticks_between(&begin, &end);
	cr_assert_eq(rs_ticks_to_ns(&rate, year * second * 5 - 5), year * second - 1);
	const struct rs_clock_point slow_end = {2, 1000000001};
	const struct rs_ticks slow = rs_ticks_between(&begin, &slow_end);
	cr_assert_eq(rs_ticks_to_ns(&slow, UINT64_MAX / 2), UINT64_MAX);
}

/* a * b / c is exact if b is a multiple of c. */
Test(ticks, scale_is_exact)
{
	uint64_t state = 2;
	for (int i = 0; i < 20000; i++) {
		uint64_t a = random_next(&state) >> 20;
		uint64_t c = (random_next(&state) >> 44) + 1;
		uint64_t factor = random_next(&state) >> 44;
		cr_assert(rs_wide_scale(a, c * factor, c) == rs_wide_to_u64((rs_u128)a * factor));
	}
}

Test(ticks, scale_rounds_to_nearest)
{
	cr_assert_eq(rs_wide_scale(10, 1, 4), 3); /* 2.5 */
	cr_assert_eq(rs_wide_scale(9, 1, 4), 2); /* 2.25 */
	cr_assert_eq(rs_wide_scale(11, 1, 4), 3); /* 2.75 */
	uint64_t huge = UINT64_C(1) << 63;
	cr_assert_eq(rs_wide_scale(huge, 7, 2), UINT64_MAX);
	cr_assert_eq(rs_wide_scale(huge, 3, huge), 3);
	cr_assert_eq(rs_wide_scale(huge + 1, huge, huge), huge + 1);
	cr_assert_eq(rs_wide_scale(UINT64_MAX, huge, UINT64_MAX), huge);
	cr_assert_eq(rs_wide_scale(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
}

Test(ticks, narrowing_saturates)
{
	cr_assert_eq(rs_wide_to_u64(~(rs_u128)0), UINT64_MAX);
	cr_assert_eq(rs_wide_to_u64(17), 17);
}
