/* SPDX-License-Identifier: MIT */
/*
 * Threads or processes, a line each, and how evenly they share each region's work.
 */
#ifndef RS_REPORT_THREADS_H
#define RS_REPORT_THREADS_H

#include "report/grid.h"
#include "report/tree.h"

/* Write both tables, an empty line before each; nothing where rows are of all threads. False: no
 * memory. */
bool rs_threads_write(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream);

/* Fill the grids of these tables. tree: filled; release it when the grid is written. False: no memory. */
bool rs_places_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);
bool rs_spread_make_grid(struct rs_grid *grid, struct rs_tree *tree,
	const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena);

#endif
