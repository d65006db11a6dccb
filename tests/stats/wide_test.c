/* SPDX-License-Identifier: MIT */
/* Tests of ratios of products of 64 bits, compared with identities and with machine integers. */
#include <criterion/criterion.h>

#include "random.h"
#include "stats/wide.h"

/* a * b / c is exact if b is a multiple of c. */
Test(wide, scale_is_exact)
{
	uint64_t state = 2;
	for (int i = 0; i < 20000; i++) {
		uint64_t a = random_next(&state) >> 20;
		uint64_t c = (random_next(&state) >> 44) + 1;
		uint64_t factor = random_next(&state) >> 44;
		cr_assert(rs_wide_scale(a, c * factor, c) == rs_wide_to_u64((rs_u128)a * factor));
	}
}

Test(wide, scale_rounds_to_nearest)
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

Test(wide, narrowing_saturates)
{
	cr_assert_eq(rs_wide_to_u64(~(rs_u128)0), UINT64_MAX);
	cr_assert_eq(rs_wide_to_u64(17), 17);
}
