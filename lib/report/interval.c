/* SPDX-License-Identifier: MIT */
/*
 * This file writes an interval for people: a line for the run and one for each region. It reads a
 * finished interval.
 */
#include "report/rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/tree.h"

#define TIME_WIDTH 16 /* as in perf stat -I */
#define NAME_WIDTH 20
#define VALUE_WIDTH 9
#define ALWAYS_SHOWN 3 /* this many columns are never dropped */

const char *rs_interval_time(const struct rs_interval *interval, struct rs_arena *arena)
{
	return rs_arena_format(arena, "%" PRIu64 ".%09" PRIu64,
		interval->end_ns / UINT64_C(1000000000), interval->end_ns % UINT64_C(1000000000));
}

/* Columns of time. A narrow terminal first drops the column with the highest drop value; 0: never
 * drop it. */
static const struct {
	enum rs_statistic_index statistic;
	int drop;
} shown[] = {{RS_STATISTIC_CALLS, 0}, {RS_STATISTIC_TOTAL, 0}, {RS_STATISTIC_SELF, 3},
	{RS_STATISTIC_AVG, 0}, {RS_STATISTIC_P50, 4}, {RS_STATISTIC_P99, 1}, {RS_STATISTIC_MAX, 2}};
#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Return true if a column that a wide terminal shows also fits into width. */
static bool fits(size_t column, int width)
{
	int room = (width - TIME_WIDTH - NAME_WIDTH - 1) / (VALUE_WIDTH + 1);
	return width == 0 || shown[column].drop <= room - ALWAYS_SHOWN || shown[column].drop == 0;
}

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

/* Write the name of a region, or "(run)" if name is NULL. */
static void write_name(const char *name, int indent, FILE *stream)
{
	char text[4 * RS_NAME_BYTES] = "(run)", cut[sizeof(text) + 4];
	indent = indent < NAME_WIDTH / 2 ? indent : NAME_WIDTH / 2;
	if (name)
		rs_text_name(text, sizeof(text), name);
	size_t used = rs_width_cut(cut, sizeof(cut), text, (size_t)(NAME_WIDTH - indent));
	fprintf(stream, " %*s%s%*s", indent, "", cut, NAME_WIDTH - indent - (int)used, "");
}

/* Write the line of a region, or of the run. time: the end of the interval. */
static void write_line(const struct rs_summary *summary, const char *time,
	const struct rs_summary_region *region, int indent, int width, FILE *stream)
{
	fprintf(stream, "%*s", TIME_WIDTH, time);
	write_name(region->name, indent, stream);
	for (size_t i = 0; i < N_SHOWN; i++) {
		if (!fits(i, width))
			continue;
		struct rs_field field = rs_statistic_of(&rs_statistics[shown[i].statistic],
			region->name ? region : NULL, &region->values[0]);
		fprintf(stream, " %*s", VALUE_WIDTH,
			rs_format_field(field, shown[i].statistic != RS_STATISTIC_CALLS).text);
	}
	for (size_t c = 0; c < summary->n_columns; c++) {
		if (!has_column(summary, c))
			continue;
		struct rs_field total = rs_statistic_of(
			&rs_statistics[RS_STATISTIC_TOTAL], region, &region->values[c]);
		fprintf(stream, " %*s", width_of_event(&summary->columns[c]),
			rs_format_field(total, summary->columns[c].is_ns).text);
	}
	putc('\n', stream);
}

void rs_interval_table(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, FILE *stream)
{
	const struct rs_interval *interval = options->interval;
	const char *time = rs_interval_time(interval, arena);
	struct rs_tree tree;
	rs_tree_make(&tree, summary, &options->view, 0, SIZE_MAX, arena);
	if (options->header)
		write_header(summary, options->width, stream);
	write_line(summary, time, &interval->total, 0, options->width, stream);
	for (size_t i = 0; i < tree.n; i++) {
		const struct rs_tree_line *line = &tree.lines[i];
		const struct rs_summary_region *region = line->region == RS_NO_ROW
								 ? NULL
								 : &interval->regions[line->region];
		if (region && (int64_t)region->calls > 0)
			write_line(summary, time, region, 2 * (int)line->depth, options->width,
				stream);
	}
}
