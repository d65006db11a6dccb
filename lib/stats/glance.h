/* SPDX-License-Identifier: MIT */
/*
 * Shares of all regions: each region's self value as a part of the whole, so that shares add up,
 * and how evenly threads share it.
 */
#ifndef RS_STATS_GLANCE_H
#define RS_STATS_GLANCE_H

#include "stats/arena.h"
#include "stats/summary.h"

/*
 * Fill the shares of a summary. It must have its run, columns, merged regions and whole.
 */
void rs_glance_make(struct rs_summary *summary, struct rs_arena *arena);

/*
 * Fill the spreads of a summary whose rows are split by threads. It must have its regions, merged
 * regions and columns. The rows of a region follow each other, in the order of the merged regions.
 */
void rs_spread_make(struct rs_summary *summary, struct rs_arena *arena);

#endif
