/* SPDX-License-Identifier: MIT */
/*
 * Tests of the width of text. Expected values are from Unicode: EastAsianWidth.txt (W and F: two
 * columns) and general categories (Mn, Me and Cf: none).
 */
#include <criterion/criterion.h>

#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"

#define ACUTE "\xcc\x81" /* U+0301 */
#define CHINESE "\xe4\xb8\xad\xe6\x96\x87" /* U+4E2D U+6587, two columns each */
#define GRIN "\xf0\x9f\x98\x80" /* U+1F600 */
#define DOTS "\xe2\x80\xa6" /* U+2026 */

Test(width, of)
{
	cr_expect_eq(rs_width_of(""), 0);
	cr_expect_eq(rs_width_of("render"), 6);
	cr_expect_eq(rs_width_of("caf\xc3\xa9"), 4);
	cr_expect_eq(rs_width_of("cafe" ACUTE), 4);
	cr_expect_eq(rs_width_of(CHINESE), 4);
	cr_expect_eq(rs_width_of(GRIN "!"), 3);
	cr_expect_eq(rs_width_of("\xed\x95\x9c"), 2); /* U+D55C, Hangul */
	cr_expect_eq(rs_width_of("\xef\xbc\xa1"), 2); /* U+FF21, full-width A */
	cr_expect_eq(rs_width_of("\xff\xfe"), 2); /* not UTF-8 */
}

static void check_cut(const char *text, size_t columns, const char *expected, size_t width)
{
	char out[64];
	cr_expect_eq(rs_width_cut(out, sizeof(out), text, columns), width, "%s", text);
	cr_expect_str_eq(out, expected);
}

Test(width, cut)
{
	check_cut("render", 6, "render", 6);
	check_cut("render", 5, "rend" DOTS, 5);
	check_cut("render", 1, DOTS, 1);
	check_cut(CHINESE, 4, CHINESE, 4);
	check_cut(CHINESE, 3, "\xe4\xb8\xad" DOTS, 3);
	check_cut(CHINESE, 2, DOTS, 1);
	check_cut("", 3, "", 0);
}

Test(width, cut_to_few_bytes)
{
	char out[6];
	cr_expect_eq(rs_width_cut(out, sizeof(out), "abcdefgh", 40), 3);
	cr_expect_str_eq(out, "ab" DOTS);
	cr_expect_eq(rs_width_cut(out, sizeof(out),
			     "a\xc3\xbc"
			     "efgh",
			     40),
		2);
	cr_expect_str_eq(out, "a" DOTS);
	cr_expect_eq(rs_width_cut(out, 3, "abcdef", 40), 2);
	cr_expect_str_eq(out, "ab");
	cr_expect_eq(rs_width_cut(out, 1, "abcdef", 40), 0);
	cr_expect_str_eq(out, "");
}

/* However a text is cut, the result fits into its columns and bytes and has whole characters. */
Test(width, cut_of_any_text)
{
	static const char *const pieces[] = {"a", "\xc3\xbc", ("e" ACUTE), CHINESE, GRIN, DOTS};
	uint32_t state = 1;
	for (int round = 0; round < 2000; round++) {
		char text[128] = "";
		for (int i = 0; i < 12; i++) {
			state = state * 1664525u + 1013904223u;
			strcat(text, pieces[(state >> 24) % 6]);
		}
		size_t columns = 1 + (size_t)(state >> 8) % 20, bytes = 4 + (state >> 16) % 60;
		char out[64];
		size_t width = rs_width_cut(out, bytes, text, columns);
		cr_assert_leq(width, columns);
		cr_assert_lt(strlen(out), bytes);
		cr_assert_eq(width, rs_width_of(out));
		cr_assert(rs_text_is_plain(out), "%s", out);
	}
}

static void expect_middle(const char *text, size_t columns, const char *expected)
{
	char out[256];
	size_t width = rs_width_cut_middle(out, sizeof(out), text, columns, DOTS);
	cr_expect_str_eq(out, expected);
	cr_expect_eq(width, rs_width_of(expected));
	cr_expect_leq(width, columns);
}

Test(width, cut_in_the_middle)
{
	expect_middle("render", 6, "render");
	expect_middle("render", 5, "re" DOTS "er");
	expect_middle("render", 4, "re" DOTS "r");
	/* A wide character that does not fit leaves its column to the other end, or leaves it
	 * empty. */
	expect_middle(CHINESE CHINESE, 7, "\xe4\xb8\xad" DOTS CHINESE);
	expect_middle("ab" CHINESE "cd", 6, "ab" DOTS "cd");
	/* No end begins with an accent of the removed part. */
	expect_middle("abcde" ACUTE "f", 4, "ab" DOTS "f");
}

/* However long a text is, the result fits, and begins and ends as the text does. */
Test(width, cut_in_the_middle_of_any_text)
{
	char text[128] = "";
	for (size_t n = 0; n < 50; n += 5) {
		strcat(text, "a" CHINESE);
		for (size_t columns = 4; columns < 60; columns++) {
			char out[128];
			size_t width = rs_width_cut_middle(out, sizeof(out), text, columns, DOTS);
			cr_assert_leq(width, columns);
			cr_assert_eq(out[0], 'a');
			cr_assert(rs_text_is_plain(out), "%s", out);
		}
	}
}

Test(width, leaves_the_locale_alone)
{
	locale_t before = uselocale((locale_t)0);
	rs_width_of(CHINESE);
	cr_expect_eq(uselocale((locale_t)0), before);
	cr_expect_str_eq(setlocale(LC_CTYPE, NULL), "C");
}
