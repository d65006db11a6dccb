/* SPDX-License-Identifier: MIT */
/*
 * This file writes the report of several runs of one command for people. It shows medians over the
 * runs and their spread.
 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/comparison.h"
#include "report/grid.h"

/* Columns of the table. They show measures of cpu-time, or of time. */
static const struct column {
	const char *heading;
	enum rs_measure measure;
	bool has_spread;
	unsigned drop;
} shown[] = {
	{"self", RS_MEASURE_SELF_TOTAL, true, 0},
	{"calls", RS_MEASURE_CALLS, false, 1},
	{"avg", RS_MEASURE_AVG, true, 0},
	{"p50", RS_MEASURE_P50, false, 4},
	{"p90", RS_MEASURE_P90, false, 2},
	{"max", RS_MEASURE_MAX, false, 3},
};
#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Set a cell to the median of a measure over the runs, and the cell beside it to the spread. */
static void set_measure(struct rs_comparison_writer *page, struct rs_grid_column *value,
	struct rs_grid_column *spread, size_t row, size_t event, size_t region,
	enum rs_measure measure)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const char *unit = measure == RS_MEASURE_CALLS ? "count" : comparison->events[event].unit;
	struct rs_estimate estimate = rs_comparison_estimate(comparison, event, region, measure);
	rs_grid_set(value, row, "%s", rs_comparison_value(page, estimate.old.median, unit));
	if (spread && !isnan(estimate.old.error))
		rs_grid_set(spread, row, "( +- %.1f%% )", 100 * estimate.old.error);
}

static void write_grid(struct rs_comparison_writer *page, const char *title, struct rs_grid *grid)
{
	putc('\n', page->stream);
	rs_comparison_write_text(page, title);
	fputs(page->options->markdown ? ":\n\n" : ":\n", page->stream);
	rs_grid_write(grid, page->options, page->stream);
}

static bool has_values(const struct rs_comparison *comparison, size_t event, size_t region)
{
	return !isnan(rs_comparison_difference(comparison, event, region)->whole.old.median);
}

static bool is_in_regions(const struct rs_comparison *comparison, size_t event)
{
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (!comparison->regions[r].is_run && has_values(comparison, event, r))
			return true;
	return false;
}

static void write_event(struct rs_comparison_writer *page, const struct rs_comparison *comparison,
	size_t event, const size_t *order, size_t n)
{
	struct rs_grid grid;
	size_t row = 0;
	rs_grid_init(&grid, page->arena, n);
	struct rs_grid_column *name = rs_grid_add(&grid, "region", 0);
	struct rs_grid_column *values[N_SHOWN], *spreads[N_SHOWN] = {NULL};
	name->is_left = true;
	for (size_t c = 0; c < N_SHOWN; c++) {
		values[c] = rs_grid_add(&grid, shown[c].heading, shown[c].drop);
		values[c]->has_units = true;
		if (!shown[c].has_spread)
			continue;
		spreads[c] = rs_grid_add(&grid, "", c == 0 ? 4 : 5);
		spreads[c]->gap = 1;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rs_compared_region *region = &comparison->regions[order[i]];
		if (region->is_run || !has_values(comparison, event, order[i]))
			continue;
		rs_grid_set(name, row, "%s", rs_comparison_name(page, order[i]));
		for (size_t c = 0; c < N_SHOWN; c++)
			set_measure(page, values[c], spreads[c], row, event, order[i],
				shown[c].measure);
		row++;
	}
	grid.n_rows = row;
	write_grid(page, rs_text_shown(comparison->events[event].name).text, &grid);
}

static void write_totals(
	struct rs_comparison_writer *page, const struct rs_comparison *comparison, size_t run)
{
	struct rs_grid grid;
	size_t row = 0;
	rs_grid_init(&grid, page->arena, comparison->n_events);
	struct rs_grid_column *name = rs_grid_add(&grid, "event", 0);
	struct rs_grid_column *value = rs_grid_add(&grid, "total", 0);
	struct rs_grid_column *spread = rs_grid_add(&grid, "", 0);
	name->is_left = value->has_units = true;
	spread->gap = 1;
	for (size_t e = 0; e < comparison->n_events; e++) {
		if (!has_values(comparison, e, run) || comparison->events[e].kind == RS_KIND_METRIC)
			continue;
		rs_grid_set(name, row, "%s", rs_text_shown(comparison->events[e].name).text);
		set_measure(page, value, spread, row++, e, run, RS_MEASURE_TOTAL);
	}
	grid.n_rows = row;
	if (row > 0)
		write_grid(page, "whole run", &grid);
}

/* Sort regions by self value. The whole run comes last. */
static int compare_regions(const void *a, const void *b, void *context)
{
	const struct rs_comparison *comparison = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	double self[2] = {0, 0};
	const size_t both[] = {x, y};
	if (comparison->regions[x].is_run != comparison->regions[y].is_run)
		return comparison->regions[x].is_run ? 1 : -1;
	for (size_t i = 0; comparison->speed != RS_NONE && i < 2; i++)
		self[i] = rs_comparison_estimate(
			comparison, comparison->speed, both[i], RS_MEASURE_SELF_TOTAL)
				  .old.median;
	return self[0] > self[1] ? -1 : self[0] < self[1] ? 1 : x < y ? -1 : x > y;
}

static void write_page(struct rs_comparison_writer *page)
{
	const struct rs_comparison *comparison = &page->of->comparison;
	const struct rs_series_run *run = rs_side_run(&page->of->old, 0);
	size_t n = 0;
	size_t *order = rs_arena_array(page->arena, comparison->n_regions, sizeof(*order));
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (rs_comparison_is_wanted(page->options, &comparison->regions[r]))
			order[n++] = r;
	qsort_r(order, n, sizeof(*order), compare_regions, (void *)comparison);
	rs_comparison_write_text(
		page, rs_arena_format(page->arena, "%s   %s", rs_text_shown(run->command).text,
			      rs_comparison_n_runs(page, &page->of->old)));
	putc('\n', page->stream);
	/* on-CPU time comes first, because it has the least noise */
	for (size_t i = 0; i <= comparison->n_events; i++) {
		size_t e = i == 0 ? comparison->speed : i - 1;
		bool is_next = e != RS_NONE && (i == 0 || e != comparison->speed) &&
			       rs_is_amount(comparison->events[e].kind) &&
			       is_in_regions(comparison, e);
		if (is_next)
			write_event(page, comparison, e, order, n);
	}
	for (size_t r = 0; r < comparison->n_regions; r++)
		if (comparison->regions[r].is_run)
			write_totals(page, comparison, r);
	if (!isnan(page->of->layout_share))
		fprintf(page->stream, "\nlayout explains %.0f %% of the variance of the run\n",
			100 * page->of->layout_share);
}

void rs_series_table(struct rs_comparison_writer *writer)
{
	bool has_medians = false;
	for (size_t i = 0; i < writer->report->n; i++)
		has_medians |= rs_side_n_runs(&writer->report->pages[i].old) > 1;
	rs_comparison_write_pages(writer, write_page,
		has_medians ? "medians over the runs; +-: standard error of their mean" : NULL);
}
