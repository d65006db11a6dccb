/* SPDX-License-Identifier: MIT */
/*
 * Warnings of the command on stderr, in addition to the report.
 */
#ifndef RS_CMD_WARN_H
#define RS_CMD_WARN_H

#include "plan/plan.h"
#include "report/view.h"
#include "stats/summary.h"

/* Warn about events that cannot be counted, before the run, so that the user can still change the
 * options. Events with the same reason share one message, and each metric that is not possible gets
 * one. The texts of a saved run's plan may contain anything. */
void rs_warn_of_events(const struct rs_plan *plan);

/* Return false and set err if a glob of --regions, or a name of --histogram, matches no region of n
 * summaries. */
bool rs_check_regions(const struct rs_view *view, const struct rs_summary *summaries, size_t n,
	struct rs_err *err);

/* Print the findings that are warnings, for reports that contain only numbers. code: print only
 * this one; NULL: all. */
void rs_warn_of_results(const struct rs_summary *summary, const char *code);

#endif
