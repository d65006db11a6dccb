/* SPDX-License-Identifier: MIT */
/* Tests of steal time, with texts like /proc/stat: it is the eighth number of the first line, in
 * ticks. */
#include <criterion/criterion.h>

#include "launch/steal.h"

Test(steal, is_the_eighth_number)
{
	cr_expect_eq(rs_steal_of("cpu  10132153 290696 3084719 46828483 16683 0 25195 175628 0 0\n"
				 "cpu0 1393280 32966 572056 13343292 6130 0 17875 9 0 0\n",
			     100),
		UINT64_C(1756280000000));
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 8\n", 1000), 8000000);
	cr_expect_eq(rs_steal_of("cpu  1 2 3 4 5 6 7 0 9 10\n", 100), 0);
}

/* Kernels before 2.6.11 do not have this number. A number that is too large is ignored. */
Test(steal, is_none_where_the_text_has_none)
{
	cr_expect_eq(rs_steal_of("cpu  1 2 3 4 5 6 7\n", 100), 0);
	cr_expect_eq(rs_steal_of("cpu0 1 2 3 4 5 6 7 8\n", 100), 0);
	cr_expect_eq(rs_steal_of("intr 1 2 3 4 5 6 7 8\n", 100), 0);
	cr_expect_eq(rs_steal_of("", 100), 0);
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 8\n", 0), 0);
	cr_expect_eq(rs_steal_of("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100), 0);
}

Test(steal, never_falls)
{
	cr_expect_eq(rs_steal_between(10, 30), 20);
	cr_expect_eq(rs_steal_between(30, 10), 0);
}

/* A program may have used up its descriptors, so that only one reading succeeds. */
Test(steal, is_none_if_a_reading_failed)
{
	cr_expect_eq(rs_steal_between(RS_STEAL_UNKNOWN, 10), 0);
	cr_expect_eq(rs_steal_between(10, RS_STEAL_UNKNOWN), 0);
	cr_expect_eq(rs_steal_between(RS_STEAL_UNKNOWN, RS_STEAL_UNKNOWN), 0);
}
