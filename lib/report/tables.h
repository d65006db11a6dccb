/* SPDX-License-Identifier: MIT */
/*
 * These functions make the parts that a report prints around the tree of regions. Tables use memory
 * from their parameter arena.
 */
#ifndef RS_REPORT_TABLES_H
#define RS_REPORT_TABLES_H

#include "report/tree.h"

/* Type of the functions that fill the grid of a table. A table with nothing to show has no rows. */
typedef void rs_make_table(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* threads.c: the first table has one line for each thread or process, if the summary is split by
 * them. The second shows how evenly threads share regions, if the summary is split by threads. */
rs_make_table rs_places_make_grid, rs_spread_make_grid;

/* work_table.c: one line for each region and amount of work, if the summary separates calls by
 * their work */
rs_make_table rs_works_make;

/* threads.c: how the time of regions differs between processes of merged runs. Regions are in
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

/* Fill grid with the rows of the chosen regions. It has no rows if no statistic is shown. */
void rs_event_table_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_choice *choice, const struct rs_report_options *options,
	struct rs_arena *arena);

/* Add columns that show each row's process and thread, if regions[0] has them. regions[0] is not
 * NULL. A row whose region is NULL has empty cells. */
void rs_event_table_add_places(
	struct rs_grid *grid, const struct rs_summary_region *const *regions);

/* ---- distributions.c: histograms of regions, drawn as text ---- */

/* For each distribution of the summary, write an empty line and then its histogram. */
void rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

/* ---- headline.c ---- */

/* Return the headline as text in arena, and a second line if the program failed or was killed. */
const char *rs_headline_text(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena);

/* Describe in text[64] how the program ended: "killed by SIGSEGV (signal 11)" or "exit status 3".
 * Set it to "" if the program succeeded. */
void rs_end_text(char text[64], const struct rs_summary *summary);

/* ---- details.c: details of one region as text ---- */

/* Return the rates of the region's work and the average work of a call. Omit a rate that is also a
 * metric, because tables show metrics in their own rows. Return "" if there is nothing to show. All
 * texts are in arena. */
const char *rs_work_text(const struct rs_summary_region *region, struct rs_arena *arena);

/* Return text that describes a tail (slowest calls) whose n_shown is not 0. The text is safe to
 * print. columns: greatest width; 0: no limit. */
const char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail,
	size_t columns, struct rs_arena *arena);

/* Return text about the slowest call, if that call took much longer than the others, else NULL.
 * Omit events for which the width is too small. columns: greatest width; 0: no limit. */
const char *rs_slowest_text(const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t columns, struct rs_arena *arena);

/* Write the name of a region, then one line for each detail. Omit values that do not fit the width.
 * In Markdown, write the region's work and its slow calls as items of a list. */
void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
