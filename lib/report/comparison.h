/* SPDX-License-Identifier: MIT */
/*
 * Reports of several runs: of one command (series), and of two sides beside each other (comparison).
 */
#ifndef RS_REPORT_COMPARISON_H
#define RS_REPORT_COMPARISON_H

#include <stdio.h>

#include "compare/gate.h"
#include "compare/series.h"
#include "report/report.h"

/* One command's runs. */
struct rs_series_page {
	struct rs_side side;
	struct rs_comparison comparison; /* of the side with itself: its medians and spreads */
	double layout_share; /* as rs_side_layout_share() */
};

struct rs_series_report {
	struct rs_series_page *pages;
	size_t n;
	const struct rs_gate_result *gates; /* of all pages */
	size_t n_gates;
};

struct rs_comparison_page {
	struct rs_side old, new;
	struct rs_comparison comparison;
	double layout_share; /* of the new side */
};

struct rs_comparison_report {
	struct rs_comparison_page *pages;
	size_t n;
	const struct rs_gate_result *gates;
	size_t n_gates;
};

/* As rs_report_table() and its like. */
typedef bool rs_write_series(const struct rs_series_report *report,
	const struct rs_report_options *options, FILE *stream);
typedef bool rs_write_comparison(const struct rs_comparison_report *report,
	const struct rs_report_options *options, FILE *stream);
rs_write_series rs_series_table, rs_series_markdown, rs_series_json;
rs_write_comparison rs_comparison_table, rs_comparison_markdown, rs_comparison_json;

/* Formats of other tools: JUnit XML (of rules), Bencher's BMF, Google Benchmark's JSON, lines of Go's
 * benchmarks, and github-action-benchmark's customSmallerIsBetter. */
rs_write_series rs_export_junit, rs_export_bencher, rs_export_google_benchmark,
	rs_export_go_benchmark, rs_export_smaller_is_better;
rs_write_comparison rs_export_junit_comparison;

/* What differs between the sides beside the program: machine, events, regions, version. Calls say once a
 * line; text lies in arena. False: no memory. */
typedef void rs_say(void *context, const char *text);
bool rs_comparison_say_differences(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* What the control group, the order of runs and their number say of the whole. */
bool rs_comparison_say_machine(
	const struct rs_comparison_page *page, struct rs_arena *arena, rs_say *say, void *context);

/* A rule's result as a line: "fail  render:cpu-time.p90 > 5us: 6.1 us". NULL: no memory. */
const char *rs_gate_line(const struct rs_gate_result *result, struct rs_arena *arena);

/* Regions in the order of their effect on the whole, those with a verdict first. order[n_regions]: filled. */
void rs_comparison_sort(const struct rs_comparison *comparison, size_t *order);

/* Whether one run a side is all that there is. */
bool rs_comparison_is_of_single_runs(const struct rs_comparison *comparison);

/* The event that a table shows of a region. */
size_t rs_comparison_shown_event(const struct rs_comparison *comparison, size_t region);

/* Whether the options' globs want a region. */
bool rs_comparison_is_wanted(
	const struct rs_report_options *options, const struct rs_compared_region *region);

#endif
