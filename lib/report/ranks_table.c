/* SPDX-License-Identifier: MIT */
/*
 * This file makes the table of the processes of merged runs. For each region it shows the
 * imbalance, and the lowest, median and highest total time of a process.
 */
#include "report/tables.h"

#include <inttypes.h>

#include "report/format.h"

/* Return text that identifies a process: "3 on node1". The number is its rank, or its process id if
 * it has no rank. */
static const char *name_rank(struct rs_grid *grid, const struct rs_rank *rank)
{
	return rs_grid_text(grid, "%" PRIu32 "%s%s",
		rank->rank != RS_NO_RANK ? rank->rank : rank->pid, rank->host[0] ? " on " : "",
		rs_grid_shown(grid, rank->host));
}

static void set_row(struct rs_grid *grid, struct rs_grid_column *const *columns, size_t row,
	const struct rs_summary_region *region)
{
	const struct rs_value *times = &region->ranks->times;
	const uint64_t shown[] = {times->min, rs_value_quantile(times, RS_P50), times->max};
	double average = rs_value_average(times);
	rs_grid_set(grid, columns[0], row, "%s", rs_grid_shown(grid, region->name));
	rs_grid_set(grid, columns[1], row, "%" PRIu64, times->counted);
	rs_grid_set(
		grid, columns[2], row, "%.2f", average > 0 ? (double)times->max / average : 1.0);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct rs_cell_text cell;
		rs_format_total(&cell, RS_FORMAT_NS, shown[i], false);
		rs_grid_set(grid, columns[3 + i], row, "%s", cell.text);
	}
	rs_grid_set(grid, columns[6], row, "%s", name_rank(grid, &region->ranks->lowest));
	rs_grid_set(grid, columns[7], row, "%s", name_rank(grid, &region->ranks->highest));
}

void rs_ranks_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	static const struct {
		const char *heading;
		unsigned drop;
	} headings[] = {{"region", 0}, {"processes", 20}, {"imbalance", 0}, {"lowest", 30},
		{"median", 0}, {"highest", 0}, {"lowest process", 40}, {"highest process", 10}};
	struct rs_grid_column *columns[sizeof(headings) / sizeof(headings[0])];
	struct rs_choice choice;
	rs_choice_make(&choice, summary, options, SIZE_MAX, arena);
	size_t n = 0;
	for (size_t i = 0; i < choice.n_regions; i++)
		n += summary->regions[choice.regions[i]].ranks != NULL;
	rs_grid_init(grid, arena, n);
	for (size_t c = 0; c < sizeof(headings) / sizeof(headings[0]); c++)
		columns[c] = rs_grid_add(grid, headings[c].heading, headings[c].drop);
	columns[0]->is_left = true;
	for (size_t c = 3; c < 6; c++)
		columns[c]->has_units = true;
	n = 0;
	for (size_t i = 0; i < choice.n_regions; i++)
		if (summary->regions[choice.regions[i]].ranks)
			set_row(grid, columns, n++, &summary->regions[choice.regions[i]]);
}
