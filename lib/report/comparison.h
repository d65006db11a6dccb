/* SPDX-License-Identifier: MIT */
/*
 * These functions write reports of several runs. A series report shows the runs of one command. A
 * comparison report shows the differences between two sides, old and new.
 */
#ifndef RS_REPORT_COMPARISON_H
#define RS_REPORT_COMPARISON_H

#include <stdio.h>

#include "compare/gate.h"
#include "compare/series.h"
#include "report/report.h"

/* What a report shows about one pair of sides. For a series, both sides are the same runs, and the
 * report uses only medians and spreads. */
struct rs_comparison_page {
	struct rs_side old, new;
	struct rs_comparison comparison;
	double old_layout_share, layout_share; /* rs_side_layout_share() of each side */
};

struct rs_comparison_report {
	struct rs_comparison_page *pages;
	size_t n;
	const struct rs_gate_result *gates; /* results of the rules on all pages */
	size_t n_gates;
};

/* Type of the functions that write a report. They run within rs_arena_guard(). */
struct rs_comparison_writer;
typedef void rs_write_comparison(struct rs_comparison_writer *writer);

/* State while a report is written. */
struct rs_comparison_writer {
	rs_write_comparison *write;
	const struct rs_comparison_report *report;
	const struct rs_comparison_page *of; /* the page that is written */
	const struct rs_report_options *options;
	struct rs_arena *arena;
	FILE *stream;
	size_t *order; /* indices of regions, in the order of the page */
};

rs_write_comparison rs_series_table, rs_series_json;
rs_write_comparison rs_comparison_table, rs_comparison_html, rs_comparison_json;

/* Write formats of other tools: JUnit XML with a test for each rule, Bencher's BMF, Google
 * Benchmark's JSON, Go's benchmark format, and github-action-benchmark's customSmallerIsBetter. */
rs_write_comparison rs_export_junit, rs_export_bencher, rs_export_google_benchmark,
	rs_export_go_benchmark, rs_export_smaller_is_better;

/* Call `write` with a new arena. Return false if memory runs out. */
bool rs_comparison_write(rs_write_comparison *write, const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream);

/* Call say() for each difference between the sides in machine, version, events, regions or --raw,
 * but not for differences of the program. Each call passes one line of text, which is allocated
 * from arena. */
typedef void rs_say(void *context, const char *text);
void rs_comparison_say_differences(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* Call say() with each conclusion about the whole comparison. The conclusions follow from the
 * control group, the order of the runs, and how many runs there are. */
void rs_comparison_say_machine(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* Return the result of a rule as text in arena: "render:cpu-time.p90 > 5us: render has 6.1 us". */
const char *rs_gate_text(const struct rs_gate_result *result, struct rs_arena *arena);

/* Return the text of rs_gate_text() after the word "pass", "fail" or "unknown". Blanks make the
 * word as wide as a column. */
const char *rs_gate_line(const struct rs_gate_result *result, struct rs_arena *arena);

/* Fill order[n_regions] with the indexes of the regions. Regions with a verdict come first, then
 * the other regions, and then the whole run. Within each of these groups, a larger effect on the
 * whole run comes first. */
void rs_comparison_sort(const struct rs_comparison *comparison, size_t *order);

/* Return the name of a region for a table, cut to three tenths of the output's width. */
const char *rs_comparison_name(const struct rs_comparison_writer *writer, size_t region);

/* Return true if each side has only one run. */
bool rs_comparison_is_of_single_runs(const struct rs_comparison *comparison);

/* Return the index of the event that a table shows for a region, or RS_NONE. */
size_t rs_comparison_shown_event(const struct rs_comparison *comparison, size_t region);

/* Return true if the globs in options select a region, or if it is the whole run. */
bool rs_comparison_is_wanted(
	const struct rs_report_options *options, const struct rs_compared_region *region);

/* ---- comparison_table.c, comparison_pages.c: tables of a comparison for people ---- */

/* Write text, escaped if the page is Markdown. */
void rs_comparison_write_text(const struct rs_comparison_writer *page, const char *text);

/* Return how many runs a side has, and how many of them failed: "3 runs, 1 failed". */
const char *rs_comparison_n_runs(struct rs_comparison_writer *page, const struct rs_side *side);

/* Write all pages, a legend unless it is NULL, and the results of rules. */
void rs_comparison_write_pages(struct rs_comparison_writer *writer,
	void (*write_page)(struct rs_comparison_writer *page), const char *legend);

/* Return the text of a value with its unit: "12.3 us". Return "-" if the value is NAN. */
const char *rs_comparison_value(struct rs_comparison_writer *page, double value, const char *unit);

/* Return a fraction as a percentage with its sign: 0.012 becomes "+1.2 %". Return "-" if it is not
 * finite. */
const char *rs_comparison_percent(struct rs_comparison_writer *page, double part);

/* Write an empty line, then a table of regions[n]. */
void rs_comparison_write_grid(struct rs_comparison_writer *page, const size_t *regions, size_t n);

#endif
