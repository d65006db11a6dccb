/* SPDX-License-Identifier: MIT */
/*
 * The overhead of markers, computed from what the runtime measured for each region on each thread.
 * It is subtracted from values, but the program takes that much longer.
 */
#ifndef RS_STATS_OWN_COST_H
#define RS_STATS_OWN_COST_H

#include "stats/result.h"
#include "stats/summary.h"

/* Set the overhead of the run. The summary must have user_ns and system_ns. */
void rs_marker_overhead_of_run(struct rs_summary *summary);

void rs_marker_overhead_of_row(struct rs_marker_overhead *cost, const struct rs_result *row);

/* Find regions whose calls are shorter on average than the markers around them. Return a flag for
 * each region of the run, in arena. raw: values include the overhead. */
const bool *rs_marker_overhead_find_short(
	struct rs_arena *arena, const struct rs_run *run, bool raw);

#endif
