/* SPDX-License-Identifier: MIT */
/*
 * Tables of threads or processes: one line for each, and how evenly they share the work of each
 * region.
 */
#ifndef RS_REPORT_THREADS_H
#define RS_REPORT_THREADS_H

#include "report/grid.h"
#include "report/tree.h"

/* Fill the grids of these two tables. The first has no rows if the summary is not split by threads or
 * processes. The second needs summary->spreads; it also fills tree, which the caller releases after
 * writing the grid. */
void rs_places_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);
void rs_spread_make_grid(struct rs_grid *grid, struct rs_tree *tree,
	const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena);

#endif
