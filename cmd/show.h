/* SPDX-License-Identifier: MIT */
/*
 * Showing saved runs, series of runs and comparisons of two sides: the reports and the exit status.
 */
#ifndef RS_SHOW_H
#define RS_SHOW_H

#include "compare/series.h"
#include "reports.h"

#define RS_STATUS_NOISE 4 /* --noise-check: the noise of this machine is too large */

/* Write the reports of n saved runs, which are rendered, and print the warnings that they do not
 * contain. Return 0, or RS_STATUS_FAILED after a message. */
int rs_show_runs(struct rs_reports *reports, const struct rs_summary *summaries, size_t n);

/*
 * Show the runs of each side separately. reports must be open. Return the exit status: 0,
 * RS_STATUS_GATE, or RS_STATUS_FAILED after a message.
 */
int rs_show_series(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Compare sides[0] with each other side, and show the differences. With --noise-check, first
 * compare sides[0] with itself. If this shows a difference, return RS_STATUS_NOISE. */
int rs_show_comparison(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Compare two sets of runs of the same command. If they differ, print a message. Return 0,
 * RS_STATUS_NOISE, or RS_STATUS_FAILED. */
int rs_check_noise(const struct rs_side *old, const struct rs_side *again);

#endif
