/* SPDX-License-Identifier: MIT */
/* 256-bit arithmetic: against identities and against what fits machine integers. */
#include <criterion/criterion.h>

#include "random.h"
#include "stats/wide.h"

#define MAX128 (~(rs_u128)0)

static rs_u128 random_wide(uint64_t *state)
{
	rs_u128 value = random_next(state);
	value = value << 64 | random_next(state);
	return value >> random_next(state) % 128;
}

/* (2^128-1)^2 = 2^256 - 2^129 + 1 */
Test(wide, greatest_product)
{
	struct rs_wide product = rs_wide_multiply(MAX128, MAX128);
	cr_assert(product.low == 1);
	cr_assert(product.high == MAX128 - 1);
}

/* (a + b) * c = a * c + b * c, and products that fit are those of the machine */
Test(wide, products)
{
	uint64_t state = 1;
	for (int i = 0; i < 100000; i++) {
		uint64_t a = random_next(&state), b = random_next(&state);
		struct rs_wide product = rs_wide_multiply(a, b);
		cr_assert(product.high == 0 && product.low == (rs_u128)a * b);

		rs_u128 c = random_wide(&state), d = random_wide(&state) >> 1;
		rs_u128 e = random_wide(&state) >> 1;
		struct rs_wide all = rs_wide_multiply(d + e, c);
		struct rs_wide rest = rs_wide_subtract(all, rs_wide_multiply(d, c));
		struct rs_wide expected = rs_wide_multiply(e, c);
		cr_assert(rest.low == expected.low && rest.high == expected.high);
	}
}

Test(wide, difference_is_never_negative)
{
	struct rs_wide zero = rs_wide_subtract(
		rs_wide_multiply(MAX128, 2), rs_wide_multiply(MAX128, 3));
	cr_assert(zero.low == 0 && zero.high == 0);
}

/* a * b / c for b a multiple of c */
Test(wide, scale_is_exact)
{
	uint64_t state = 2;
	for (int i = 0; i < 20000; i++) {
		rs_u128 a = random_wide(&state) >> 64;
		rs_u128 c = (random_wide(&state) >> 64) + 1;
		uint64_t factor = random_next(&state) >> 1;
		cr_assert(rs_wide_scale(a, c * factor, c) == a * factor);
	}
}

Test(wide, scale_rounds_to_nearest)
{
	cr_assert(rs_wide_scale(10, 1, 4) == 3); /* 2.5 */
	cr_assert(rs_wide_scale(9, 1, 4) == 2); /* 2.25 */
	cr_assert(rs_wide_scale(11, 1, 4) == 3); /* 2.75 */
	rs_u128 huge = (rs_u128)1 << 127;
	cr_assert(rs_wide_scale(huge, 7, 2) == MAX128);
	cr_assert(rs_wide_scale(huge, 3, huge) == 3);
	cr_assert(rs_wide_scale(huge + 1, huge, huge) == huge + 1);
	/* (2^128-1) * (2^127) / (2^128-1), with carries out of the remainder */
	cr_assert(rs_wide_scale(MAX128, huge, MAX128) == huge);
}

Test(wide, narrowing_saturates)
{
	cr_assert_eq(rs_wide_to_u64(MAX128), UINT64_MAX);
	cr_assert_eq(rs_wide_to_u64(17), 17);
}

/* 9 of 99 are 9.09 %, 10 of 99 are 10.1 %; 1 of 10 is 10 %, 1 of 11 is 9.09 %. */
Test(wide, percent_is_exact)
{
	static const struct {
		uint64_t part, whole;
		unsigned percent;
		bool is_below;
	} cases[] = {{9, 99, 10, true}, {10, 99, 10, false}, {1, 10, 10, false}, {1, 11, 10, true},
		{0, 1, 10, true}, {0, 0, 10, false}, {1, 0, 10, false}, {1, 1, 100, false},
		{UINT64_MAX / 10, UINT64_MAX, 10, true},
		{UINT64_MAX / 10 + 1, UINT64_MAX, 10, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(
			rs_wide_is_below_percent(cases[i].part, cases[i].whole, cases[i].percent),
			cases[i].is_below, "case %zu", i);
}
