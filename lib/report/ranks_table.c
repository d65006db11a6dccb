/* SPDX-License-Identifier: MIT */
/*
 * This file makes the table of the processes of merged runs. For each region it shows the
 * imbalance, and the lowest, median and highest total time of a process.
 */
#include "report/tables.h"

#include <inttypes.h>

/* Return text that identifies a process: "3 on node1". The number is its rank, or its process id if
 * it has no rank. */
static const char *name_rank(struct rs_grid *grid, const struct rs_rank *rank)
{
	return rs_arena_format(grid->arena, "%" PRIu32 "%s%s",
		rank->rank != RS_NO_RANK ? rank->rank : rank->pid, rank->host[0] ? " on " : "",
		rs_arena_shown(grid->arena, rank->host));
}

static const struct rs_grid_heading headings[] = {{"region", 0, .is_left = true}, {"processes", 20},
	{"imbalance", 0}, {"lowest", 30, .has_units = true}, {"median", 0, .has_units = true},
	{"highest", 0, .has_units = true}, {"lowest process", 40}, {"highest process", 10}};

static void set_row(struct rs_grid *grid, struct rs_grid_column *columns, size_t row,
	const struct rs_summary_region *region)
{
	const struct rs_value *times = &region->ranks->times;
	const uint64_t shown[] = {times->min, rs_value_quantile(times, RS_P50), times->max};
	double average = rs_value_average(times);
	rs_grid_set(grid, &columns[0], row, "%s", rs_arena_shown(grid->arena, region->name));
	rs_grid_set(grid, &columns[1], row, "%" PRIu64, times->counted);
	rs_grid_set(
		grid, &columns[2], row, "%.2f", average > 0 ? (double)times->max / average : 1.0);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		rs_grid_set_field(grid, &columns[3 + i], row, rs_field_of_integer(shown[i]), true);
	rs_grid_set(grid, &columns[6], row, "%s", name_rank(grid, &region->ranks->lowest));
	rs_grid_set(grid, &columns[7], row, "%s", name_rank(grid, &region->ranks->highest));
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
		grid, headings, sizeof(headings) / sizeof(headings[0]));
	n = 0;
	for (size_t i = 0; i < choice.n_regions; i++)
		if (summary->regions[choice.regions[i]].ranks)
			set_row(grid, columns, n++, &summary->regions[choice.regions[i]]);
}
