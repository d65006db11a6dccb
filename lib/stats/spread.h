/* SPDX-License-Identifier: MIT */
/*
 * How evenly a region's work was spread over the threads that called it.
 */
#ifndef RS_STATS_SPREAD_H
#define RS_STATS_SPREAD_H

#include "stats/arena.h"
#include "stats/summary.h"

/*
 * Fill the spreads of a summary whose rows are threads.
 * summary: with regions, merged and columns filled; a region's rows in one run, in the order of the
 * merged ones. False: no memory.
 */
bool rs_spread_make(struct rs_summary *summary, struct rs_arena *arena);

#endif
