/* SPDX-License-Identifier: MIT */
/*
 * Showing several runs, and two sides: comparing, rules, reports, and the exit status that follows.
 */
#ifndef RS_SHOW_H
#define RS_SHOW_H

#include "compare/series.h"
#include "reports.h"

/*
 * Show the runs of sides[n], each by itself. reports: opened. Returns the exit status: 0, RS_STATUS_GATE,
 * or RS_STATUS_FAILED with a message.
 */
int rs_show_series(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Show sides[1] and on beside sides[0]. With --noise-check sides[0] is compared with itself first: where that
 * shows a difference, RS_STATUS_NOISE. */
int rs_show_comparison(struct rs_reports *reports, const struct rs_side *sides, size_t n);

/* Whether a side differs from itself; a message on the standard error says so. Returns 0, RS_STATUS_NOISE,
 * or RS_STATUS_FAILED. */
int rs_check_noise(const struct rs_side *old, const struct rs_side *again);

#endif
