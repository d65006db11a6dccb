/* SPDX-License-Identifier: MIT */
/*
 * This file makes the rows of an interval: for programs the rows of the flat table, and for people a
 * line for the run and for each region. It reads a finished interval.
 */
#include "report/interval.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/tree.h"

#define TIME_WIDTH 16 /* as of perf stat -I */
#define NAME_WIDTH 20
#define VALUE_WIDTH 9
#define ALWAYS_SHOWN 3 /* columns that are never dropped */

struct rs_interval_time rs_interval_time(const struct rs_interval *interval)
{
	struct rs_interval_time time;
	snprintf(time.text, sizeof(time.text), "%" PRIu64 ".%09" PRIu64,
		interval->end_ns / UINT64_C(1000000000), interval->end_ns % UINT64_C(1000000000));
	return time;
}

/* ---- rows for programs ---- */

/* Return a field for a number that may be negative, as a two's complement. */
static struct rs_field field_of(uint64_t number)
{
	int64_t value = (int64_t)number;
	return value < 0 ? rs_field_of_real((double)value) : rs_field_of_integer(number);
}

static struct rs_row row_of(const struct rs_interval *interval, const char *kind,
	const struct rs_summary_region *region, const char *event, const char *unit)
{
	struct rs_row row = {0};
	row.fields[RS_ROW_RUN] = rs_field_of_text(interval->summary->label);
	row.fields[RS_ROW_KIND] = rs_field_of_text(kind);
	row.fields[RS_ROW_REGION] = rs_field_of_text(region->name);
	row.fields[RS_ROW_PARENT] = rs_field_of_text(region->parent);
	row.fields[RS_ROW_PROCESS] = row.fields[RS_ROW_THREAD] = rs_field_of_text("all");
	row.fields[RS_ROW_EVENT] = rs_field_of_text(event);
	row.fields[RS_ROW_UNIT] = rs_field_of_text(unit);
	return row;
}

static void set(struct rs_row *row, enum rs_statistic_index statistic, struct rs_field field)
{
	row->fields[RS_ROW_STATISTICS + statistic] = field;
}

static void give_value(const struct rs_interval *interval, const struct rs_summary_region *region,
	size_t column, struct rs_row_sink *sink)
{
	const struct rs_summary_column *from = &interval->summary->columns[column];
	const struct rs_value *value = &region->values[column];
	bool is_run = !region->name, has_total = rs_value_has_total(value);
	struct rs_row row = row_of(
		interval, is_run ? "run" : "region", region, from->name, from->unit);
	rs_row_set_statistics(&row, is_run ? NULL : region, value);
	set(&row, RS_STATISTIC_THREADS, (struct rs_field){0}); /* unknown for an interval */
	set(&row, RS_STATISTIC_COUNTED, (struct rs_field){0});
	if (!is_run)
		set(&row, RS_STATISTIC_CALLS, field_of(region->calls));
	if (!is_run && !rs_value_status_is_refusal(value->status))
		set(&row, RS_STATISTIC_COUNTED, field_of(value->counted));
	if (has_total)
		set(&row, RS_STATISTIC_TOTAL, field_of(value->total));
	if (has_total && !value->lacks_self)
		set(&row, RS_STATISTIC_SELF, field_of((uint64_t)value->self));
	sink->take(sink, &row);
}

static void give_work(const struct rs_interval *interval, const struct rs_summary_region *region,
	struct rs_row_sink *sink)
{
	const struct rs_summary_work *work = &region->work;
	const struct {
		const char *event, *unit;
		uint64_t total;
	} sums[] = {{"bytes", "byte", work->bytes}, {"flops", "flop", work->flops}};
	for (size_t i = 0; work->calls > 0 && i < sizeof(sums) / sizeof(sums[0]); i++) {
		struct rs_row row = row_of(interval, "region", region, sums[i].event, sums[i].unit);
		row.fields[RS_ROW_STATUS] = rs_field_of_text(rs_status_word(RS_VALUE_OK));
		set(&row, RS_STATISTIC_COUNTED, field_of(work->calls));
		set(&row, RS_STATISTIC_TOTAL, field_of(sums[i].total));
		set(&row, RS_STATISTIC_AVG,
			rs_field_of_real((double)sums[i].total / (double)work->calls));
		sink->take(sink, &row);
	}
}

static void give_metrics(const struct rs_interval *interval, const struct rs_summary_region *region,
	struct rs_row_sink *sink)
{
	for (size_t i = 0; i < region->n_metrics; i++) {
		const struct rs_metric *metric = &region->metrics[i];
		size_t column = metric->column;
		bool is_own = column == RS_NO_COLUMN;
		if (!is_own && interval->summary->columns[column].is_part)
			continue;
		struct rs_row row = row_of(interval, "metric", region, metric->name, metric->unit);
		row.fields[RS_ROW_STATUS] = rs_field_of_text(
			rs_status_word(is_own ? metric->status : region->values[column].status));
		row.fields[RS_ROW_VALUE] = rs_field_of_real(metric->value);
		set(&row, RS_STATISTIC_AVG, row.fields[RS_ROW_VALUE]);
		sink->take(sink, &row);
	}
}

/* Return true if a region has anything to tell: calls that ended, or a correction at the end. */
static bool has_news(const struct rs_interval *interval, const struct rs_summary_region *region)
{
	bool any = region->calls > 0;
	for (size_t c = 0; c < interval->summary->n_columns; c++)
		any |= (region->values[c].total | (uint64_t)region->values[c].self) > 0;
	return any;
}

