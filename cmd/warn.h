/* SPDX-License-Identifier: MIT */
/*
 * The messages of the command on stderr, beside the report.
 */
#ifndef RS_CMD_WARN_H
#define RS_CMD_WARN_H

#include "plan/plan.h"
#include "report/view.h"
#include "stats/summary.h"

/* Warn about events that cannot be counted, before the run, while the user can still change that.
 * There is one message for all with the same reason, and one for the metrics that are not
 * possible. plan: also that of a saved run, whose texts may be anything. */
void rs_warn_of_events(const struct rs_plan *plan);

/* Whether globs of --regions, and names of --histogram, match a region of any of n summaries. False, with err
 * filled: the first does not. */
bool rs_check_regions(const struct rs_view *view, const struct rs_summary *summaries, size_t n,
	struct rs_err *err);

/* The warnings among the findings, for reports that hold numbers alone. code: that one alone; NULL: all. */
void rs_warn_of_results(const struct rs_summary *summary, const char *code);

#endif
