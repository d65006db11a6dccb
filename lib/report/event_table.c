/* SPDX-License-Identifier: MIT */
/*
 * This file makes the tables of events: one for the regions, and one for the whole run. As in perf
 * stat, a comment follows each value. It shows the metrics of the event, and how much of the time
 * the event was counted.
 */
#include "report/tables.h"

#include <string.h>

#include "base/width.h"
#include "report/columns.h"
#include "report/format.h"

#define LONGEST_NAME 24u
#define NAME_BYTES (8u * RS_NAME_BYTES)

/* One row of the table. It shows the value of an event, or a metric that belongs to no event. */
struct row {
	const struct rs_summary_region *region;
	bool is_first; /* first row of its region */
	/* the column of the summary that the row shows, and the region's value; NULL: a metric */
	const struct rs_summary_column *column;
	const struct rs_value *value;
	const struct rs_metric *metric;
};

bool rs_event_table_is_wanted(
	const struct rs_summary *summary, const struct rs_report_options *options)
{
	if (options->verbose)
		return true;
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
		if (summary->columns[c].in_regions)
			return true;
	for (size_t i = 0; i < summary->n_regions; i++)
		for (size_t m = 0; m < summary->regions[i].n_metrics; m++)
			if (rs_metric_has_row(&summary->regions[i].metrics[m]))
				return true;
	return false;
}

static bool has_row(const struct rs_summary *summary, const struct rs_report_options *options,
	const struct rs_summary_region *region, size_t c)
{
	const struct rs_summary_column *column = &summary->columns[c];
	if (c >= RS_EVENT_FIRST)
		return column->in_regions && (options->verbose || !column->is_part);
	if (c != RS_EVENT_TIME && !rs_value_has_total(&region->values[c]))
		return false;
	return options->verbose || c == RS_EVENT_CPU_TIME;
}

/* Make the rows of a region and return how many there are. If rows is NULL, only count them. */
static size_t list_rows(struct row *rows, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_summary_region *region)
{
	size_t n = 0;
	for (size_t c = 0; c < summary->n_columns; c++) {
		if (!has_row(summary, options, region, c))
			continue;
		if (rows)
			rows[n] = (struct row){
				region, n == 0, &summary->columns[c], &region->values[c], NULL};
		n++;
	}
	for (size_t m = 0; m < region->n_metrics; m++) {
		if (!rs_metric_has_row(&region->metrics[m]))
			continue;
		if (rows)
			rows[n] = (struct row){region, n == 0, NULL, NULL, &region->metrics[m]};
		n++;
	}
	return n;
}

size_t rs_event_table_rows(const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_summary_region *region)
{
	return region->calls > 0 ? list_rows(NULL, summary, options, region) : 0;
}

/* ---- cells ---- */

/* Return the comment of a value: "# 3.51 insn per cycle, counted 52% of the time". */
static const char *comment_of(
	struct rs_grid *grid, const struct rs_summary_region *region, size_t column)
{
	const struct rs_value *value = &region->values[column];
	const char *text = "";
	for (size_t m = 0; m < region->n_metrics; m++) {
		const struct rs_metric *metric = &region->metrics[m];
		if (metric->column != column)
			continue;
		bool is_ipc = strcmp(metric->name, "IPC") == 0; /* perf stat uses these words */
		const struct rs_cell_text cell = rs_format_metric(
			is_ipc ? "insn per cycle" : metric->name, metric->unit, metric->value);
		const char *name = strcmp(metric->unit, "%") == 0 ? metric->name : "";
		text = rs_arena_format(grid->arena, "%s%s%s%s%s", text, *text ? ", " : "# ",
			cell.text, *name ? " " : "", name);
	}
	if (!rs_value_has_total(value))
		return rs_arena_format(grid->arena, "%s%s%s", text, *text ? ", " : "# ",
			rs_status_words(value->status));
	double running = rs_value_running(value);
	if (running < 1)
		text = rs_arena_format(grid->arena, "%s%scounted %.*f%% of the time", text,
			*text ? ", " : "# ", running < 0.0995 ? 1 : 0, running * 100);
	return text;
}

