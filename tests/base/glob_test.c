/* SPDX-License-Identifier: MIT */
/*
 * Tests of shell patterns. fnmatch(3) gives the expected values of many random patterns. For
 * non-ASCII characters it depends on the locale, so their expected values are written by hand.
 */
#include <criterion/criterion.h>

#include <fnmatch.h>
#include <stdint.h>

#include "base/glob.h"
#include "base/text.h"

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % n;
}

/* Fill text with up to n random pieces. */
static void make(char *text, uint32_t n, const char *const *pieces, uint32_t n_pieces)
{
	text[0] = '\0';
	for (uint32_t i = draw(n + 1); i > 0; i--)
		strcat(text, pieces[draw(n_pieces)]);
}

Test(glob, agrees_with_fnmatch)
{
	static const char *const parts[] = {"a", "b", "-", "]", "*", "*", "?", "[ab]", "[!a]",
		"[^b-]", "[a-b]", "[]a]", "[!]]", "[b-a]", "\\*", "\\a", "[\\]]", "[*?]"};
	static const char *const letters[] = {"a", "b", "-", "]", "*", "?", "c"};
	char glob[128], name[64];
	uint32_t n_matched = 0;
	for (int i = 0; i < 200000; i++) {
		make(glob, 6, parts, sizeof(parts) / sizeof(parts[0]));
		make(name, 6, letters, sizeof(letters) / sizeof(letters[0]));
		bool expected = fnmatch(glob, name, 0) == 0;
		n_matched += expected;
		cr_assert_eq(rs_glob_matches(glob, name), expected, "'%s' and '%s'", glob, name);
	}
	cr_assert(n_matched > 10000, "too few match to tell anything: %u", n_matched);
}

Test(glob, any_case_agrees_with_fnmatch)
{
	static const char *const parts[] = {
		"a", "B", "-", "*", "?", "[aB]", "[!a]", "[a-b]", "[A-B]", "\\*", "\\A", "[*?]"};
	static const char *const letters[] = {"a", "A", "b", "B", "-", "*", "?", "c"};
	char glob[128], name[64];
	uint32_t n_matched = 0, n_by_case = 0;
	for (int i = 0; i < 200000; i++) {
		make(glob, 6, parts, sizeof(parts) / sizeof(parts[0]));
		make(name, 6, letters, sizeof(letters) / sizeof(letters[0]));
		bool expected = fnmatch(glob, name, FNM_CASEFOLD) == 0;
		n_matched += expected;
		n_by_case += expected && !rs_glob_matches(glob, name);
		cr_assert_eq(rs_glob_matches_any_case(glob, name), expected, "'%s' and '%s'", glob,
			name);
	}
	cr_assert(n_matched > 10000 && n_by_case > 1000, "too few match: %u, %u", n_matched,
		n_by_case);
	cr_expect_not(rs_glob_matches_any_case("[", "{"));
	cr_expect_not(rs_glob_matches_any_case("Ä", "ä"));
}

Test(glob, characters_are_of_utf8)
{
	cr_expect(rs_glob_matches("?", "ü"));
	cr_expect_not(rs_glob_matches("??", "ü"));
	cr_expect(rs_glob_matches("[ä-ü]?x", "ö渲x"));
	cr_expect_not(rs_glob_matches("[ä-ö]", "ü"));
	cr_expect(rs_glob_matches("[!a]", "渲"));
	cr_expect(rs_glob_matches("*素", "渲染像素"));
	cr_expect(rs_glob_matches("👩?", "👩x"));
}

Test(glob, bytes_that_are_no_character_are_one_each)
{
	cr_expect(rs_glob_matches("??", "\xff\xfe"));
	cr_expect(rs_glob_matches("\\xed\\xa0\\x80", "\xed\xa0\x80")); /* a surrogate */
	cr_expect(rs_glob_matches("\\xc0\\x80", "\xc0\x80")); /* too long */
	cr_expect(rs_glob_matches("a?", "a\xe6"));
	cr_expect(rs_glob_matches("a??b", "a\xe6\xb8"
					  "b"));
	cr_expect(rs_glob_matches("\xff*", "\xff\xfe"));
	cr_expect_not(rs_glob_matches("[\xfe]", "\xff"));
	/* The invalid byte 0x85 is not the character U+0085. */
	cr_expect_not(rs_glob_matches("\xc2\x85", "\x85"));
}

Test(glob, unclosed_set_is_literal)
{
	cr_expect(rs_glob_matches("[", "["));
	cr_expect(rs_glob_matches("a[b", "a[b"));
	cr_expect(rs_glob_matches("*[", "a["));
	cr_expect(rs_glob_matches("a\\", "a\\"));
	cr_expect(rs_glob_matches("[!", "[!"));
	cr_expect_not(rs_glob_matches("[a", "a"));
}

Test(glob, a_name_matches_itself)
{
	cr_expect(rs_glob_matches("name[abi:cxx11](int)", "name[abi:cxx11](int)"));
	cr_expect(rs_glob_matches("name[abi:cxx11](int)", "namea(int)"));
	cr_expect_not(rs_glob_matches("name[abi:cxx11](int)", "name[abi:cxx11](char)"));
	cr_expect(rs_glob_matches_any_case("[x]", "[x]"));
}

Test(glob, stars_do_not_take_for_ever)
{
	char name[128], glob[128];
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i + 2 < sizeof(glob); i += 2)
		memcpy(glob + i, "*a", 3);
	cr_expect(rs_glob_matches(glob, name));
	strcpy(glob + sizeof(glob) - 4, "*b");
	cr_expect_not(rs_glob_matches(glob, name));
}

/* Every name matches the text that reports show. */
Test(glob, escapes_of_reports)
{
	static const char *const parts[] = {"\n", "\r", "\t", "\x1b", "\x7f", "\xc2\x85", "\u202e",
		"\U000e0001", "\xff", "\xc2", "\\n", "\\x0a", "\\u0085", "\\\\x", "a", "n", "0"};
	char name[64], shown[256];
	for (int i = 0; i < 20000; i++) {
		make(name, 6, parts, sizeof(parts) / sizeof(parts[0]));
		rs_text_name(shown, sizeof(shown), name);
		/* A backslash that begins no escape quotes what follows it. */
		if (!strstr(shown, "\\\\"))
			cr_assert(rs_glob_matches(shown, name), "'%s'", shown);
	}
	cr_expect_not(rs_glob_matches("\\n", "n"));
	cr_expect_not(rs_glob_matches("\\u0085", "\x85"));
	cr_expect(rs_glob_matches("[\\t-\\r]", "\n"));
	cr_expect(rs_glob_matches("\\u008\\U", "u008U"));
}

Test(glob, values_of_bytes)
{
	cr_expect(rs_glob_matches("a\\xff", "a\xff"));
	cr_expect(rs_glob_matches("\\x5Cxff*", "\\xff"));
	cr_expect(rs_glob_matches("[\\x61-\\x63]", "b"));
	cr_expect_not(rs_glob_matches("\\xff", "\\xff"));
	cr_expect(rs_glob_matches("\\x\\xg0", "xxg0"));
}
