/* SPDX-License-Identifier: MIT */
/*
 * Tables of events: one row for each region and event, and one row for each total of the run.
 */
#ifndef RS_REPORT_EVENT_TABLE_H
#define RS_REPORT_EVENT_TABLE_H

#include "report/grid.h"

/* Return true if regions have values that the tree does not show: further events, or metrics that
 * belong to no event. */
bool rs_event_table_is_wanted(
	const struct rs_summary *summary, const struct rs_report_options *options);

/* Return the number of rows that one region has in the table. */
size_t rs_event_table_rows(const struct rs_summary *summary, const struct rs_choice *choice,
	const struct rs_report_options *options, const struct rs_summary_region *region);

/* Fill grid with the rows of the chosen regions. */
void rs_event_table_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_choice *choice, const struct rs_report_options *options,
	struct rs_arena *arena);

/* Fill grid with the totals of the run, and the percentage of each that was counted in regions.
 * grid->n_rows is 0 if the run counted nothing. */
void rs_totals_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

#endif