static void set_field(struct rs_grid_column *column, size_t i, const struct row *row,
	const struct rs_statistic *statistic, bool utf8)
{
	struct rs_field field = rs_statistic_of(statistic, row->region, row->value);
	const struct rs_value *values = row->region->values;
	/* Overhead makes short times inexact, including on-CPU times. Show a bound for them, as in
	 * the table of regions. */
	const struct rs_cell_column kind = {
		row->value <= &values[RS_EVENT_CPU_TIME], row->column->is_ns, utf8};
	const struct rs_cell_text cell = rs_cell_statistic(
		statistic, row->region, row->value, &kind);
	bool is_estimate = rs_statistic_is_estimate(statistic, row->value) && cell.text[0] != '<' &&
			   field.kind != RS_FIELD_ABSENT;
	rs_grid_set(column, i, "%s%s", is_estimate ? "~" : "", cell.text);
}

static void add_statistic(struct rs_grid *grid, const struct row *rows,
	const struct rs_statistic *statistic, unsigned drop, bool utf8)
{
	struct rs_grid_column *column = rs_grid_add(grid, rs_statistic_title(statistic), drop);
	column->has_units = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		if (rows[i].value)
			set_field(column, i, &rows[i], statistic, utf8);
		else if (statistic == &rs_statistics[RS_STATISTIC_AVG])
			rs_grid_set(column, i, "%s", rs_cell_metric(rows[i].metric).text);
	}
}

static void add_names(struct rs_grid *grid, const struct row *rows)
{
	struct rs_grid_column *names = rs_grid_add(grid, "region", 0);
	names->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		char cut[NAME_BYTES + 8];
		if (!rows[i].is_first)
			continue;
		rs_width_cut_middle(cut, sizeof(cut),
			rs_arena_name(grid->arena, rows[i].region->name), LONGEST_NAME, "..");
		rs_grid_set(names, i, "%s", cut);
		names->cells[i].spans[0].style = RS_SPAN_BOLD;
	}
}

void rs_event_table_add_places(struct rs_grid *grid, const struct rs_summary_region *const *regions)
{
	struct rs_grid_column *process = NULL, *thread = NULL;
	if (grid->n_rows == 0)
		return;
	if (regions[0]->process)
		process = rs_grid_add(grid, "process", regions[0]->thread ? 105 : 0);
	if (regions[0]->thread)
		thread = rs_grid_add(grid, "thread", 0);
	for (size_t i = 0; i < grid->n_rows; i++) {
		const struct rs_summary_region *region = regions[i];
		if (!region)
			continue;
		if (process && region->process)
			rs_grid_set(process, i, "%s%s",
				rs_arena_shown(grid->arena, region->process->label),
				region->process->has_rank ? rs_arena_format(grid->arena, " rank %u",
								    (unsigned)region->process->rank)
							  : "");
		if (thread && region->thread)
			rs_grid_set(thread, i, "%s",
				rs_arena_shown(grid->arena, region->thread->label));
	}
}

static void add_comments(struct rs_grid *grid, const struct row *rows)
{
	struct rs_grid_column *column = rs_grid_add(grid, "", 40);
	column->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++) {
		if (!rows[i].value)
			continue;
		column->cells[i].spans[0] = (struct rs_span){
			comment_of(grid, rows[i].region,
				(size_t)(rows[i].value - rows[i].region->values)),
			RS_SPAN_DIM};
	}
}

static void add_numbers(struct rs_grid *grid, const struct rs_summary *summary,
	const struct row *rows, const struct rs_report_options *options)
{
	static const enum rs_statistic_index set[] = {RS_STATISTIC_AVG, RS_STATISTIC_P50,
		RS_STATISTIC_P90, RS_STATISTIC_P99, RS_STATISTIC_MAX, RS_STATISTIC_TOTAL,
		RS_STATISTIC_MIN, RS_STATISTIC_STDDEV, RS_STATISTIC_SELF};
	struct rs_table_columns columns;
	bool are_wished = options->view.columns.n > 0;
	rs_columns_choose(&columns, &options->view.columns, summary, set, options->verbose ? 9 : 6);
	for (size_t i = 0; i < columns.n; i++) {
		const struct rs_statistic *statistic = columns.items[i];
		unsigned drop = !are_wished ? statistic->drop : i > 0 ? 20 + (unsigned)i : 0;
		if (statistic->kind != RS_STATISTIC_OF_REGION)
			add_statistic(grid, rows, statistic, drop, options->utf8);
	}
}

