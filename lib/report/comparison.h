/* SPDX-License-Identifier: MIT */
/*
 * Reports of several runs: of one command (series), and of two sides that are compared
 * (comparison).
 */
#ifndef RS_REPORT_COMPARISON_H
#define RS_REPORT_COMPARISON_H

#include <stdio.h>

#include "compare/gate.h"
#include "compare/series.h"
#include "report/report.h"

/* Two sides, or the runs of one command: it is both sides then, for its medians and spreads. */
struct rs_comparison_page {
	struct rs_side old, new;
	struct rs_comparison comparison;
	double old_layout_share, layout_share; /* from rs_side_layout_share() of each side */
};

struct rs_comparison_report {
	struct rs_comparison_page *pages;
	size_t n;
	const struct rs_gate_result *gates; /* results of the rules on all pages */
	size_t n_gates;
};

/* Functions that write a report to a stream. All memory that they need is in arena. Return false if
 * memory for JSON runs out. */
typedef bool rs_write_comparison(const struct rs_comparison_report *report,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);
rs_write_comparison rs_series_table, rs_series_markdown, rs_series_json;
rs_write_comparison rs_comparison_table, rs_comparison_markdown, rs_comparison_html,
	rs_comparison_json;

/* Formats of other tools: JUnit XML with the rules, Bencher's BMF, Google Benchmark's JSON, Go's
 * benchmark format, and github-action-benchmark's customSmallerIsBetter. */
rs_write_comparison rs_export_junit, rs_export_bencher, rs_export_google_benchmark,
	rs_export_go_benchmark, rs_export_smaller_is_better;

/* Call one of these functions. Return false if memory runs out. */
bool rs_comparison_write(rs_write_comparison *write, const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream);

/* Call say for each difference of the sides other than the program: machine, events, regions,
 * version. Each call gives one line, whose text lies in arena. */
typedef void rs_say(void *context, const char *text);
void rs_comparison_say_differences(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* Call say with conclusions about the whole comparison, from the control group, the order of runs
 * and their number. */
void rs_comparison_say_machine(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* Return a rule's result as a line in arena: "fail render:cpu-time.p90 > 5us: 6.1 us". */
const char *rs_gate_line(const struct rs_gate_result *result, struct rs_arena *arena);

/* Fill order[n_regions] with the regions in the order of their effect on the whole. Regions with a
 * verdict come first. */
void rs_comparison_sort(const struct rs_comparison *comparison, size_t *order);

/* Return a name for a column of names, cut in the middle to three tenths of the width. */
const char *rs_comparison_name(
	const char *name, const struct rs_report_options *options, struct rs_arena *arena);

/* Return true if each side has only one run. */
bool rs_comparison_is_of_single_runs(const struct rs_comparison *comparison);

/* Return the event that a table shows for a region. */
size_t rs_comparison_shown_event(const struct rs_comparison *comparison, size_t region);

/* Return true if the options' globs select a region. */
bool rs_comparison_is_wanted(
	const struct rs_report_options *options, const struct rs_compared_region *region);

#endif