void rs_rows_give_interval(const struct rs_interval *interval,
	const struct rs_report_options *options, struct rs_row_sink *sink)
{
	const struct rs_summary *summary = interval->summary;
	for (size_t i = 0; i <= summary->n_merged; i++) {
		const struct rs_summary_region *region = i == 0 ? &interval->total
								: &interval->regions[i - 1];
		if (i > 0 && !has_news(interval, region))
			continue;
		for (size_t c = 0; c < summary->n_columns; c++) {
			const struct rs_summary_column *column = &summary->columns[c];
			bool is_known = i == 0 ? column->in_totals : column->in_regions;
			if (c == 0 || (is_known && (options->verbose || !column->is_part)))
				give_value(interval, region, c, sink);
		}
		give_work(interval, region, sink);
		give_metrics(interval, region, sink);
	}
}

/* ---- lines for people ---- */

/* Columns of time. A narrow terminal drops the one with the highest number first; 0: never. */
static const struct {
	enum rs_statistic_index statistic;
	int drop;
} shown[] = {{RS_STATISTIC_CALLS, 0}, {RS_STATISTIC_TOTAL, 0}, {RS_STATISTIC_SELF, 3},
	{RS_STATISTIC_AVG, 0}, {RS_STATISTIC_P50, 4}, {RS_STATISTIC_P99, 1}, {RS_STATISTIC_MAX, 2}};
#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Return true if the column fits, which is one of those of a wide line. */
static bool fits(size_t column, int width)
{
	int room = (width - TIME_WIDTH - NAME_WIDTH - 1) / (VALUE_WIDTH + 1);
	return width == 0 || shown[column].drop <= room - ALWAYS_SHOWN || shown[column].drop == 0;
}

/* Return true if an event of the plan has a column. */
static bool has_column(const struct rs_summary *summary, size_t column)
{
	return column >= RS_EVENT_FIRST && !summary->columns[column].is_part &&
	       summary->columns[column].in_regions;
}

static int width_of_event(const struct rs_summary_column *column)
{
	int width = (int)strlen(column->name);
	return width > VALUE_WIDTH ? width : VALUE_WIDTH;
}

static void write_header(const struct rs_summary *summary, int width, FILE *stream)
{
	fprintf(stream, "#%*s %-*s", TIME_WIDTH - 1, "time", NAME_WIDTH, "region");
	for (size_t i = 0; i < N_SHOWN; i++)
		if (fits(i, width))
			fprintf(stream, " %*s", VALUE_WIDTH,
				rs_statistic_title(&rs_statistics[shown[i].statistic]));
	for (size_t c = 0; c < summary->n_columns; c++)
		if (has_column(summary, c))
			fprintf(stream, " %*s", width_of_event(&summary->columns[c]),
				summary->columns[c].name);
	putc('\n', stream);
}

static void write_name(const char *name, int indent, FILE *stream)
{
	char text[4 * RS_NAME_BYTES], cut[sizeof(text) + 4];
	indent = indent < NAME_WIDTH / 2 ? indent : NAME_WIDTH / 2;
	rs_text_escape(text, sizeof(text), name);
	size_t used = rs_width_cut(cut, sizeof(cut), text, (size_t)(NAME_WIDTH - indent));
	fprintf(stream, " %*s%s%*s", indent, "", cut, NAME_WIDTH - indent - (int)used, "");
}

static void write_line(const struct rs_interval *interval, const struct rs_summary_region *region,
	int indent, int width, FILE *stream)
{
	const struct rs_summary *summary = interval->summary;
	struct rs_cell_text cell;
	fprintf(stream, "%*s", TIME_WIDTH, rs_interval_time(interval).text);
	write_name(region->name ? region->name : "run", indent, stream);
	for (size_t i = 0; i < N_SHOWN; i++) {
		if (!fits(i, width))
			continue;
		struct rs_field field = rs_statistic_of(&rs_statistics[shown[i].statistic],
			region->name ? region : NULL, &region->values[0]);
		rs_format_field(&cell, field, shown[i].statistic != RS_STATISTIC_CALLS);
		fprintf(stream, " %*s", VALUE_WIDTH, cell.text);
	}
	for (size_t c = 0; c < summary->n_columns; c++) {
		if (!has_column(summary, c))
			continue;
		bool is_ns = strcmp(summary->columns[c].unit, "ns") == 0;
		rs_format_field(&cell,
			rs_statistic_of(
				&rs_statistics[RS_STATISTIC_TOTAL], region, &region->values[c]),
			is_ns);
		fprintf(stream, " %*s", width_of_event(&summary->columns[c]), cell.text);
	}
	putc('\n', stream);
}

bool rs_interval_table(
	const struct rs_interval *interval, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_summary *summary = interval->summary;
	struct rs_tree tree;
	if (!rs_tree_make(&tree, summary, &options->view, 0, SIZE_MAX))
		return false;
	if (options->header)
		write_header(summary, options->width, stream);
	write_line(interval, &interval->total, 0, options->width, stream);
	for (size_t i = 0; i < tree.n; i++) {
		const struct rs_tree_line *line = &tree.lines[i];
		const struct rs_summary_region *region = line->region == RS_NO_ROW
								 ? NULL
								 : &interval->regions[line->region];
		if (region && (int64_t)region->calls > 0)
			write_line(interval, region, 2 * (int)line->depth, options->width, stream);
	}
	rs_tree_finish(&tree);
	return true;
}
