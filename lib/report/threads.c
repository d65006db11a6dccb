/* SPDX-License-Identifier: MIT */
/*
 * This file makes two tables from a summary that is split by threads or processes. The first has a
 * line for each thread or process with its times. The second shows how evenly they share each
 * region. A third table shows how the processes of merged runs share each region.
 */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/tree.h"

#define SPLITS 3

/* ---- one line for each thread or process ---- */

static int compare_places(const void *left, const void *right)
{
	const struct rs_summary_place *a = *(const struct rs_summary_place *const *)left;
	const struct rs_summary_place *b = *(const struct rs_summary_place *const *)right;
	int order = rs_compare_numbers(b->cpu_ns, a->cpu_ns);
	return order ? order : (a > b) - (a < b);
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

/* Return the label of a thread or process. If there are several processes, the label of a thread
 * starts with its process: "4242/4243". */
static const char *label_of(struct rs_arena *arena, const struct rs_summary *summary,
	const struct rs_summary_process *process, const struct rs_summary_thread *thread)
{
	bool has_both = thread && process && summary->n_processes > 1;
	return rs_arena_format(arena, "%s%s%s",
		has_both ? rs_arena_shown(arena, process->label) : "", has_both ? "/" : "",
		rs_arena_shown(arena, thread	? thread->label
				      : process ? process->label
						: "?"));
}

/* Return the label of a thread or process, and its name: "4243 name". */
static const char *name_of(struct rs_arena *arena, const struct rs_summary *summary,
	const struct rs_summary_place *place)
{
	const struct rs_summary_process *process = place->process;
	const char *name = place->thread ? place->thread->name : process ? process->name : "";
	const char *text = label_of(arena, summary, process, place->thread);
	if (process && process->has_rank)
		text = rs_arena_format(arena, "%s rank %" PRIu32, text, process->rank);
	return *name ? rs_arena_format(arena, "%s %s", text, rs_arena_shown(arena, name)) : text;
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
			rs_grid_set_field(
				column, i, rs_field_of_integer((uint64_t)split[kind]), true);
		else
			rs_grid_set(column, i, "-");
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
	bool has_cpu = false;
	for (size_t i = 0; i < summary->n_places; i++)
		has_cpu |= places[i]->has_cpu;
	if (has_cpu) {
		/* in a narrow table, the smaller one of the last two is dropped first */
		const uint64_t *off_ns = summary->whole.off_ns;
		bool is_busy = off_ns[RS_OFF_PREEMPTED] > off_ns[RS_OFF_BLOCKED];
		add_bars(grid, places, options);
		add_split(grid, places, 0, 0, options->utf8);
		add_split(grid, places, 1, is_busy ? 20 : 30, options->utf8);
		add_split(grid, places, 2, is_busy ? 30 : 20, options->utf8);
	}
	struct rs_grid_column *calls = rs_grid_add(grid, "calls", 15);
	struct rs_grid_column *busiest = rs_grid_add(
		grid, has_cpu ? "most CPU time in" : "most time in", 40);
	busiest->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		rs_grid_set(labels, i, "%s", name_of(arena, summary, places[i]));
		rs_grid_set_field(lifetimes, i, rs_field_of_integer(places[i]->lifetime_ns), true);
		rs_grid_set_field(calls, i, rs_field_of_integer(places[i]->calls), false);
		if (places[i]->busiest)
			rs_grid_set(
				busiest, i, "%s", rs_arena_name(grid->arena, places[i]->busiest));
	}
}

/* ---- one line for each region ---- */

static const struct rs_grid_heading spread_headings[] = {{"region", 0, .is_left = true},
	{"threads", 50}, {"lowest", 20, .has_units = true}, {"of thread", 40},
	{"median", 10, .has_units = true}, {"highest", 0, .has_units = true}, {"of thread", 30},
	{"max/avg", 0}};

/* Set the total of a row in a column, and the row's thread in the next column. */
static void set_end(struct rs_grid_column *columns, size_t line, const struct rs_summary *summary,
	size_t row, size_t by)
{
	const struct rs_summary_region *region = &summary->regions[row];
	rs_grid_set_field(&columns[0], line, rs_field_of_integer(region->values[by].total),
		summary->columns[by].is_ns);
	rs_grid_set(&columns[1], line, "%s",
		label_of(columns->grid->arena, summary, region->process, region->thread));
}

