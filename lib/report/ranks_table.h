/* SPDX-License-Identifier: MIT */
/*
 * The table of how the time of regions differs between the processes of merged runs.
 */
#ifndef RS_REPORT_RANKS_TABLE_H
#define RS_REPORT_RANKS_TABLE_H

#include "report/grid.h"

/* Make the grid, with a row for each region that the view shows, in the order of the view. It has no
 * rows if the run is not a sum of merged runs. */
void rs_ranks_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

#endif
