/* SPDX-License-Identifier: MIT */
/*
 * The tables that a report prints below the tree of regions. Each table has a source file of its own,
 * and uses memory from its parameter arena.
 */
#ifndef RS_REPORT_TABLES_H
#define RS_REPORT_TABLES_H

#include "report/grid.h"
#include "report/tree.h"

/* ---- threads.c: one line for each thread or process, and how evenly they share regions ---- */

/* Fill the grids of these two tables. The first has no rows if the summary is not split by threads
 * or processes, the second has none if it is not split by threads. */
void rs_places_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);
void rs_spread_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* ---- work_table.c: one line for each region and amount of work ---- */

/* Fill grid. It has no rows if the summary does not separate calls by their work. */
void rs_works_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* ---- ranks_table.c: how the time of regions differs between processes of merged runs ---- */

/* Fill grid with a row for each region that the view shows, in the order of the view. It has no
 * rows if the run was not merged from several runs. */
void rs_ranks_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* ---- event_table.c: one row for each region and event, or total of the run ---- */

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

/* Fill grid with the totals of the run, and with the percentage of each total that was counted in
 * regions. grid->n_rows is 0 if the run counted nothing. */
void rs_totals_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* ---- distributions.c: histograms of regions, drawn as text ---- */

/* For each distribution of the summary, write an empty line and then its histogram. */
void rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
