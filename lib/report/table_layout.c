/* SPDX-License-Identifier: MIT */
/*
 * The columns of a table of regions. Comes in: the regions to show and the terminal's width. Goes
 * out: the widest set of columns that fits, and the place where each ends.
 *
 * A column ends at its stop as long as the columns to its left leave it room, and is pushed to the
 * right by as little as its longest cell needs otherwise: wide cells first use up the free space.
 */
#include "report/metric_rows.h"
#include "report/table_layout.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/statistic.h"
#include "report/status.h"

#define INDENT 2u
#define PART_INDENT "  " /* more than the row that it is a part of */
#define GAP 2u
#define PLAIN_WIDTH 80u /* where there may be more columns than fit what is no terminal */
#define FIRST_STOP 28u
#define LABEL_BYTES 512u

/* What is shown from which width of the terminal on, widest first. The first without a least width
 * also serves where the output is no terminal; the last one where run% needs room at 80. */
static const struct column_set {
	size_t least_width;
	size_t step; /* from stop to stop of a distribution's columns */
	size_t n_columns;
	enum rs_table_column columns[RS_COLUMN_N];
} column_sets[] = {
	{140, 13, 9,
		{RS_COLUMN_AVG, RS_COLUMN_STDDEV, RS_COLUMN_MIN, RS_COLUMN_P50, RS_COLUMN_P90,
			RS_COLUMN_P99, RS_COLUMN_MAX, RS_COLUMN_TOTAL, RS_COLUMN_SELF}},
	{120, 12, 8,
		{RS_COLUMN_AVG, RS_COLUMN_MIN, RS_COLUMN_P50, RS_COLUMN_P90, RS_COLUMN_P99,
			RS_COLUMN_MAX, RS_COLUMN_TOTAL, RS_COLUMN_SELF}},
	{100, 12, 6,
		{RS_COLUMN_AVG, RS_COLUMN_P50, RS_COLUMN_P90, RS_COLUMN_P99, RS_COLUMN_MAX,
			RS_COLUMN_TOTAL}},
	{0, 14, 4, {RS_COLUMN_AVG, RS_COLUMN_P90, RS_COLUMN_MAX, RS_COLUMN_TOTAL}},
	{0, 11, 4, {RS_COLUMN_AVG, RS_COLUMN_P90, RS_COLUMN_MAX, RS_COLUMN_TOTAL}},
};
#define N_COLUMN_SETS (sizeof(column_sets) / sizeof(column_sets[0]))

/* From the stop to its left to that of a column; the set's, where there is none. */
static const size_t column_steps[RS_COLUMN_N] = {[RS_COLUMN_TOTAL] = 11,
	[RS_COLUMN_ERROR] = 10,
	[RS_COLUMN_SELF] = 10,
	[RS_COLUMN_RUNNING] = 8};

static enum rs_quantity quantity_of(const struct rs_summary_column *column)
{
	return strcmp(column->unit, "ns") == 0 ? RS_QUANTITY_NS : RS_QUANTITY_COUNT;
}

/* The slowest call's value of a row: in full, as the columns beside it are. */
static void slowest_cell(
	struct rs_cell_text *cell, const struct rs_summary_region *region, size_t row)
{
	if (region->slowest && region->slowest[row].has_total)
		rs_format_integer(cell, region->slowest[row].total);
}

/* A statistic of one call that is not known, of a value that has others. */
static void unknown_cell(struct rs_cell_text *cell)
{
	strcpy(cell->text, "-");
	cell->unit = 1;
}

void rs_table_cell(struct rs_cell_text *cell, const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t row, enum rs_table_column column)
{
	const struct rs_summary_value *value = &region->values[row];
	*cell = (struct rs_cell_text){0};
	if (column == RS_COLUMN_SLOWEST) {
		slowest_cell(cell, region, row);
		return;
	}
	enum rs_statistic_kind kind = rs_column_kind(column);
	const struct rs_number number = rs_column_number(value, column);
	bool is_of_all = kind == RS_STATISTIC_OF_ALL;
	if (number.kind == RS_NUMBER_NONE) {
		if (value->has_distribution && !is_of_all && kind != RS_STATISTIC_SHARE)
			unknown_cell(cell);
		return;
	}
	if (is_of_all)
		rs_format_total(cell, quantity_of(&summary->columns[row]), number.integer,
			value->status == RS_VALUE_SCALED);
	else if (kind == RS_STATISTIC_OF_ONE)
		rs_format_integer(cell, number.integer);
	else if (kind == RS_STATISTIC_MEAN)
		rs_format_average(cell, number.real);
	else
		rs_format_percent(cell, number.real);
}

void rs_table_words(struct rs_cell_text *cell, const struct rs_summary_value *value)
{
	*cell = (struct rs_cell_text){0};
	if (!value->has_total)
		strcpy(cell->text, rs_status_words(value->status));
	else if (!value->has_distribution)
		strcpy(cell->text, "<no whole call>");
	cell->unit = strlen(cell->text);
}

size_t rs_table_label(char *out, size_t out_bytes, const struct rs_summary_column *column)
{
	size_t used = (size_t)snprintf(out, out_bytes, "%s", column->is_part ? PART_INDENT : "");
	used += rs_text_escape(out + used, out_bytes - used, column->name);
	if (strcmp(column->unit, "count") != 0 && used < out_bytes)
		snprintf(out + used, out_bytes - used, ", %s", column->unit);
	return rs_width_of(out);
}

/* The nth of the regions to show that has rows at all; NULL: it has none. */
static const struct rs_summary_region *shown_region(
	const struct rs_summary *summary, const struct rs_choice *choice, size_t n)
{
	const struct rs_summary_region *region = &summary->regions[choice->regions[n]];
	return region->calls > 0 ? region : NULL;
}

