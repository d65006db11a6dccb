/* SPDX-License-Identifier: MIT */
/*
 * What lets all regions be seen at one glance: which share of all there is each has for itself, so
 * that they add up, and how evenly threads share them.
 */
#ifndef RS_STATS_GLANCE_H
#define RS_STATS_GLANCE_H

#include "stats/arena.h"
#include "stats/summary.h"

/*
 * Fill the shares of a summary from the values of its merged regions.
 * summary: with run, columns, merged and whole filled. False: no memory.
 */
bool rs_glance_make(struct rs_summary *summary, struct rs_arena *arena);

/* The column of task-clock in regions, or 0. columns: of the plan. */
size_t rs_glance_cpu_column(const struct rs_summary *summary, const struct rs_plan *plan);

/*
 * Fill the spreads of a summary whose rows are threads.
 * summary: with regions, merged and columns filled; a region's rows in one run, in the order of the
 * merged ones. False: no memory.
 */
bool rs_spread_make(struct rs_summary *summary, struct rs_arena *arena);

#endif
