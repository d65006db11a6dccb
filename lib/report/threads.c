/* SPDX-License-Identifier: MIT */
/*
 * This file makes two tables from a summary that is split by threads or processes. The first has a
 * line for each thread or process with its times. The second shows how evenly they share each
 * region.
 */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/tree_table.h"

#define SPLITS 3

static void set_total(struct rs_grid *grid, struct rs_grid_column *column, size_t row,
	uint64_t value, bool is_time)
{
	struct rs_cell_text cell;
	rs_format_field(&cell, rs_field_of_integer(value), is_time);
	rs_grid_set(grid, column, row, "%s", cell.text);
}

/* ---- one line for each thread or process ---- */

static int compare_places(const void *left, const void *right)
{
	const struct rs_summary_place *a = *(const struct rs_summary_place *const *)left;
	const struct rs_summary_place *b = *(const struct rs_summary_place *const *)right;
	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return (a > b) - (a < b);
}

static const struct rs_summary_place **sort_places(
	const struct rs_summary *summary, struct rs_arena *arena)
{
	const struct rs_summary_place **places = rs_arena_array(
		arena, summary->n_places, sizeof(*places));
	for (size_t i = 0; i < summary->n_places; i++)
		places[i] = &summary->places[i];
	qsort(places, summary->n_places, sizeof(*places), compare_places);
	return places;
}

/* Return the label of a thread or process: "4243 name". If there are several processes, the label
 * of a thread starts with its process. */
static const char *label_of(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_summary_place *place)
{
	const struct rs_summary_process *process = place->process;
	const char *name = place->thread ? place->thread->name : process ? process->name : "";
	const char *text = "";
	if (place->thread && summary->n_processes > 1 && process)
		text = rs_grid_text(grid, "%s/", rs_grid_shown(grid, process->label));
	text = rs_grid_text(grid, "%s%s", text,
		rs_grid_shown(grid, place->thread ? place->thread->label
				    : process	  ? process->label
						  : "?"));
	if (process && process->has_rank && !place->thread)
		text = rs_grid_text(grid, "%s rank %" PRIu32, text, process->rank);
	return *name ? rs_grid_text(grid, "%s %s", text, rs_grid_shown(grid, name)) : text;
}

static void split_of(const struct rs_summary_place *place, double split[SPLITS])
{
	split[0] = place->has_cpu ? (double)place->cpu_ns : (double)place->lifetime_ns;
	split[1] = place->has_cpu ? (double)place->off_ns[RS_OFF_PREEMPTED] : 0;
	split[2] = place->has_cpu ? (double)place->off_ns[RS_OFF_BLOCKED] : 0;
}

static void add_bars(struct rs_grid *grid, const struct rs_summary_place *const *places,
	const struct rs_report_options *options)
{
	struct rs_grid_column *column = rs_split_add_bars(grid, 10);
	double top = 0, split[SPLITS];
	for (size_t i = 0; i < grid->n_rows; i++)
		top = fmax(top, (double)places[i]->lifetime_ns);
	for (size_t i = 0; i < grid->n_rows; i++) {
		split_of(places[i], split);
		rs_split_bar(grid, &column->cells[i], split, top, options->width >= 120 ? 20 : 10,
			options->utf8);
	}
}

static void add_split(struct rs_grid *grid, const struct rs_summary_place *const *places, int kind,
	unsigned drop, bool utf8)
{
	struct rs_grid_column *column = rs_grid_add(grid, rs_split_heading(grid, kind, utf8), drop);
	column->has_units = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		double split[SPLITS];
		split_of(places[i], split);
		if (places[i]->has_cpu)
			set_total(grid, column, i, (uint64_t)split[kind], true);
		else
			rs_grid_set(grid, column, i, "-");
	}
}