void rs_event_table_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_choice *choice, const struct rs_report_options *options,
	struct rs_arena *arena)
{
	size_t n = 0, filled = 0;
	for (size_t i = 0; i < choice->n_regions; i++)
		n += rs_event_table_rows(summary, options, &summary->regions[choice->regions[i]]);
	rs_grid_init(grid, arena, n);
	struct row *rows = rs_arena_array(arena, n, sizeof(*rows));
	for (size_t i = 0; i < choice->n_regions; i++) {
		const struct rs_summary_region *region = &summary->regions[choice->regions[i]];
		if (region->calls > 0)
			filled += list_rows(rows + filled, summary, options, region);
	}
	add_names(grid, rows);
	const struct rs_summary_region **places = rs_arena_array(
		grid->arena, grid->n_rows, sizeof(const struct rs_summary_region *));
	for (size_t i = 0; i < grid->n_rows; i++)
		places[i] = rows[i].is_first ? rows[i].region : NULL;
	rs_event_table_add_places(grid, places);
	struct rs_grid_column *events = rs_grid_add(grid, "event", 0);
	events->is_left = true;
	for (size_t i = 0; i < grid->n_rows; i++)
		rs_grid_set(events, i, "%s%s",
			rows[i].column && rows[i].column->is_part ? "  " : "",
			rs_arena_shown(grid->arena,
				rows[i].column ? rows[i].column->name : rows[i].metric->name));
	size_t n_names = grid->n_columns;
	add_numbers(grid, summary, rows, options);
	if (grid->n_columns == n_names) /* --columns names only statistics of the tree */
		grid->n_rows = 0;
	add_comments(grid, rows);
}

/* ---- totals of the run ---- */

static bool is_in_totals(const struct rs_summary *summary, size_t c, bool verbose)
{
	const struct rs_summary_column *column = &summary->columns[c];
	return column->in_totals && (verbose || !column->is_part);
}

static void set_total(
	struct rs_grid_column *column, size_t row, const struct rs_value *value, bool is_time)
{
	const char *sign = value->status == RS_VALUE_SCALED ? "~" : "";
	if (!rs_value_has_total(value))
		rs_grid_set(column, row, "%s", rs_status_words(value->status));
	else if (!is_time)
		rs_grid_set(column, row, "%s%s", sign, rs_format_integer(value->total).text);
	else
		rs_grid_set(column, row, "%s%s.%02u msec", sign,
			rs_format_integer(value->total / 1000000u).text,
			(unsigned)(value->total % 1000000u / 10000u));
}

void rs_totals_make(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	size_t n = 0, row = 0;
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++)
		n += is_in_totals(summary, c, options->verbose);
	for (size_t m = 0; m < summary->total.n_metrics; m++)
		n += summary->total.metrics[m].column == RS_NO_COLUMN;
	rs_grid_init(grid, arena, n);
	struct rs_grid_column *totals = rs_grid_add(grid, "totals of the run", 0);
	struct rs_grid_column *names = rs_grid_add(grid, "", 0);
	struct rs_grid_column *comments = rs_grid_add(grid, "", 10);
	struct rs_grid_column *inside = rs_grid_add(grid, "", 20);
	names->is_left = comments->is_left = true;
	for (size_t c = RS_EVENT_FIRST; row < grid->n_rows && c < summary->n_columns; c++) {
		const struct rs_summary_column *column = &summary->columns[c];
		const struct rs_value *value = &summary->total.values[c];
		if (!is_in_totals(summary, c, options->verbose))
			continue;
		set_total(totals, row, value, column->is_ns);
		rs_grid_set(names, row, "%s%s", column->is_part ? "  " : "",
			rs_arena_shown(grid->arena, column->name));
		if (rs_value_has_total(value))
			comments->cells[row].spans[0] = (struct rs_span){
				comment_of(grid, &summary->total, c), RS_SPAN_DIM};
		if (column->in_regions && summary->n_merged > 0 && summary->shares &&
			summary->shares[c].outside != RS_NO_SHARE) {
			inside->heading = "in regions";
			rs_grid_set(inside, row, "%.1f%%",
				(double)(1000 - summary->shares[c].outside) / 10);
		}
		row++;
	}
	for (size_t m = 0; row < grid->n_rows && m < summary->total.n_metrics; m++) {
		const struct rs_metric *metric = &summary->total.metrics[m];
		if (metric->column != RS_NO_COLUMN)
			continue;
		rs_grid_set(totals, row, "%s", rs_cell_metric(metric).text);
		rs_grid_set(names, row, "%s", rs_arena_shown(grid->arena, metric->name));
		row++;
	}
}
