/* SPDX-License-Identifier: MIT */
/*
 * This file makes the table of calls by their work. A row describes all calls of a region that did
 * the same work. Regions are in the order of the summary. Rows of a region are sorted by total
 * time, largest first.
 */
#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"

/* Without --all, show at most this many rows of a region. */
#define SHOWN_WORKS 10u

struct place {
	const struct rs_summary_region *work;
	size_t region; /* index in summary->regions */
	bool is_first; /* first row of its region */
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = rs_compare_numbers(a->region, b->region);
	order = order ? order
		      : rs_compare_numbers(b->work->values[0].total, a->work->values[0].total);
	return order ? order : (a->work > b->work) - (a->work < b->work);
}

/* Return the index of the region to which a row of work belongs. Return SIZE_MAX if the view does
 * not show this region. */
static size_t region_of(const struct rs_summary *summary, const struct rs_report_options *options,
	const struct rs_summary_region *work)
{
	for (size_t i = 0; i < summary->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[i];
		if (strcmp(work->work_of, region->name) == 0 && work->process == region->process &&
			work->thread == region->thread)
			return rs_view_has(&options->view, region->name) ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}

/* Fill places[n_works] with the rows to show. Return how many there are. */
static size_t choose(struct place *places, const struct rs_summary *summary,
	const struct rs_report_options *options)
{
	size_t n = 0, shown = 0, of_region = 0;
	for (size_t i = 0; i < summary->n_works; i++) {
		size_t region = region_of(summary, options, &summary->works[i]);
		if (region != SIZE_MAX)
			places[n++] = (struct place){&summary->works[i], region, false};
	}
	if (n > 0)
		qsort(places, n, sizeof(*places), compare);
	for (size_t i = 0; i < n; i++) {
		bool is_first = i == 0 || places[i].region != places[i - 1].region;
		of_region = is_first ? 0 : of_region + 1;
		if (!options->all && of_region >= SHOWN_WORKS)
			continue;
		places[shown] = places[i];
		places[shown++].is_first = is_first;
	}
	return shown;
}

/* Set a cell to the work of one call: "24 MB", "2 M". */
static void set_amount(struct rs_grid_column *column, size_t row,
	const struct rs_summary_region *work, uint64_t amount, const char *unit)
{
	double value = (double)amount;
	const char *prefix = rs_format_prefix(&value);
	if (work->is_other_work)
		rs_grid_set(column, row, "(other)");
	else if (!*prefix)
		rs_grid_set(column, row, "%.0f%s%s", value, *unit ? " " : "", unit);
	else
		rs_grid_set(column, row, "%.3g %s%s", value, prefix, unit);
}

static void set_rate(struct rs_grid_column *column, size_t row, double rate)
{
	rs_grid_set(column, row, "%s", isfinite(rate) ? rs_format_real(rate).text : "-");
}

static const struct rs_grid_heading headings[] = {{"bytes", 0}, {"flop", 30}, {"calls", 0},
	{"total", 40, .has_units = true}, {"avg", 0, .has_units = true},
	{"p90", 25, .has_units = true}, {"max", 0, .has_units = true}, {"GB/s", 0}, {"GFLOP/s", 20},
	{"flop/B", 50}};

static void set_row(
	struct rs_grid_column *columns, size_t row, const struct rs_summary_region *work)
{
	static const enum rs_statistic_index shown[] = {
		RS_STATISTIC_TOTAL, RS_STATISTIC_AVG, RS_STATISTIC_P90, RS_STATISTIC_MAX};
	const struct rs_value *time = &work->values[0];
	set_amount(&columns[0], row, work, work->work_bytes, "B");
	set_amount(&columns[1], row, work, work->work_flops, "");
	rs_grid_set_field(&columns[2], row, rs_field_of_integer(work->calls), false);
	for (size_t i = 0; i < 4; i++)
		rs_grid_set_field(&columns[3 + i], row,
			rs_statistic_of(&rs_statistics[shown[i]], work, time), true);
	set_rate(&columns[7], row, work->work.gb_per_s);
	set_rate(&columns[8], row, work->work.gflop_per_s);
	set_rate(&columns[9], row, work->work.flop_per_byte);
}

void rs_works_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	struct place *places = rs_arena_array(arena, summary->n_works, sizeof(*places));
	rs_grid_init(grid, arena, choose(places, summary, options));
	const struct rs_summary_region **works = rs_arena_array(
		arena, grid->n_rows, sizeof(const struct rs_summary_region *));
	struct rs_grid_column *names = rs_grid_add(grid, "region", 0);
	names->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		works[i] = places[i].work;
		if (!places[i].is_first)
			continue;
		rs_grid_set(names, i, "%s", rs_arena_name(arena, works[i]->work_of));
		names->cells[i].spans[0].style = RS_SPAN_BOLD;
	}
	rs_event_table_add_places(grid, works);
	struct rs_grid_column *columns = rs_grid_add_all(
		grid, headings, sizeof(headings) / sizeof(headings[0]));
	for (size_t i = 0; i < grid->n_rows; i++)
		set_row(columns, i, works[i]);
}
