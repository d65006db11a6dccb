/* SPDX-License-Identifier: MIT */
/*
 * Shares of all regions at one glance: each region's self value as a part of the whole, so that
 * they add up, and how evenly threads share it.
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

/*
 * Fill the spreads of a summary whose rows are threads. summary: with regions, merged and columns
 * filled. A region's rows follow each other, in the order of the merged ones. False: no memory.
 */
bool rs_spread_make(struct rs_summary *summary, struct rs_arena *arena);

#endif
