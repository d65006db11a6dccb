/* SPDX-License-Identifier: MIT */
/*
 * These functions print warnings to stderr, in addition to the report.
 */
#ifndef RS_CMD_WARN_H
#define RS_CMD_WARN_H

#include "options.h"
#include "plan/plan.h"
#include "stats/summary.h"

/* Before the run, warn about events that cannot be counted, so that the user can still change
 * options. Events with the same reason share one message. Each metric that this machine cannot
 * compute has its own message. A plan from a saved run may contain any bytes. */
void rs_warn_of_events(const struct rs_plan *plan);

/* Return false and set err if a glob of --trace-if or --regions, or a name of --histogram, matches
 * no region of n summaries. */
bool rs_check_regions(const struct rs_options *options, const struct rs_summary *summaries,
	size_t n, struct rs_err *err);

/* Print the findings that are warnings, for reports that do not contain messages. code: print only
 * findings with this code; NULL: all. */
void rs_warn_of_results(const struct rs_summary *summary, const char *code);

#endif