static size_t label_width(const struct rs_summary *summary, const struct rs_choice *choice)
{
	size_t widest = rs_metric_rows_width(summary);
	for (size_t row = 0; row < summary->n_columns; row++) {
		char label[LABEL_BYTES];
		if (!rs_choice_has_row(choice, summary, row))
			continue;
		size_t width = rs_table_label(label, sizeof(label), &summary->columns[row]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* The longest cell of a column, its title included. */
static size_t column_width(const struct rs_summary *summary, const struct rs_choice *choice,
	enum rs_table_column column)
{
	size_t widest = strlen(rs_column_title(summary, column));
	for (size_t n = 0; n < choice->n_regions; n++) {
		const struct rs_summary_region *region = shown_region(summary, choice, n);
		if (!region)
			continue;
		for (size_t row = 0; row < summary->n_columns; row++) {
			struct rs_cell_text cell;
			if (!rs_choice_has_row(choice, summary, row))
				continue;
			rs_table_cell(&cell, summary, region, row, column);
			size_t width = strlen(cell.text);
			widest = width > widest ? width : widest;
		}
	}
	return widest;
}

/* The longest text of metrics that stands at the right of any row. */
static size_t metrics_width(const struct rs_summary *summary, const struct rs_choice *choice)
{
	size_t widest = 0;
	for (size_t n = 0; n < choice->n_regions; n++) {
		const struct rs_summary_region *region = shown_region(summary, choice, n);
		if (!region)
			continue;
		for (size_t row = 0; row < summary->n_columns; row++) {
			size_t width = 0;
			for (size_t m = 0; m < region->n_metrics; m++) {
				const struct rs_metric *metric = &region->metrics[m];
				struct rs_cell_text cell;
				if (metric->column != row ||
					!rs_choice_has_row(choice, summary, row))
					continue;
				rs_format_metric(&cell, metric->name, metric->unit, metric->value);
				width += GAP + strlen(cell.text);
			}
			widest = width > widest ? width : widest;
		}
	}
	return widest;
}

static bool anything_not_always_counted(
	const struct rs_summary *summary, const struct rs_choice *choice)
{
	for (size_t n = 0; n < choice->n_regions; n++) {
		const struct rs_summary_region *region = shown_region(summary, choice, n);
		if (!region)
			continue;
		for (size_t row = 0; row < summary->n_columns; row++) {
			const struct rs_summary_value *value = &region->values[row];
			if (value->has_total && value->running < 1 &&
				rs_choice_has_row(choice, summary, row))
				return true;
		}
	}
	return false;
}

/* The columns of a set, or those that the reader wants, and what options and values add to them. */
static void take_columns(struct rs_table_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct column_set *set, bool running)
{
	enum rs_table_column chosen[RS_COLUMN_N];
	size_t n = rs_columns_choose(
		chosen, &options->view.columns, summary, set->columns, set->n_columns);
	layout->n_columns = 0;
	for (size_t i = 0; i < n; i++) {
		if (!rs_column_is_statistic(chosen[i]))
			continue;
		if (options->verbose && chosen[i] == RS_COLUMN_TOTAL)
			layout->columns[layout->n_columns++] = RS_COLUMN_SLOWEST;
		layout->columns[layout->n_columns++] = chosen[i];
	}
	/* the wish may be of what is seen at a glance alone */
	if (layout->n_columns == 0)
		layout->columns[layout->n_columns++] = RS_COLUMN_TOTAL;
	if (running)
		layout->columns[layout->n_columns++] = RS_COLUMN_RUNNING;
}

/* Place them, step from one to the next; 0: as near as they can be. */
static void place_columns(struct rs_table_layout *layout, size_t step,
	const size_t widths[RS_COLUMN_N], size_t n_label)
{
	size_t stop = 0, end = INDENT + n_label;
	for (size_t i = 0; i < layout->n_columns; i++) {
		size_t own_step = column_steps[layout->columns[i]];
		size_t needed = end + GAP + widths[layout->columns[i]];
		stop += i == 0 ? FIRST_STOP : own_step > 0 ? own_step : step;
		end = needed > stop || step == 0 ? needed : stop;
		layout->ends[i] = end;
	}
}

void rs_table_layout(struct rs_table_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_choice *choice)
{
	size_t widths[RS_COLUMN_N] = {0};
	for (int i = 0; i < rs_columns_n(summary); i++) {
		enum rs_table_column column = (enum rs_table_column)i;
		if (rs_column_is_statistic(column) || column == RS_COLUMN_SLOWEST)
			widths[column] = column_width(summary, choice, column);
	}
	size_t n_label = label_width(summary, choice);
	size_t n_metrics = metrics_width(summary, choice);
	bool running = anything_not_always_counted(summary, choice);
	bool is_chosen = options->view.columns.n > 0 || summary->percentiles.n > 0;
	size_t available = options->width > 0 ? (size_t)options->width : 0;
	if (is_chosen && available == 0)
		available = PLAIN_WIDTH;
	for (size_t i = 0; i < N_COLUMN_SETS; i++) {
		if (available < column_sets[i].least_width)
			continue;
		take_columns(layout, summary, options, &column_sets[i], running);
		place_columns(layout, column_sets[i].step, widths, n_label);
		layout->width = layout->ends[layout->n_columns - 1] + n_metrics;
		if (layout->width <= available || available == 0)
			return;
	}
	if (!is_chosen)
		return;
	place_columns(layout, 0, widths, n_label);
	layout->width = layout->ends[layout->n_columns - 1] + n_metrics;
}
