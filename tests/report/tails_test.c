/* SPDX-License-Identifier: MIT */
/*
 * Tests of the lines about the slowest calls. Tails are made by hand.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "example.h"
#include "report/tables.h"

static struct rs_tail_event events[EXAMPLE_COLUMNS];
static size_t told[EXAMPLE_COLUMNS];
static struct rs_tail tail;
static struct rs_arena arena;

static void start(void)
{
	example_init();
	tail = (struct rs_tail){
		.share = 0.013, .bound_ns = 8192, .calls = 130, .events = events, .shown = told};
	example.regions[0].tails = &tail;
	example.regions[0].n_tails = 1;
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(tails, .init = start, .fini = finish);
TestSuite(slowest, .init = example_init, .fini = finish);

static void tell(size_t column, const char *name, double ratio, double avg)
{
	example.columns[column].name = name;
	events[column] = (struct rs_tail_event){
		.is_known = true, .total = (uint64_t)(130 * avg), .avg = avg, .ratio = ratio};
	told[tail.n_shown++] = column;
}

static void expect_text(size_t columns, const char *expected)
{
	cr_expect_str_eq(rs_tail_text(&example.summary, &tail, columns, &arena), expected);
}

static void tell_three(void)
{
	tell(2, "context-switches", INFINITY, 0.9);
	tell(3, "page-faults", 40.2, 38);
	tell(1, "instructions", 1.01, 70000);
}

Test(tails, ratios_and_what_others_have_none_of)
{
	tell_three();
	expect_text(0, "slowest 1.3% (>= 8.19 us): context-switches 0.9 a call, page-faults 40x, "
		       "instructions 1.0x");
}

Test(tails, numbers)
{
	tell(1, "a", 9.94, 1);
	tell(2, "b", 9.96, 1);
	tell(3, "c", 100, 12345.6);
	tell(4, "d", INFINITY, 1e300);
	expect_text(0, "slowest 1.3% (>= 8.19 us): a 9.9x, b 10x, c 12,346 a call, "
		       "d 10,000,000,000,000,000,000 a call");
}

/* An event that does not fit is omitted whole, the smallest ratio first. One event is shown at any
 * width. */
Test(tails, what_does_not_fit)
{
	tell_three();
	expect_text(84, "slowest 1.3% (>= 8.19 us): context-switches 0.9 a call, page-faults 40x");
	expect_text(71, "slowest 1.3% (>= 8.19 us): context-switches 0.9 a call, page-faults 40x");
	expect_text(70, "slowest 1.3% (>= 8.19 us): context-switches 0.9 a call");
	expect_text(10, "slowest 1.3% (>= 8.19 us): context-switches 0.9 a call");
}

/* With -v the lines are below the name of the region, and continue on the next line. */
Test(tails, in_the_table)
{
	struct rs_report_options options = {.width = 80, .verbose = true};
	tell(4, "a\033[31m\u202eb", 40, 38);
	example.regions[0].overhead.known = true;
	const char *text = example_table(&options);
	cr_expect(strstr(text, "\nrender\n  slowest 1.3% (>= 8.19 us): a\\x1b[31m\\u202eb 40x\n"),
		"%s", text);
	options.width = 30;
	text = example_table(&options);
	cr_expect(strstr(text, "\n  slowest 1.3% (>= 8.19 us):\n    a\\x1b[31m\\u202eb 40x\n"),
		"%s", text);
}

Test(tails, nothing_to_tell)
{
	struct rs_report_options options = {0};
	const char *text = example_table(&options);
	cr_expect_not(strstr(text, "slowest"));
}

/* ---- the slowest call ---- */

static void expect_slowest(size_t width, const char *line)
{
	example.regions[0].slowest_matters = true;
	example.regions[0].slowest_ratio = 1234.5;
	example.regions[0].slowest[0].total = 6132036;
	cr_expect_str_eq(
		rs_slowest_text(&example.summary, &example.regions[0], width, &arena), line);
}

Test(slowest, a_line_as_wide_as_there_is_room)
{
	expect_slowest(0,
		"slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243, "
		"instructions 26,567, cycles 27,567, branches 28,567, branch-misses 29,567");
	expect_slowest(98,
		"slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243, "
		"instructions 26,567");
	expect_slowest(
		78, "slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243");
}

Test(slowest, no_line_where_it_does_not_matter)
{
	cr_expect_null(rs_slowest_text(&example.summary, &example.regions[0], 0, &arena));
}
