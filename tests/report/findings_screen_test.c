/* SPDX-License-Identifier: MIT */
/* Tests of findings on screens of several widths, and of which findings a screen shows. */
#include "report/findings.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static struct rs_arena arena;

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(findings_screen, .fini = finish);

/* Return a warning as it is shown on a screen of `width` columns; 0: not a screen. */
static const char *show(const char *text, int width)
{
	struct rs_finding finding = {.whole = text};
	const struct rs_findings findings = {.items = &finding, .n = 1};
	return rs_findings_text(&findings, &(struct rs_report_options){.width = width}, &arena);
}

static void expect(const char *text, int width, const char *expected)
{
	cr_expect_str_eq(show(text, width), expected);
}

#define TEXT "threads slept for 12.5 ms in io (96% of 50 us)\n  try: perf trace -s"

/* Lines are as wide as the screen. In a file they are never broken. */
Test(findings_screen, broken_between_words)
{
	expect(TEXT, 0,
		"\n- threads slept for 12.5 ms in io (96% of 50 us)\n  try: perf trace -s\n");
	expect(TEXT, 48,
		"\n- threads slept for 12.5 ms in io (96% of 50 us)\n  try: perf trace -s\n");
	expect(TEXT, 47,
		"\n- threads slept for 12.5 ms in io (96% of 50\n  us)\n  try: perf trace -s\n");
	expect(TEXT, 17,
		"\n- threads slept\n  for 12.5 ms in\n  io (96% of 50\n  us)\n  try: perf trace\n"
		"    -s\n");
}

/* Names are yellow, and a warning is bold. */
Test(findings_screen, in_colour)
{
	struct rs_finding finding = {
		.severity = RS_NOTE, .whole = "markers of a: a 5%, b 3%", .names = {"a", "b"}};
	const struct rs_findings findings = {.items = &finding, .n = 1};
	const struct rs_report_options options = {.color = true};
	const char *text = rs_findings_text(&findings, &options, &arena);
	cr_expect_str_eq(text, "\n- markers of \033[33ma\033[0m: a 5%, \033[33mb\033[0m 3%\n");
	finding.severity = RS_WARNING;
	finding.names[1] = NULL;
	text = rs_findings_text(&findings, &options, &arena);
	cr_expect_str_eq(
		text, "\n\033[1m- markers of \033[33ma\033[0m\033[1m: a 5%, b 3%\n\033[0m");
}

/* A word that is wider than the screen is not cut. */
Test(findings_screen, words_are_never_cut)
{
	expect("'0123456789' is long", 8, "\n- '0123456789'\n  is\n  long\n");
}

/* These characters have two columns each. */
Test(findings_screen, wide_characters)
{
	expect("\xe6\xb8\xb2\xe6\x9f\x93 \xe6\xb8\xb2\xe6\x9f\x93", 10,
		"\n- \xe6\xb8\xb2\xe6\x9f\x93\n  \xe6\xb8\xb2\xe6\x9f\x93\n");
}

Test(findings_screen, not_utf8)
{
	expect("a 1.2% \xc2\xb1"
	       "0.1",
		0, "\n- a 1.2% +-0.1\n");
}

/* A name longer than half of the screen is cut in its middle, unless another one would look the
 * same. */
Test(findings_screen, long_names)
{
	struct rs_finding finding = {.whole = "in 0123456789abcdefghij 1%, x 2%",
		.names = {"0123456789abcdefghij", "x"}};
	const struct rs_findings findings = {.items = &finding, .n = 1};
	const struct rs_report_options options = {.width = 20};
	const char *text = rs_findings_text(&findings, &options, &arena);
	cr_expect_str_eq(text, "\n- in 0123..ghij 1%,\n  x 2%\n");
	finding.whole = "0123456789abcdefghij, 0123456789_abcdefghij";
	finding.names[1] = "0123456789_abcdefghij";
	text = rs_findings_text(&findings, &options, &arena);
	cr_expect_str_eq(text, "\n- 0123456789abcdefghij,\n  0123456789_abcdefghij\n");
}

/* A screen has all warnings, notes up to five findings in total, and no details. A line counts the
 * other notes. With -v it has all findings. */
Test(findings_screen, five_findings)
{
	struct rs_finding items[9];
	struct rs_findings findings = {.items = items, .n = 9};
	for (size_t n_warnings = 0; n_warnings <= 7; n_warnings++) {
		for (size_t i = 0; i < 9; i++)
			items[i] = (struct rs_finding){.severity = i < n_warnings ? RS_WARNING
								   : i < 8	  ? RS_NOTE
										  : RS_DETAIL,
				.whole = "x"};
		const char *text = rs_findings_text(
			&findings, &(struct rs_report_options){0}, &arena);
		size_t n_shown = n_warnings > 5 ? n_warnings : 5;
		char more[32];
		snprintf(more, sizeof(more), "  (-v shows %zu more)\n", 8 - n_shown);
		cr_expect_eq(strlen(text), 1 + 4 * n_shown + strlen(more));
		cr_expect_str_eq(text + 1 + 4 * n_shown, more);
		text = rs_findings_text(
			&findings, &(struct rs_report_options){.verbose = true}, &arena);
		cr_expect_eq(strlen(text), 1 + 4 * 9);
	}
}

Test(findings_screen, nothing_to_say)
{
	const struct rs_findings findings = {0};
	const char *text = rs_findings_text(&findings, &(struct rs_report_options){0}, &arena);
	cr_expect_str_eq(text, "");
}

/* Each entry of the table has a code and a text, and each {word} in the text is known. */
Test(findings_screen, the_table_is_whole)
{
	static const char *const words[] = {
		"{n}", "{s}", "{names}", "{event}", "{share}", "{time}", "{text}", "{group}"};
	const struct rs_finding_kind *kind;
	size_t n = 0;
	for (; (kind = rs_finding_kind(n)); n++) {
		cr_expect(kind->text && kind->text[0], "%s", kind->code);
		cr_expect_eq(strspn(kind->code, "abcdefghijklmnopqrstuvwxyz-"), strlen(kind->code));
		for (const char *at = kind->text; (at = strchr(at, '{')); at++) {
			bool is_known = false;
			for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
				is_known |= !strncmp(at, words[i], strlen(words[i]));
			cr_expect(is_known, "%s: %s", kind->code, at);
		}
	}
	cr_expect_gt(n, 80);
}
