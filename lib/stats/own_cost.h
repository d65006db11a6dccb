/* SPDX-License-Identifier: MIT */
/*
 * The overhead of markers, from the runtime's numbers of each region on each thread. It is
 * subtracted from values, but the program takes that much longer.
 */
#ifndef RS_STATS_OWN_COST_H
#define RS_STATS_OWN_COST_H

#include "stats/result.h"
#include "stats/summary.h"

/* Of the summary's run, whose user_ns and system_ns are known. */
void rs_own_cost_of_run(struct rs_summary *summary);

void rs_own_cost_of_row(struct rs_own_cost *cost, const struct rs_result *row);

/* Which regions' calls take less than the markers around them, on average: one a region of the run,
 * in arena. raw: values hold what the markers cost. NULL: no memory. */
bool *rs_own_cost_find_short(struct rs_arena *arena, const struct rs_run *run, bool raw);

#endif
