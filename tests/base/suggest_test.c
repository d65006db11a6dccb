/* SPDX-License-Identifier: MIT */
/* Tests of suggestions for unknown names. Edit distances in the comments are counted by hand. */
#include <criterion/criterion.h>

#include "base/suggest.h"

Test(suggest, keeps_the_three_nearest_in_order)
{
	struct rs_suggest suggest = {.name = "page-fault"};
	struct rs_err err = {0};
	rs_suggest_offer(&suggest, "faults");
	rs_suggest_offer(&suggest, "page-fau"); /* distance 2 */
	rs_suggest_offer(&suggest, "page-faults"); /* distance 1 */
	/* distance 4; the limit is 3, a third of ten letters */
	rs_suggest_offer(&suggest, "page-f");
	rs_suggest_offer(&suggest, "PAGE-FAULTS"); /* differs only in case */
	rs_suggest_offer(&suggest, "page-faultxyz"); /* distance 3 */
	rs_suggest_offer(&suggest, "page-faut"); /* distance 1 */
	cr_assert_eq(suggest.n_near, 3);
	cr_expect_str_eq(suggest.near[0], "page-faults");
	cr_expect_str_eq(suggest.near[1], "page-faut");
	cr_expect_str_eq(suggest.near[2], "page-fau");
	rs_err_set(&err, "x");
	cr_expect(rs_suggest_add_line(&suggest, &err));
	cr_expect_str_eq(err.text, "x\n  try: page-faults, page-faut or page-fau");
}

Test(suggest, says_nothing_without_near_names)
{
	struct rs_suggest suggest = {.name = "cs"};
	struct rs_err err = {0};
	rs_suggest_offer(&suggest, "context-switches");
	cr_expect_not(rs_suggest_add_line(&suggest, &err));
	cr_expect_str_eq(err.text, "");
}

Test(suggest, very_short_names_are_near_to_little)
{
	struct rs_suggest one = {.name = "x"}, two = {.name = "cx"};
	rs_suggest_offer(&one, "cs"); /* distance 2, as any other name of two letters */
	cr_expect_eq(one.n_near, 0);
	rs_suggest_offer(&two, "cs"); /* distance 1 */
	cr_expect_eq(two.n_near, 1);
}

/* Dashes do not count: otherwise their common "--" would make any two options similar. */
Test(suggest, dashes_are_no_letters)
{
	struct rs_suggest near = {.name = "--pim"}, far = {.name = "--cpu"};
	rs_suggest_offer(&near, "--pin"); /* distance 1 of 3 letters */
	rs_suggest_offer(&far, "--pin"); /* distance 3 */
	rs_suggest_offer(&far, "--cut"); /* distance 2 of 3 letters */
	cr_expect_eq(near.n_near, 1);
	cr_expect_eq(far.n_near, 0);
}

Test(suggest, five_letters_allow_one_slip)
{
	struct rs_suggest suggest = {.name = "--evnet"};
	rs_suggest_offer(&suggest, "--event"); /* distance 1: a swap */
	rs_suggest_offer(&suggest, "--ever"); /* distance 2 */
	cr_expect_eq(suggest.n_near, 1);
}

/* A name of at least three letters is near to all names that begin with it, even if the distance is
 * too large. */
Test(suggest, names_that_were_only_begun)
{
	struct rs_suggest page = {.name = "page"}, out = {.name = "--OUT"}, two = {.name = "--ou"};
	rs_suggest_offer(&page, "the-page-faults");
	rs_suggest_offer(&page, "page-faults");
	rs_suggest_offer(&page, "pages-of-memory");
	rs_suggest_offer(&page, "pag"); /* distance 1 */
	cr_assert_eq(page.n_near, 3);
	cr_expect_str_eq(page.near[0], "page-faults");
	cr_expect_str_eq(page.near[1], "pages-of-memory");
	cr_expect_str_eq(page.near[2], "pag");
	rs_suggest_offer(&out, "--output");
	rs_suggest_offer(&two, "--output");
	cr_expect_eq(out.n_near, 1);
	cr_expect_eq(two.n_near, 0);
}
