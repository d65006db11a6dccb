/* SPDX-License-Identifier: MIT */
/*
 * Tests of the lines about the slowest calls. Tails are made by hand.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/tables.h"
#include "screen.h"

static struct rs_tail_event events[SCREEN_MOST_COLUMNS];
static size_t told[SCREEN_MOST_COLUMNS];
static struct rs_tail tail;
static struct screen screen;

static void start(void)
{
	screen_init(&screen, 4);
	screen_add(&screen, "render", RS_NO_ROW, 10000, 100000, 100000, 100);
	tail = (struct rs_tail){
		.share = 0.013, .bound_ns = 8192, .calls = 130, .events = events, .shown = told};
	screen.regions[0].tails = &tail;
	screen.regions[0].n_tails = 1;
}

static void finish(void)
{
	screen_finish(&screen);
}

TestSuite(tails, .init = start, .fini = finish);

static void tell(size_t column, const char *name, double ratio, double avg)
{
	screen.columns[column].name = name;
	events[column] = (struct rs_tail_event){
		.is_known = true, .total = (uint64_t)(130 * avg), .avg = avg, .ratio = ratio};
	told[tail.n_shown++] = column;
}

static void expect_text(size_t columns, const char *expected)
{
	cr_expect_str_eq(rs_tail_text(&screen.summary, &tail, columns, &screen.arena), expected);
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

static void expect_table(const struct rs_report_options *options, const char *part)
{
	char *text = screen_report(&screen, rs_report_table, options);
	cr_expect(strstr(text, part), "no '%s' in\n%s", part, text);
	free(text);
}

/* With -v the lines are below the name of the region, and continue on the next line. */
Test(tails, in_the_table)
{
	tell(4, "a\033[31m\u202eb", 40, 38);
	screen.regions[0].overhead.known = true;
	expect_table(&(struct rs_report_options){.width = 80, .verbose = true},
		"\nrender\n  slowest 1.3% (>= 8.19 us): a\\x1b[31m\\u202eb 40x\n");
	expect_table(&(struct rs_report_options){.width = 30, .verbose = true},
		"\n  slowest 1.3% (>= 8.19 us):\n    a\\x1b[31m\\u202eb 40x\n");
}

Test(tails, nothing_to_tell)
{
	char *text = screen_report(&screen, rs_report_table, &(struct rs_report_options){0});
	cr_expect_not(strstr(text, "slowest"));
	free(text);
}

/* ---- the slowest call ---- */

static void expect_slowest(size_t width, const char *line)
{
	struct rs_summary_region *region = &screen.regions[0];
	region->slowest = region->values;
	region->slowest_matters = true;
	region->slowest_ratio = 1234.5;
	region->slowest_start_ns = 123456789;
	region->slowest_tid = 4243;
	region->slowest[0].total = 6132036;
	cr_expect_str_eq(rs_slowest_text(&screen.summary, region, width, &screen.arena), line);
}

Test(tails, a_line_as_wide_as_there_is_room)
{
	expect_slowest(0, "slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243, "
			  "task-clock 100 ms, instructions 100 M, cycles 200 M, branches 300 M");
	expect_slowest(98,
		"slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243, "
		"task-clock 100 ms");
	expect_slowest(
		78, "slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, thread 4243");
}

Test(tails, a_line_names_the_process_if_there_are_several)
{
	struct rs_run several = *screen.summary.run;
	several.n_processes = 2;
	screen.summary.run = &several;
	screen.regions[0].slowest_pid = 4242;
	expect_slowest(94, "slowest call: 6.13 ms, 1,235x p90, 123 ms after the start, "
			   "process 4242, thread 4243");
}

Test(tails, no_line_for_a_slowest_call_that_does_not_matter)
{
	screen.regions[0].slowest = screen.values[0];
	cr_expect_null(rs_slowest_text(&screen.summary, &screen.regions[0], 0, &screen.arena));
}
