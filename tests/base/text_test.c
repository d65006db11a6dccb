/* SPDX-License-Identifier: MIT */
/*
 * Tests of escaping, separators and edit distances. Expected values are from RFC 3629 (its examples
 * of malformed sequences), from arithmetic, and from textbook pairs of the restricted
 * Damerau-Levenshtein distance.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/text.h"

static void check_escape(const char *text, const char *expected)
{
	char shown[256];
	size_t length = rs_text_escape(shown, sizeof(shown), text);
	cr_expect_str_eq(shown, expected);
	cr_expect_eq(length, strlen(expected));
}

Test(text, escape_leaves_plain_text)
{
	check_escape("", "");
	check_escape("render", "render");
	check_escape("a\\b \"c\" 'd'", "a\\b \"c\" 'd'");
	check_escape("Gr\xc3\xbc\xc3\x9f"
		     "e \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80",
		"Gr\xc3\xbc\xc3\x9f"
		"e \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80");
}

Test(text, escape_shows_controls)
{
	check_escape("a\nb\tc\rd", "a\\nb\\tc\\rd");
	check_escape("\x1b[31mred\x07\x7f", "\\x1b[31mred\\x07\\x7f");
	check_escape("\xc2\x9b"
		     "31m",
		"\\u009b31m"); /* CSI as a C1 control */
	check_escape("abc\xe2\x80\xae"
		     "cba",
		"abc\\u202ecba");
	check_escape("\xe2\x80\xa8", "\\u2028");
	check_escape("\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff");
	check_escape("\xf3\xa0\x81\x81", "\\U000e0041"); /* a tag letter */
}

