/* SPDX-License-Identifier: MIT */
/*
 * The events of regions in one table: a row for each region and event.
 */
#ifndef RS_REPORT_EVENT_TABLE_H
#define RS_REPORT_EVENT_TABLE_H

#include "report/grid.h"

/* Whether regions have anything that is not in the tree: events, or metrics of their own. */
bool rs_event_table_is_wanted(
	const struct rs_summary *summary, const struct rs_report_options *options);

/* How many rows one region has. */
size_t rs_event_table_rows(const struct rs_summary *summary, const struct rs_choice *choice,
	const struct rs_report_options *options, const struct rs_summary_region *region);

/* Fill grid with the regions of a choice. False: no memory. */
bool rs_event_table_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_choice *choice, const struct rs_report_options *options,
	struct rs_arena *arena);

/* Fill grid with the totals of the run: what it counted, and how much of that was in regions. False:
 * no memory. grid->n_rows is 0 where it counted nothing. */
bool rs_totals_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

#endif
