/* SPDX-License-Identifier: MIT */
/* Tests of shortening names of regions when other names are similar. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "base/width.h"
#include "report/tree.h"

#define DOTS "\xe2\x80\xa6"

/* Two names that would become the same keep the part in which they differ, as far as there is
 * room. */
Test(short_name, of_regions)
{
	struct rs_summary_region regions[] = {{.name = "iterate<float, 3u>(int)"},
		{.name = "iterate<double, 3u>(int)"}, {.name = "iterate<float>(long)"},
		{.name = "a plain name that is long"}, {.name = "short<int>"},
		{.name = "\x1b<one>::two<\n\n>(int)"}};
	static const char *const expected[] = {"iterate<" DOTS "3u>(int)",
		"iterate<" DOTS "3u>(int)", "iterate<" DOTS ">(long)", "a plain " DOTS " is long",
		"short<int>", DOTS "two<" DOTS ">(" DOTS ")"};
	struct rs_summary summary = {.merged = regions, .n_merged = 6};
	char out[RS_SHORT_NAME_BYTES];
	for (size_t i = 0; i < 6; i++) {
		size_t width = rs_short_region_name(out, &summary, i, 17, true);
		cr_expect_str_eq(out, expected[i], "%zu: %s", i, out);
		cr_expect_eq(width, rs_width_of(out));
	}
	summary.n_merged = 1;
	cr_expect_eq(rs_short_region_name(out, &summary, 0, 17, true), 15);
	cr_expect_str_eq(out, "iterate<" DOTS ">(int)");
}

/* The same holds if the names differ only in their namespaces. */
Test(short_name, of_namespaces)
{
	struct rs_summary_region regions[] = {{.name = "first::same::f(int)"},
		{.name = "second::same::f(int)"}, {.name = "first::same::g(int)"}};
	static const char *const expected[] = {
		"first" DOTS "int)", "secon" DOTS "int)", DOTS "same::g(" DOTS ")"};
	struct rs_summary summary = {.merged = regions, .n_merged = 3};
	char out[RS_SHORT_NAME_BYTES];
	for (size_t i = 0; i < 3; i++) {
		rs_short_region_name(out, &summary, i, i < 2 ? 10 : 12, true);
		cr_expect_str_eq(out, expected[i], "%zu: %s", i, out);
	}
}

/* The same holds if the part that stays contains an escaped character. */
Test(short_name, of_escaped_characters)
{
	struct rs_summary_region regions[] = {
		{.name = "first::a\033b::f(int)"}, {.name = "second::a\033b::f(int)"}};
	struct rs_summary summary = {.merged = regions, .n_merged = 2};
	char out[2][RS_SHORT_NAME_BYTES];
	for (size_t i = 0; i < 2; i++)
		rs_short_region_name(out[i], &summary, i, 14, true);
	cr_expect_str_neq(out[0], out[1]);
	summary.n_merged = 1;
	rs_short_region_name(out[0], &summary, 0, 14, true);
	cr_expect_str_eq(out[0], DOTS "a\\x1bb::f(" DOTS ")");
}

/* Not all of many similar names are compared. */
Test(short_name, of_many_regions)
{
	struct rs_summary_region regions[40] = {{.name = "f<a long argument>()"}};
	char names[40][64], out[RS_SHORT_NAME_BYTES];
	for (size_t i = 1; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "f<a long argument>(%zu)", i);
		regions[i].name = names[i];
	}
	struct rs_summary summary = {.merged = regions, .n_merged = 33};
	rs_short_region_name(out, &summary, 0, 10, true);
	cr_expect_str_eq(out, "f<" DOTS ">()");
	summary.n_merged = 34;
	rs_short_region_name(out, &summary, 0, 10, true);
	cr_expect_str_eq(out, "f<a l" DOTS "t>()");
}
