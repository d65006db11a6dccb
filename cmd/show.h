/* SPDX-License-Identifier: MIT */
/*
 * These functions show saved runs, series of runs, and comparisons of two sides. They write
 * reports, check the rules of --fail-if, print warnings, and choose the exit status.
 */
#ifndef RS_SHOW_H
#define RS_SHOW_H

#include <stdio.h>

#include "compare/series.h"
#include "options.h"
#include "reports.h"

#define RS_STATUS_NOISE 4 /* --noise-check: the noise of this machine is too large */

/* Write the reports of n saved runs, whose texts are made already. Print warnings about events, and
 * also warnings about results if no report shows these to a person. Return 0, or RS_STATUS_FAILED
 * after a message. */
int rs_show_runs(struct rs_reports *reports, const struct rs_summary *summaries, size_t n);

/*
 * Show the runs of each side separately. reports must be open. Return the exit status: 0,
 * RS_STATUS_GATE, or RS_STATUS_FAILED after a message.
 */
int rs_show_series(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Compare sides[0] with each other side, and show the differences. If --noise-check is given, first
 * compare sides[0] with itself, and return RS_STATUS_NOISE if this shows a difference. */
int rs_show_comparison(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Compare two sets of runs of the same command. If they differ, print a message. Return 0,
 * RS_STATUS_NOISE, or RS_STATUS_FAILED. */
int rs_check_noise(const struct rs_side *old, const struct rs_side *again);

/* ---- the rules of --fail-if (judge.c) ---- */

#define RS_STATUS_GATE 3 /* a rule of --fail-if failed */

/* What a report of several runs, or of two sides, shows. */
struct rs_judged {
	struct rs_comparison_report report;
	struct rs_arena arena; /* owns the pages, the rules and their results */
};

/* Compare and judge the sides of a report. If is_compared is true, its pages compare sides[0] with
 * each of n others. Otherwise each of its n pages shows a side. Fill judged, also on failure.
 * Return false and set err if memory runs out. */
bool rs_judged_init(struct rs_judged *judged, const struct rs_options *options,
	const struct rs_side *sides, size_t n, bool is_compared, struct rs_err *err);
void rs_judged_finish(struct rs_judged *judged);

/* Return 0, or RS_STATUS_GATE if a rule failed. If must_print is true, print a line for each rule
 * to the standard error. */
int rs_judged_status(struct rs_judged *judged, bool must_print);

/* Check the rules of --fail-if on one run, and print a line for each rule to the standard error.
 * Return 0, RS_STATUS_GATE, or RS_STATUS_FAILED. */
int rs_judge_run(const struct rs_options *options, const struct rs_summary *summary);

/* Write a report of one run in a format that only series have. Return false if memory runs out. */
bool rs_write_run_as_series(rs_write_comparison *write, const struct rs_options *options,
	const struct rs_summary *summary, const struct rs_report_options *how, FILE *stream);

/* ---- warnings on the standard error (warn.c) ---- */

/* Before the run, warn about events that cannot be counted, so that the user can still change
 * options. Events with the same reason share one message. Each metric that this machine cannot
 * compute has its own message. A plan from a saved run may contain any bytes. */
void rs_warn_of_events(const struct rs_plan *plan);

/* Return false and set err if a glob of --trace-if or --regions, or a name of --histogram, matches
 * no region of n summaries. */
bool rs_check_regions(const struct rs_options *options, const struct rs_summary *summaries,
	size_t n, struct rs_err *err);

/* Return false and set err if a glob of --regions matches no region of n sides. */
bool rs_check_regions_of_sides(const struct rs_options *options, const struct rs_side *sides,
	size_t n, struct rs_err *err);

/* Print the findings that are warnings, for reports that do not contain messages. code: print only
 * findings with this code; NULL: all. */
void rs_warn_of_results(const struct rs_summary *summary, const char *code);

#endif