void rs_spread_make_grid(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	size_t by = rs_view_column(&options->view, summary);
	struct rs_tree *tree = rs_arena_array(arena, 1, sizeof(*tree));
	if (summary->n_places > 0 && summary->places->thread)
		rs_tree_make(tree, summary, &options->view, by, SIZE_MAX, arena);
	rs_grid_init(grid, arena, tree->n);
	struct rs_grid_column *columns = rs_grid_add_all(
		grid, spread_headings, sizeof(spread_headings) / sizeof(spread_headings[0]));
	rs_tree_names_set(grid, summary, tree, options->utf8, false);
	for (size_t i = 0; i < grid->n_rows; i++) {
		size_t region = tree->lines[i].region;
		if (region == RS_NO_ROW)
			continue;
		const struct rs_spread spread = rs_spread_of(summary, region, by, arena);
		if (spread.n == 0)
			continue;
		rs_grid_set(&columns[1], i, "%zu", spread.n);
		set_end(&columns[2], i, summary, spread.lowest, by);
		rs_grid_set_field(&columns[4], i, rs_field_of_integer(spread.median),
			summary->columns[by].is_ns);
		set_end(&columns[5], i, summary, spread.highest, by);
		if (isfinite(spread.imbalance))
			rs_grid_set(&columns[7], i, "%.2f", spread.imbalance);
	}
}

/* ---- processes of merged runs ---- */

/* Return text that identifies a process: "3 on node1". The number is its rank, or its process id if
 * it has no rank. */
static const char *name_rank(struct rs_grid *grid, const struct rs_rank *rank)
{
	return rs_arena_format(grid->arena, "%" PRIu32 "%s%s",
		rank->rank != RS_NO_RANK ? rank->rank : rank->pid, rank->host[0] ? " on " : "",
		rs_arena_shown(grid->arena, rank->host));
}

static const struct rs_grid_heading rank_headings[] = {{"region", 0, .is_left = true},
	{"processes", 20}, {"imbalance", 0}, {"lowest", 30, .has_units = true},
	{"median", 0, .has_units = true}, {"highest", 0, .has_units = true}, {"lowest process", 40},
	{"highest process", 10}};

static void set_row(struct rs_grid *grid, struct rs_grid_column *columns, size_t row,
	const struct rs_summary_region *region)
{
	const struct rs_value *times = &region->ranks->times;
	/* the middle two processes; for an odd number, both are the middle one */
	uint64_t low = rs_value_quantile(times, RS_P50);
	uint64_t high = rs_value_quantile(times, RS_P50 + RS_P50 / (uint32_t)times->counted);
	const uint64_t shown[] = {times->min, low + (high - low) / 2, times->max};
	double average = rs_value_average(times);
	rs_grid_set(&columns[0], row, "%s", rs_arena_name(grid->arena, region->name));
	rs_grid_set(&columns[1], row, "%" PRIu64, times->counted);
	rs_grid_set(&columns[2], row, "%.2f", average > 0 ? (double)times->max / average : 1.0);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		rs_grid_set_field(&columns[3 + i], row, rs_field_of_integer(shown[i]), true);
	rs_grid_set(&columns[6], row, "%s", name_rank(grid, &region->ranks->lowest));
	rs_grid_set(&columns[7], row, "%s", name_rank(grid, &region->ranks->highest));
}

void rs_ranks_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	struct rs_choice choice;
	rs_choice_make(&choice, summary, options, arena);
	size_t n = 0;
	for (size_t i = 0; i < choice.n_regions; i++)
		n += summary->regions[choice.regions[i]].ranks != NULL;
	rs_grid_init(grid, arena, n);
	struct rs_grid_column *columns = rs_grid_add_all(
		grid, rank_headings, sizeof(rank_headings) / sizeof(rank_headings[0]));
	n = 0;
	for (size_t i = 0; i < choice.n_regions; i++)
		if (summary->regions[choice.regions[i]].ranks)
			set_row(grid, columns, n++, &summary->regions[choice.regions[i]]);
}
