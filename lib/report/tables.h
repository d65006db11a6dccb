/* SPDX-License-Identifier: MIT */
/*
 * The tables that a report prints below the tree of regions. Each table has a source file of its
 * own, and uses memory from its parameter arena.
 */
#ifndef RS_REPORT_TABLES_H
#define RS_REPORT_TABLES_H

#include "report/grid.h"
#include "report/tree.h"

/* Type of the functions that fill the grid of a table. A table with nothing to show has no rows. */
typedef void rs_make_table(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* threads.c: one line for each thread or process, if the summary is split by them; how evenly
 * threads share regions, if it is split by threads */
rs_make_table rs_places_make_grid, rs_spread_make_grid;

/* work_table.c: one line for each region and amount of work, if the summary separates calls by
 * their work */
rs_make_table rs_works_make;

/* ranks_table.c: how the time of regions differs between processes of merged runs. Regions are in
 * the order of the view. */
rs_make_table rs_ranks_make;

/* event_table.c: the totals of the run, and the percentage of each that was counted in regions */
rs_make_table rs_totals_make;

/* ---- event_table.c: one row for each region and event ---- */

/* Return true if regions have values that the tree does not show: additional events, or metrics
 * that belong to no event. */
bool rs_event_table_is_wanted(
	const struct rs_summary *summary, const struct rs_report_options *options);

/* Return how many rows the table needs for one region. */
size_t rs_event_table_rows(const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_summary_region *region);

/* Fill grid with the rows of the chosen regions. */
void rs_event_table_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_choice *choice, const struct rs_report_options *options,
	struct rs_arena *arena);

/* ---- distributions.c: histograms of regions, drawn as text ---- */

/* For each distribution of the summary, write an empty line and then its histogram. */
void rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
