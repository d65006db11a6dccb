/* SPDX-License-Identifier: MIT */
/*
 * Calls that did the same work, a line each, of all regions.
 */
#ifndef RS_REPORT_WORK_TABLE_H
#define RS_REPORT_WORK_TABLE_H

#include "report/grid.h"

/* Fill grid; it has no rows where calls are not kept apart by their work. False: no memory. */
bool rs_works_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* Write it, an empty line before it. False: no memory. */
bool rs_works_write(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream);

#endif
