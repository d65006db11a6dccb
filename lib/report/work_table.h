/* SPDX-License-Identifier: MIT */
/*
 * The table of calls by their work: one line for each region and amount of work.
 */
#ifndef RS_REPORT_WORK_TABLE_H
#define RS_REPORT_WORK_TABLE_H

#include "report/grid.h"

/* Fill grid. It has no rows if calls were not kept apart by their work. */
void rs_works_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

#endif