void rs_places_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	const struct rs_summary_place **places = sort_places(summary, arena);
	rs_grid_init(grid, arena, summary->n_places);
	bool is_thread = summary->n_places > 0 && places[0]->thread;
	struct rs_grid_column *labels = rs_grid_add(grid, is_thread ? "thread" : "process", 0);
	struct rs_grid_column *lifetimes = rs_grid_add(grid, "lifetime", 0);
	labels->is_left = lifetimes->has_units = true;
	add_bars(grid, places, options);
	add_split(grid, places, 0, 0, options->utf8);
	add_split(grid, places, 1, 30, options->utf8);
	add_split(grid, places, 2, 20, options->utf8);
	struct rs_grid_column *calls = rs_grid_add(grid, "calls", 15);
	struct rs_grid_column *busiest = rs_grid_add(grid, "most CPU time in", 40);
	busiest->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		rs_grid_set(grid, labels, i, "%s", label_of(grid, summary, places[i]));
		set_total(grid, lifetimes, i, places[i]->lifetime_ns, true);
		set_total(grid, calls, i, places[i]->calls, false);
		if (places[i]->busiest)
			rs_grid_set(
				grid, busiest, i, "%s", rs_grid_shown(grid, places[i]->busiest));
	}
}

/* ---- one line for each region ---- */

/* Set a cell to the total of a row, such as "3.10 ms". Set another cell to the thread or process of
 * that row. */
static void set_spread(struct rs_grid *grid, struct rs_grid_column *column,
	struct rs_grid_column *thread, size_t line, const struct rs_summary *summary, size_t row,
	size_t shown_column)
{
	const struct rs_summary_region *region = &summary->regions[row];
	set_total(grid, column, line, region->values[shown_column].total,
		strcmp(summary->columns[shown_column].unit, "ns") == 0);
	if (thread)
		rs_grid_set(grid, thread, line, "%s%s%s",
			summary->n_processes > 1 && region->process
				? rs_grid_shown(grid, region->process->label)
				: "",
			summary->n_processes > 1 && region->process ? "/" : "",
			region->thread ? rs_grid_shown(grid, region->thread->label) : "?");
}

void rs_spread_make_grid(struct rs_grid *grid, struct rs_tree *tree,
	const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena)
{
	size_t by = rs_view_column(&options->view, summary);
	struct rs_tree_names *names = rs_arena_array(arena, 1, sizeof(*names));
	rs_tree_make(tree, summary, &options->view, by, SIZE_MAX, arena);
	*names = (struct rs_tree_names){summary, tree, options->utf8, false};
	rs_grid_init(grid, arena, tree->n);
	rs_grid_add(grid, "region", 0)->is_left = true;
	rs_tree_names_set(grid, names);
	struct rs_grid_column *threads = rs_grid_add(grid, "threads", 50);
	struct rs_grid_column *lowest = rs_grid_add(grid, "lowest", 20);
	struct rs_grid_column *low_thread = rs_grid_add(grid, "of thread", 40);
	struct rs_grid_column *median = rs_grid_add(grid, "median", 10);
	struct rs_grid_column *highest = rs_grid_add(grid, "highest", 0);
	struct rs_grid_column *high_thread = rs_grid_add(grid, "of thread", 30);
	struct rs_grid_column *imbalance = rs_grid_add(grid, "max/avg", 0);
	lowest->has_units = median->has_units = highest->has_units = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		size_t region = tree->lines[i].region;
		if (region == RS_NO_ROW)
			continue;
		const struct rs_spread *spread =
			&summary->spreads[region * summary->n_columns + by];
		if (spread->n == 0)
			continue;
		rs_grid_set(grid, threads, i, "%zu", spread->n);
		set_spread(grid, lowest, low_thread, i, summary, spread->lowest, by);
		set_spread(grid, median, NULL, i, summary, spread->median, by);
		set_spread(grid, highest, high_thread, i, summary, spread->highest, by);
		if (isfinite(spread->imbalance))
			rs_grid_set(grid, imbalance, i, "%.2f", spread->imbalance);
	}
}
