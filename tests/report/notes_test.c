/* SPDX-License-Identifier: MIT */
/* Messages on screens of several widths. */
#include "report/notes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* One warning on a screen of so many columns, 0 for no screen; the caller frees it. */
static char *show(const char *text, int width)
{
	struct rs_message message = {.text = text};
	const struct rs_summary summary = {.warnings = &message, .n_warnings = 1};
	char *shown = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&shown, &bytes);
	cr_assert(stream);
	rs_notes_write(&summary, &(struct rs_report_options){.width = width}, stream);
	cr_assert_eq(fclose(stream), 0);
	return shown;
}

static void expect(const char *text, int width, const char *expected)
{
	char *shown = show(text, width);
	cr_expect_str_eq(shown, expected);
	free(shown);
}

#define TEXT "threads slept for 12.5 ms in: 'io' (96% of 50 us)\n  try: perf trace -s\n"

Test(notes, not_broken_where_nothing_is_cut)
{
	expect(TEXT, 0,
		"\nwarning: threads slept for 12.5 ms in: 'io' (96% of 50 us)\n"
		"  try: perf trace -s\n");
	expect(TEXT, 58,
		"\nwarning: threads slept for 12.5 ms in: 'io' (96% of 50 us)\n"
		"  try: perf trace -s\n");
}

Test(notes, broken_between_words_and_behind_no_number)
{
	expect(TEXT, 57,
		"\nwarning: threads slept for 12.5 ms in: 'io' (96% of\n"
		"    50 us)\n  try: perf trace -s\n");
	expect(TEXT, 31,
		"\nwarning: threads slept for\n"
		"    12.5 ms in: 'io' (96% of\n    50 us)\n  try: perf trace -s\n");
	expect(TEXT, 18,
		"\nwarning: threads\n    slept for\n    12.5 ms in:\n    'io' (96% of\n"
		"    50 us)\n  try: perf trace\n    -s\n");
}

/* A word that is wider than the screen is there in full. */
Test(notes, words_are_never_cut)
{
	expect("'0123456789' is long", 8, "\nwarning: '0123456789'\n    is\n    long\n");
}

Test(notes, hostile_bytes)
{
	expect("\033[31m \xff\t", 0, "\nwarning: \\x1b[31m \\xff\\t\n");
	expect("\xe6\xb8\xb2\xe6\x9f\x93 \xe6\xb8\xb2\xe6\x9f\x93", 17,
		"\nwarning: \xe6\xb8\xb2\xe6\x9f\x93\n    \xe6\xb8\xb2\xe6\x9f\x93\n");
}

/* Longer than any buffer. */
Test(notes, long_words)
{
	char *text = malloc(10001);
	memset(text, 'x', 10000);
	text[10000] = '\0';
	char *shown = show(text, 0);
	cr_expect_eq(strlen(shown), strlen("\nwarning: ") + 10000 + 1);
	free(shown);
	free(text);
}