Test(text, escape_shows_invalid_utf8)
{
	check_escape("a\xff"
		     "b",
		"a\\xffb");
	check_escape("\xc3", "\\xc3");
	check_escape("\xe4\xb8", "\\xe4\\xb8");
	check_escape("\xc0\x80", "\\xc0\\x80"); /* overlong NUL */
	check_escape("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* a surrogate */
	check_escape("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* U+110000 */
	check_escape("\x80z", "\\x80z");
}

static void check_name(const char *name, const char *expected, const char *in_rows)
{
	char out[128], rows[128] = "", *end = rows;
	cr_expect_eq(rs_text_name(out, sizeof(out), name), strlen(expected));
	cr_expect_str_eq(out, expected);
	while (*name) {
		name += rs_text_name_next(name, false, end);
		end += strlen(end);
	}
	cr_expect_str_eq(rows, in_rows);
}

Test(text, names_stay_different)
{
	check_name("a\\b C:\\", "a\\b C:\\", "a\\b C:\\");
	check_name("\xff\n", "\\xff\\n", "\\xff\n");
	check_name("\\xff\\n", "\\x5cxff\\x5cn", "\\x5cxff\\n");
	check_name("\\\\xff", "\\\\x5cxff", "\\\\x5cxff");
	check_name("\\\xff", "\\\\xff", "\\\\xff");
	check_name("(unmarked)", "\\x28unmarked)", "(unmarked)");
	check_name("(unmarked) 7", "(unmarked) 7", "(unmarked) 7");
}

Test(text, escape_cuts_at_whole_characters)
{
	char shown[4];
	memset(shown, 'x', sizeof(shown));
	cr_expect_eq(rs_text_escape(shown, sizeof(shown), "ab\xc3\xbc"), 4);
	cr_expect_str_eq(shown, "ab");
	cr_expect_eq(rs_text_escape(shown, sizeof(shown), "\x01"), 4);
	cr_expect_str_eq(shown, "");
	/* After a character that does not fit, shorter ones are not written either. */
	cr_expect_eq(rs_text_escape(shown, sizeof(shown), "ab\nc"), 5);
	cr_expect_str_eq(shown, "ab");
	cr_expect_eq(rs_text_escape(NULL, 0, "four"), 4);
}

/* The escaped form of any bytes is safe to show, and escaping it again does not change it. */
Test(text, escape_of_any_bytes)
{
	uint32_t state = 1;
	for (int round = 0; round < 20000; round++) {
		char bytes[32], shown[16 * sizeof(bytes)], again[sizeof(shown)];
		size_t length = (size_t)round % sizeof(bytes);
		for (size_t i = 0; i < length; i++) {
			state = state * 1664525u + 1013904223u;
			bytes[i] = (char)(state >> 24 ? state >> 24 : 1);
		}
		bytes[length] = '\0';
		size_t shown_length = rs_text_escape(shown, sizeof(shown), bytes);
		cr_assert_eq(shown_length, strlen(shown));
		cr_assert(rs_text_is_plain(shown), "%s", shown);
		rs_text_escape(again, sizeof(again), shown);
		cr_assert_str_eq(again, shown);
	}
}

Test(text, is_plain)
{
	cr_expect(rs_text_is_plain("plain \xc3\xbc"));
	cr_expect_not(rs_text_is_plain("a\nb"));
	cr_expect_not(rs_text_is_plain("a\xff"));
	cr_expect_not(rs_text_is_plain("\xe2\x80\xae"));
}

Test(text, decode_agrees_with_encoding_of_every_character)
{
	for (uint32_t code = 1; code <= 0x10ffff; code++) {
		char bytes[5] = {0};
		size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		uint32_t rest = code;
		for (size_t i = length - 1; i > 0; i--, rest >>= 6)
			bytes[i] = (char)(0x80 | (rest & 0x3f));
		/* the first byte begins with as many bits as there are bytes, if there are several */
		bytes[0] = (char)(length == 1 ? rest : 0xf00u >> length | rest);
		uint32_t decoded = 0;
		bool surrogate = code >= 0xd800 && code <= 0xdfff;
		size_t taken = rs_text_decode(bytes, length, &decoded);
		if (taken != (surrogate ? 0 : length) || (!surrogate && decoded != code))
			cr_assert_fail("U+%04X is decoded as U+%04X", code, decoded);
		if (rs_text_decode(bytes, length - 1, NULL) != 0 && length > 1)
			cr_assert_fail("U+%04X is decoded without its last byte", code);
	}
}

Test(text, integers)
{
	char out[RS_TEXT_INTEGER_BYTES];
	cr_expect_str_eq(rs_text_unsigned(out, 0), "0");
	cr_expect_str_eq(rs_text_unsigned(out, 999), "999");
	cr_expect_str_eq(rs_text_unsigned(out, 1000), "1,000");
	cr_expect_str_eq(rs_text_unsigned(out, 786432), "786,432");
	cr_expect_str_eq(rs_text_unsigned(out, 1234567), "1,234,567");
	cr_expect_str_eq(rs_text_unsigned(out, UINT64_MAX), "18,446,744,073,709,551,615");
}

Test(text, distance)
{
	cr_expect_eq(rs_text_distance("cycles", "cycles", 3), 0);
	cr_expect_eq(rs_text_distance("Cycles", "cycles", 3), 0);
	cr_expect_eq(rs_text_distance("cylces", "cycles", 3), 1);
	cr_expect_eq(rs_text_distance("cycle", "cycles", 3), 1);
	cr_expect_eq(rs_text_distance("kitten", "sitting", 5), 3);
	cr_expect_eq(rs_text_distance("saturday", "sunday", 5), 3);
	/* The distance is restricted: a swapped pair cannot be edited further. The unrestricted
	 * distance is 2. */
	cr_expect_eq(rs_text_distance("ca", "abc", 5), 3);
	cr_expect_eq(rs_text_distance("", "abc", 5), 3);
	cr_expect_eq(rs_text_distance("", "", 5), 0);
}

Test(text, distance_is_bounded)
{
	cr_expect_eq(rs_text_distance("kitten", "sitting", 2), 3);
	cr_expect_eq(rs_text_distance("instructions", "x", 3), 4);
	cr_expect_eq(rs_text_distance("ab", "ba", 0), 1);
	cr_expect_eq(rs_text_distance("ab", "ba", 1), 1);
	cr_expect_eq(rs_text_distance("xab", "xba", 1), 1);
	char longer[400];
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	cr_expect_eq(rs_text_distance(longer, longer, 2), 3);
}

/* Compute the distance by its definition, with the table of all prefixes. */
static unsigned distance_by_definition(const char *a, const char *b)
{
	static unsigned table[16][16];
	size_t n_a = strlen(a), n_b = strlen(b);
	for (size_t i = 0; i <= n_a; i++)
		for (size_t j = 0; j <= n_b; j++) {
			unsigned best = i == 0 ? (unsigned)j : (unsigned)i;
			if (i > 0 && j > 0) {
				unsigned different = a[i - 1] != b[j - 1];
				best = table[i - 1][j] + 1;
				if (table[i][j - 1] + 1 < best)
					best = table[i][j - 1] + 1;
				if (table[i - 1][j - 1] + different < best)
					best = table[i - 1][j - 1] + different;
				if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
					a[i - 2] == b[j - 1] && table[i - 2][j - 2] + 1 < best)
					best = table[i - 2][j - 2] + 1;
			}
			table[i][j] = best;
		}
	return table[n_a][n_b];
}

Test(text, distance_agrees_with_its_definition)
{
	uint32_t state = 1;
	for (int round = 0; round < 20000; round++) {
		char names[2][16];
		for (int n = 0; n < 2; n++) {
			state = state * 1664525u + 1013904223u;
			size_t length = state >> 24 & 7;
			for (size_t i = 0; i < length; i++) {
				state = state * 1664525u + 1013904223u;
				names[n][i] = (char)('a' + (state >> 24 & 3) % 3);
			}
			names[n][length] = '\0';
		}
		unsigned expected = distance_by_definition(names[0], names[1]);
		for (unsigned limit = 0; limit < 9; limit++) {
			unsigned found = rs_text_distance(names[0], names[1], limit);
			if (found != (expected > limit ? limit + 1 : expected))
				cr_assert_fail("%s, %s: %u, not %u at limit %u", names[0], names[1],
					found, expected, limit);
		}
	}
}
