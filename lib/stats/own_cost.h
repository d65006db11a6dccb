/* SPDX-License-Identifier: MIT */
/*
 * The overhead of markers, from the runtime's numbers of each region on each thread. It is
 * subtracted from values, but the program takes that much longer.
 */
#ifndef RS_STATS_OWN_COST_H
#define RS_STATS_OWN_COST_H

#include "stats/collect.h"
#include "stats/cell_cost.h"
#include "stats/merge.h"
#include "stats/summary.h"

/* From a collection, or from NULL. run: own_cost and own_setup_ns are filled; user_ns and system_ns are. */
void rs_own_cost_of_run(struct rs_summary_run *run, const struct rs_collection *collection);

void rs_own_cost_of_row(struct rs_own_cost *cost, const struct rs_merged_row *row);

/* Which regions' calls take less than the markers around them, on average: one a region of the
 * collection, in arena. raw: values hold what the markers cost. NULL: no memory. */
bool *rs_own_cost_find_short(
	struct rs_arena *arena, const struct rs_collection *collection, bool raw);

#endif
