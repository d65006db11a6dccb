/* SPDX-License-Identifier: MIT */
/*
 * The rules of --fail-if on a run, on the runs of each side, or on the differences of two sides.
 */
#ifndef RS_JUDGE_H
#define RS_JUDGE_H

#include <stdio.h>

#include "compare/series.h"
#include "options.h"

#define RS_STATUS_GATE 3 /* a rule of --fail-if failed */

/* The rules of --fail-if and their results. */
struct rs_gates {
	struct rs_gate *gates;
	size_t n_gates;
	struct rs_gate_result *results; /* for each page, one result per rule */
	size_t n;
};

/* What a report of several runs, or of two sides, shows. */
struct rs_judged {
	struct rs_comparison_report report;
	struct rs_gates gates;
};

/* Compare and judge the sides of a report. If is_compared is true, its pages compare sides[0] with
 * each of n others. Otherwise each of its n pages shows a side. Fill judged, also on failure. Return
 * false and set err if memory runs out. */
bool rs_judged_init(struct rs_judged *judged, const struct rs_options *options,
	const struct rs_side *sides, size_t n, bool is_compared, struct rs_err *err);
void rs_judged_finish(struct rs_judged *judged);

/* Return 0, or RS_STATUS_GATE if a rule failed. If must_print is true, print a line for each rule to
 * the standard error. */
int rs_gates_status(const struct rs_gates *gates, bool must_print);

/* Check the rules of --fail-if on one run, and print a line for each rule to the standard error.
 * Return 0, RS_STATUS_GATE, or RS_STATUS_FAILED. */
int rs_judge_run(const struct rs_options *options, const struct rs_summary *summary);

/* Write a report of one run in a format that only series have. Return false if memory runs out. */
bool rs_write_run_as_series(rs_write_comparison *write, const struct rs_options *options,
	const struct rs_summary *summary, const struct rs_report_options *how, FILE *stream);

#endif
