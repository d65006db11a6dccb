/* SPDX-License-Identifier: MIT */
/*
 * Calls of a region that did the same work, a line each: how much, how often, and how long it took.
 * In come the rows that a summary has of them; out go as many, and as much of each, as there is room
 * for.
 */
#include "report/table_works.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/style.h"

#define INDENT 4u
#define GAP 2u
/* So many lines where nobody asked for all. */
#define SHOWN_WORKS 10u

/* What each call told of; of the others, all of which are in one row, that they are others. */
static void write_amount(
	struct rs_cell_text *cell, const struct rs_summary_region *work, uint64_t amount)
{
	if (work->is_other_work)
		strcpy(cell->text, "(other)");
	else
		rs_format_integer(cell, amount);
}

static void write_bytes(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_amount(cell, work, work->work_bytes);
}

static void write_flops(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_amount(cell, work, work->work_flops);
}

static void write_calls(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	rs_format_integer(cell, work->calls);
}

static void write_time(struct rs_cell_text *cell, const struct rs_summary_value *time, double ns)
{
	if (time->has_distribution)
		rs_format_mean(cell, RS_QUANTITY_NS, ns);
}

static void write_avg(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_time(cell, &work->values[0], work->values[0].avg);
}

static void write_min(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_time(cell, &work->values[0], (double)work->values[0].min);
}

static void write_max(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_time(cell, &work->values[0], (double)work->values[0].max);
}

static void write_stddev(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	write_time(cell, &work->values[0], work->values[0].stddev);
}

static void write_gb_per_s(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	rs_format_metric(cell, "", "", work->work.gb_per_s);
}

static void write_gflop_per_s(struct rs_cell_text *cell, const struct rs_summary_region *work)
{
	rs_format_metric(cell, "", "", work->work.gflop_per_s);
}

/* write: into an empty cell; leaves it empty where there is no such value. */
static const struct column {
	const char *title;
	void (*write)(struct rs_cell_text *cell, const struct rs_summary_region *work);
} columns[RS_WORKS_N] = {
	[RS_WORKS_BYTES] = {"bytes", write_bytes},
	[RS_WORKS_FLOPS] = {"flop", write_flops},
	[RS_WORKS_CALLS] = {"calls", write_calls},
	[RS_WORKS_AVG] = {"avg", write_avg},
	[RS_WORKS_MIN] = {"min", write_min},
	[RS_WORKS_MAX] = {"max", write_max},
	[RS_WORKS_STDDEV] = {"stddev", write_stddev},
	[RS_WORKS_GB_PER_S] = {"GB/s", write_gb_per_s},
	[RS_WORKS_GFLOP_PER_S] = {"GFLOP/s", write_gflop_per_s},
};

const char *rs_works_title(enum rs_works_column column)
{
	return columns[column].title;
}

void rs_works_cell(struct rs_cell_text *cell, const struct rs_summary_region *work,
	enum rs_works_column column)
{
	*cell = (struct rs_cell_text){0};
	columns[column].write(cell, work);
	size_t length = strlen(cell->text);
	if (length > 0 && cell->text[length - 1] == ' ') /* a number without its unit */
		cell->text[length - 1] = '\0';
	if (!cell->text[0])
		strcpy(cell->text, "-");
}

static int compare_works(const void *left, const void *right)
{
	const struct rs_summary_region *a = *(const struct rs_summary_region *const *)left;
	const struct rs_summary_region *b = *(const struct rs_summary_region *const *)right;
	if (a->values[0].total != b->values[0].total)
		return a->values[0].total > b->values[0].total ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool is_of(const struct rs_summary_region *work, const struct rs_summary_region *region)
{
	return strcmp(work->work_of, region->name) == 0 && work->process == region->process &&
	       work->thread == region->thread;
}

size_t rs_works_of(const struct rs_summary_region **works, const struct rs_summary *summary,
	const struct rs_summary_region *region, const struct rs_report_options *options,
	size_t *left_out)
{
	size_t n = 0, shown;
	for (size_t i = 0; i < summary->n_works; i++)
		if (is_of(&summary->works[i], region))
			works[n++] = &summary->works[i];
	if (n > 0)
		qsort(works, n, sizeof(*works), compare_works);
	shown = n > SHOWN_WORKS && !options->all ? SHOWN_WORKS : n;
	*left_out = n - shown;
	return shown;
}

/* Of which columns any row has something; and how wide they are. A column that would go beyond width
 * has none, nor has any behind it. */
static void find_widths(size_t widths[RS_WORKS_N], const struct rs_summary_region *const *works,
	size_t n, size_t width)
{
	size_t end = INDENT;
	bool has_room = true;
	for (int c = 0; c < RS_WORKS_N; c++) {
		enum rs_works_column column = (enum rs_works_column)c;
		bool any = column == RS_WORKS_BYTES;
		widths[c] = strlen(columns[c].title);
		for (size_t i = 0; i < n; i++) {
			struct rs_cell_text cell;
			rs_works_cell(&cell, works[i], column);
			size_t length = strlen(cell.text);
			widths[c] = length > widths[c] ? length : widths[c];
			any |= strcmp(cell.text, "-") != 0 && strcmp(cell.text, "0") != 0;
		}
		has_room &= end + GAP + widths[c] <= width;
		if (!any || !has_room)
			widths[c] = 0;
		else
			end += (c > 0 ? GAP : 0) + widths[c];
	}
}

/* One line: titles where work is NULL. */
static void write_line(const size_t widths[RS_WORKS_N], const struct rs_summary_region *work,
	const struct rs_style *style, FILE *stream)
{
	fprintf(stream, "%*s%s", (int)INDENT, "", work ? "" : style->dim);
	for (int c = 0; c < RS_WORKS_N; c++) {
		struct rs_cell_text cell;
		if (widths[c] == 0)
			continue;
		if (work)
			rs_works_cell(&cell, work, (enum rs_works_column)c);
		fprintf(stream, "%*s%*s", c > 0 ? (int)GAP : 0, "", (int)widths[c],
			work ? cell.text : columns[c].title);
	}
	fprintf(stream, "%s\n", work ? "" : style->off);
}

void rs_table_works(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_summary_region **works = calloc(summary->n_works + 1, sizeof(*works));
	size_t widths[RS_WORKS_N], left_out;
	if (!works)
		return;
	size_t n = rs_works_of(works, summary, region, options, &left_out);
	if (n > 0) {
		find_widths(
			widths, works, n, options->width > 0 ? (size_t)options->width : SIZE_MAX);
		write_line(widths, NULL, style, stream);
	}
	for (size_t i = 0; i < n; i++)
		write_line(widths, works[i], style, stream);
	if (left_out > 0)
		fprintf(stream, "%*sand %zu more (--all shows them)\n", (int)INDENT, "", left_out);
	free(works);
}
