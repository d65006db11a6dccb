/* SPDX-License-Identifier: MIT */
/*
 * This file makes the table of all regions. It reads a finished summary. It makes a row for each
 * region of the tree. Then come rows for the time in no region, for the overhead, and for the
 * whole, which is 100%. Columns left of "total" show self time. "total" and the columns right of it
 * show whole calls.
 */
#include "report/tree_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/cells.h"
#include "report/columns.h"
#include "report/format.h"
#include "report/style.h"

#define LEAST_SHOWN_SHARE 0.0005 /* smaller shares would be shown as 0.0% */
#define LEAST_SPLIT 0.01 /* the table shows a column if a region has such a share */
#define LEAST_NAMES_WIDTH 12u
#define SPLITS 3

/* Rows below those of the tree. */
enum end { END_UNMARKED, END_OVERHEAD, END_ALL, N_ENDS };

/* State while the table is made. */
struct page {
	struct rs_grid grid;
	struct rs_tree tree;
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	const struct rs_shares *shares;
	size_t n_lines;
	size_t column; /* column of the summary whose values are shown */
	bool has_split; /* on-CPU, preempted and blocked time are known */
	/* some region was preempted [1] or blocked [2] long enough to show it; [0]: either */
	bool has_kind[SPLITS];
	const char *headings[SPLITS]; /* headings of the columns of these times */
	bool is_time; /* the tree shows time and not another event */
	bool has_ns; /* the values are in nanoseconds */
	enum end ends[N_ENDS];
	size_t n_ends;
	/* on-CPU, preempted and blocked self time of each row, as shares of the whole */
	double (*splits)[SPLITS];
};

static const struct rs_summary_region *region_of(const struct page *page, size_t row)
{
	size_t region = row < page->n_lines ? page->tree.lines[row].region : RS_NO_ROW;
	return region == RS_NO_ROW ? NULL : &page->summary->merged[region];
}

static const struct rs_value *value_of(
	const struct page *page, const struct rs_summary_region *region)
{
	return &region->values[page->column];
}

static struct rs_cell_column column_of(const struct page *page)
{
	return (struct rs_cell_column){page->is_time, page->has_ns, page->options->utf8};
}

/* ---- numbers ---- */

/* Round a real number to an integer, and set a cell to this. */
static void set_amount(struct page *page, struct rs_grid_column *column, size_t row, double amount)
{
	struct rs_cell_text cell;
	rs_cell_amount(&cell, "", amount, page->has_ns);
	rs_grid_set(&page->grid, column, row, "%s", cell.text);
}

static void set_percent(struct page *page, struct rs_grid_column *column, size_t row, double share)
{
	if (share >= LEAST_SHOWN_SHARE)
		rs_grid_set(&page->grid, column, row, "%.1f%%", share * 100);
}

/* ---- self time ---- */

/* Return the value that is 100 % of the self values, or 0 if it is unknown. */
static double whole_of(const struct page *page)
{
	const struct rs_summary *summary = page->summary;
	if (page->is_time)
		return (double)summary->whole.lifetimes_ns;
	const struct rs_value *run = &summary->total.values[page->column];
	return rs_value_has_total(run) ? (double)run->total : 0;
}

/* Call add for the region of a row. If the row is a fold, call add for each of its regions. */
static void for_each(const struct page *page, size_t row, double *sum,
	void (*add)(const struct page *page, size_t region, double *sum))
{
	if (row >= page->n_lines)
		return;
	const struct rs_tree_line *line = &page->tree.lines[row];
	if (line->region != RS_NO_ROW)
		add(page, line->region, sum);
	for (size_t i = 0; line->region == RS_NO_ROW && i < page->summary->n_merged; i++)
		if (page->tree.folds[i] == line->fold)
			add(page, i, sum);
}

static void add_share(const struct page *page, size_t region, double *sum)
{
	uint32_t share = page->shares->thousandths[region];
	*sum += share == RS_NO_SHARE ? 0 : share;
}

static void add_self(const struct page *page, size_t region, double *sum)
{
	const struct rs_value *value = value_of(page, &page->summary->merged[region]);
	*sum += rs_value_has_total(value) ? (double)rs_value_self(value) : 0;
}

static void add_off(const struct page *page, size_t index, double *sum)
{
	const struct rs_summary_region *region = &page->summary->merged[index];
	for (int k = 0; k < RS_OFF_N && !region->is_apart; k++)
		sum[k] += rs_value_has_total(&region->values[RS_EVENT_BLOCKED + k])
				  ? (double)rs_value_self(&region->values[RS_EVENT_BLOCKED + k])
				  : 0;
}

static double self_of(const struct page *page, size_t row)
{
	const struct rs_summary_whole *whole = &page->summary->whole;
	double sum = 0;
	for_each(page, row, &sum, add_self);
	if (row < page->n_lines)
		return sum;
	enum end end = page->ends[row - page->n_lines];
	if (end == END_ALL)
		return whole_of(page);
	return (double)(end == END_OVERHEAD ? whole->overhead_ns : page->shares->unmarked);
}

/* Set split to the on-CPU, preempted and blocked self time of a row, as shares of the whole. */
static void split_of(const struct page *page, size_t row, double split[SPLITS])
{
	const struct rs_summary_whole *whole = &page->summary->whole;
	double off[RS_OFF_N] = {0}, self = self_of(page, row), all = whole_of(page);
	for_each(page, row, off, add_off);
	for (int k = 0; row >= page->n_lines && k < RS_OFF_N; k++) {
		enum end end = page->ends[row - page->n_lines];
		off[k] = end == END_ALL	       ? (double)whole->off_ns[k]
			 : end == END_UNMARKED ? (double)whole->unmarked_off_ns[k]
					       : 0;
	}
	if (!page->has_split)
		off[0] = off[1] = 0;
	split[0] = all > 0 ? fmax(self - off[0] - off[1], 0) / all : 0;
	split[1] = all > 0 ? off[RS_OFF_PREEMPTED] / all : 0;
	split[2] = all > 0 ? off[RS_OFF_BLOCKED] / all : 0;
}

static void set_share(
	struct page *page, struct rs_grid_column *column, size_t row, uint32_t share, double below)
{
	struct rs_cell_text cell;
	rs_cell_share(&cell, share, below);
	rs_grid_set(&page->grid, column, row, "%s", cell.text);
}

static void add_self_share(struct page *page)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, "self", 0);
	const struct rs_cell_column kind = column_of(page);
	const struct rs_shares *shares = page->shares;
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		double sum = 0, bound = region ? rs_cell_bound(region, &kind) : 0;
		double below = bound * (region ? (double)region->calls : 0) / whole_of(page);
		for_each(page, i, &sum, add_share);
		bool is_known = !region ||
				shares->thousandths[region - page->summary->merged] != RS_NO_SHARE;
		set_share(page, column, i, is_known ? (uint32_t)sum : RS_NO_SHARE, below);
	}
	for (size_t i = 0; i < page->n_ends; i++)
		set_share(page, column, page->n_lines + i,
			page->ends[i] == END_UNMARKED	? shares->outside
			: page->ends[i] == END_OVERHEAD ? shares->overhead
			: whole_of(page) > 0		? 1000
							: RS_NO_SHARE,
			0);
}

static double sum_of(const double split[SPLITS])
{
	return split[0] + split[1] + split[2];
}

static void add_bar(struct page *page)
{
	struct rs_grid_column *column = rs_split_add_bars(&page->grid, 10);
	int width = page->options->width > 0 ? page->options->width : (int)RS_GRID_PLAIN_WIDTH;
	double top = 0;
	for (size_t i = 0; i < page->n_lines; i++)
		if (region_of(page, i))
			top = fmax(top, sum_of(page->splits[i]));
	for (size_t i = 0; i < page->n_lines + page->n_ends; i++) {
		if (i < page->n_lines ? !region_of(page, i)
				      : page->ends[i - page->n_lines] != END_UNMARKED)
			continue;
		/* if time in no region is more than that of every region, its bar is full */
		rs_split_bar(&page->grid, &column->cells[i], page->splits[i],
			fmax(top, sum_of(page->splits[i])),
			width < 80    ? 4
			: width < 160 ? 10
				      : 20,
			page->options->utf8);
	}
}

static void add_self_time(struct page *page)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid,
		page->is_time ? "self time" : "self total", rs_statistics[RS_STATISTIC_SELF].drop);
	column->has_units = page->has_ns;
	for (size_t i = 0; i < page->n_lines + page->n_ends; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		if (region && (!rs_value_has_total(value_of(page, region)) || region->is_apart))
			rs_grid_set(&page->grid, column, i, "-");
		else
			set_amount(page, column, i, self_of(page, i));
	}
}

/* Return true if a region has a share of this kind of time that is large enough to show the
 * column. */
static bool has_column_of(const struct page *page, int kind)
{
	for (size_t i = 0; i < page->n_lines; i++)
		if (page->splits[i][kind] >= LEAST_SPLIT)
			return true;
	return false;
}

static void add_split(struct page *page, int kind, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, page->headings[kind], drop);
	for (size_t i = 0; i < page->n_lines + page->n_ends; i++)
		set_percent(page, column, i, page->splits[i][kind]);
}

/* ---- calls ---- */

static void add_error(struct page *page, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(
		&page->grid, page->options->utf8 ? "\xc2\xb1" : "+-", drop);
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		struct rs_cell_text cell;
		if (region && rs_cell_error(&cell, value_of(page, region)))
			rs_grid_set(&page->grid, column, i, "%s", cell.text);
	}
}

/* Return the heading of a column. If the tree shows an event, its name is the heading of the
 * total. */
static const char *heading_of(struct page *page, const struct rs_statistic *statistic)
{
	const char *event = page->summary->columns[page->column].name;
	if (page->is_time || statistic != &rs_statistics[RS_STATISTIC_TOTAL])
		return rs_statistic_title(statistic);
	return rs_arena_shown(page->grid.arena, event);
}

static void set_statistic(struct page *page, struct rs_grid_column *column, size_t row,
	const struct rs_statistic *statistic)
{
	const struct rs_summary_region *region = region_of(page, row);
	const struct rs_cell_column kind = column_of(page);
	struct rs_cell_text cell;
	if (!region)
		return;
	rs_cell_statistic(&cell, statistic, region, value_of(page, region), &kind);
	rs_grid_set(&page->grid, column, row, "%s", cell.text);
}

static void add_statistic(struct page *page, const struct rs_statistic *statistic, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, heading_of(page, statistic), drop);
	bool is_total = statistic->kind == RS_STATISTIC_OF_ALL;
	column->has_units = page->has_ns && statistic->kind != RS_STATISTIC_SHARE &&
			    statistic->kind != RS_STATISTIC_OF_REGION;
	for (size_t i = 0; i < page->n_lines; i++)
		set_statistic(page, column, i, statistic);
	for (size_t i = page->n_lines; is_total && i < page->n_lines + page->n_ends; i++)
		if (whole_of(page) > 0)
			set_amount(page, column, i, self_of(page, i));
}

/* Add a column that shows a statistic. */
static void add_column(struct page *page, const struct rs_statistic *statistic, unsigned drop)
{
	switch (statistic - rs_statistics) {
	case RS_STATISTIC_ON_CPU:
		return add_split(page, 0, drop);
	case RS_STATISTIC_ERROR:
		return add_error(page, drop);
	case RS_STATISTIC_SELF:
		return add_self_time(page);
	default:
		return add_statistic(page, statistic, drop);
	}
}

static void add_usual_column(struct page *page, enum rs_statistic_index index)
{
	add_column(page, &rs_statistics[index], rs_statistics[index].drop);
}

/* ---- metrics and work ---- */

static const struct rs_metric *find_metric(const struct rs_summary_region *region, const char *name)
{
	for (size_t i = 0; region && i < region->n_metrics; i++)
		if (strcmp(region->metrics[i].name, name) == 0 &&
			isfinite(region->metrics[i].value))
			return &region->metrics[i];
	return NULL;
}

static double ipc_of(const struct rs_summary_region *region)
{
	const struct rs_metric *metric = find_metric(region, "IPC");
	return metric ? metric->value : NAN;
}

static double gb_per_s(const struct rs_summary_region *region)
{
	return region->work.calls > 0 ? region->work.gb_per_s : NAN;
}

static double gflop_per_s(const struct rs_summary_region *region)
{
	return region->work.calls > 0 ? region->work.gflop_per_s : NAN;
}

/* Add a column of real numbers, if at least one region has a value. */
static void add_real(struct page *page, const char *heading, unsigned drop,
	double (*get)(const struct rs_summary_region *region))
{
	struct rs_grid_column *column = NULL;
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		double number = region ? get(region) : NAN;
		if (!isfinite(number) || number <= 0)
			continue;
		column = column ? column : rs_grid_add(&page->grid, heading, drop);
		rs_grid_set(&page->grid, column, i, "%.*f", number < 99.95 ? 2 : 0, number);
	}
}

/* ---- the shape of distributions ---- */

/* Find the first and the last column of the histograms in which any region has time. per: columns
 * for each power of ten, 1 or 2. Return false if there are none. */
static bool find_decades(const struct page *page, int per, int *low, int *high)
{
	*low = RS_SHAPE_STEPS;
	*high = -1;
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		for (int s = 0; region && region->shape && s < (int)RS_SHAPE_STEPS; s++) {
			int cell = s * per / 2;
			if (region->shape[s] <= 0)
				continue;
			*low = cell < *low ? cell : *low;
			*high = cell > *high ? cell : *high;
		}
	}
	if (*high < 0)
		return false;
	*low -= *low % (3 * per);
	/* leave space for the name of the last unit */
	int last = *high - *high % (3 * per) + 1;
	*high = *high > last ? *high : last;
	return true;
}

static const char *trimmed(char *text)
{
	size_t length = strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		text[--length] = '\0';
	return text;
}

static void add_shape(struct page *page, unsigned drop)
{
	static const char *const units[] = {"ns", "us", "ms", "s ", "  "};
	static const char *const levels[2][8] = {{"-", "-", ":", ":", "+", "+", "#", "#"},
		{"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85",
			"\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"}};
	int per = page->options->width >= 150 ? 2 : 1, low, high;
	char text[4 * RS_SHAPE_STEPS + 8] = "";
	if (!find_decades(page, per, &low, &high))
		return;
	for (int cell = low; cell <= high;) {
		int unit = cell / (3 * per);
		strcat(text, units[unit < 4 ? unit : 4]);
		cell += 2;
		for (; cell % (3 * per) != 0 && cell <= high; cell++)
			strcat(text, " ");
	}
	struct rs_grid_column *column = rs_grid_add(
		&page->grid, rs_arena_format(page->grid.arena, "%s", trimmed(text)), drop);
	column->is_left = column->is_drawing = true;
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		text[0] = '\0';
		for (int cell = low; region && region->shape && cell <= high; cell++) {
			double part = 0;
			for (int s = 0; s < (int)RS_SHAPE_STEPS; s++)
				part += s * per / 2 == cell ? region->shape[s] : 0;
			int level = part * 8 < 7 ? (int)(part * 8) : 7;
			strcat(text, part <= 0		   ? " "
				     : part >= 0.05	   ? levels[page->options->utf8][level]
				     : page->options->utf8 ? "\xc2\xb7"
							   : ".");
		}
		rs_grid_set(&page->grid, column, i, "%s", trimmed(text));
	}
}

/* ---- all of it ---- */

static void add_names(struct page *page)
{
	static const char *const words[N_ENDS] = {"(unmarked)", "(overhead)", "run"};
	struct rs_grid_column *column = rs_grid_add(&page->grid, "region", 0);
	uint64_t n_threads = page->summary->whole.n_threads;
	column->is_left = true;
	page->grid.names_width = page->grid.roomy_width = LEAST_NAMES_WIDTH;
	for (size_t i = 0; i < page->n_ends; i++) {
		size_t row = page->n_lines + i;
		rs_grid_set(&page->grid, column, row, "%s", words[page->ends[i]]);
		if (page->ends[i] == END_ALL && page->is_time)
			rs_grid_set(&page->grid, column, row, "%" PRIu64 " thread%s", n_threads,
				n_threads == 1 ? "" : "s");
		if (row < page->grid.n_rows)
			column->cells[row].spans[0].style = RS_SPAN_DIM;
	}
}

static bool any_sampled(const struct page *page)
{
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = region_of(page, i);
		if (region && rs_value_is_estimate(value_of(page, region)))
			return true;
	}
	return false;
}

/* Add columns for percentiles and the maximum. Percentiles that the user requested replace p50, p90
 * and p99. */
static void add_distribution(struct page *page)
{
	static const enum rs_statistic_index set[] = {
		RS_STATISTIC_P50, RS_STATISTIC_P90, RS_STATISTIC_P99, RS_STATISTIC_MAX};
	struct rs_table_columns columns;
	rs_columns_choose(&columns, &(struct rs_columns_wish){0}, page->summary, set, 4);
	for (size_t i = 0; i < columns.n; i++)
		add_statistic(page, columns.items[i], columns.items[i]->drop);
}

static void add_usual(struct page *page)
{
	bool has_off[SPLITS] = {0};
	for (int kind = 1; kind < SPLITS && page->has_split; kind++)
		has_off[kind] = has_column_of(page, kind);
	memcpy(page->has_kind, has_off, sizeof(has_off));
	page->has_kind[0] = has_off[1] || has_off[2];
	add_usual_column(page, RS_STATISTIC_SELF);
	if (has_off[1] || has_off[2])
		add_usual_column(page, RS_STATISTIC_ON_CPU);
	if (has_off[1])
		add_split(page, 1, 90);
	if (has_off[2])
		add_split(page, 2, 85);
	add_real(page, "IPC", 50, ipc_of);
	add_usual_column(page, RS_STATISTIC_TOTAL);
	add_usual_column(page, RS_STATISTIC_CALLS);
	add_usual_column(page, RS_STATISTIC_AVG);
	if (any_sampled(page))
		add_usual_column(page, RS_STATISTIC_ERROR);
	add_distribution(page);
	add_real(page, "GB/s", 30, gb_per_s);
	add_real(page, "GFLOP/s", 32, gflop_per_s);
	if (page->is_time)
		add_shape(page, 80);
}

static void add_chosen(struct page *page)
{
	struct rs_table_columns columns;
	rs_columns_choose(&columns, &page->options->view.columns, page->summary, NULL, 0);
	for (size_t i = 0; i < columns.n; i++)
		add_column(page, columns.items[i], i == 0 ? 0 : 20 + (unsigned)i);
}

static void choose_ends(struct page *page)
{
	if (page->shares->outside != RS_NO_SHARE)
		page->ends[page->n_ends++] = END_UNMARKED;
	if (page->is_time && page->summary->whole.overhead_ns > 0 &&
		page->shares->overhead != RS_NO_SHARE)
		page->ends[page->n_ends++] = END_OVERHEAD;
	if (whole_of(page) > 0)
		page->ends[page->n_ends++] = END_ALL;
}

static void make(struct page *page, size_t most, struct rs_arena *arena)
{
	const struct rs_summary *summary = page->summary;
	bool utf8 = page->options->utf8;
	rs_tree_make(&page->tree, summary, &page->options->view, page->column, most, arena);
	page->n_lines = page->tree.n;
	page->has_split = page->is_time && summary->whole.has_cpu;
	choose_ends(page);
	size_t n_rows = page->n_lines + page->n_ends;
	rs_grid_init(&page->grid, arena, n_rows);
	page->splits = rs_arena_array(arena, n_rows, sizeof(*page->splits));
	for (size_t i = 0; i < n_rows; i++)
		split_of(page, i, page->splits[i]);
	for (int kind = 0; kind < SPLITS; kind++)
		page->headings[kind] = rs_split_heading(&page->grid, kind, utf8);
	add_names(page);
	rs_tree_names_set(&page->grid, summary, &page->tree, utf8, true);
	add_self_share(page);
	add_bar(page);
	if (page->options->view.columns.n > 0)
		add_chosen(page);
	else
		add_usual(page);
}

/* Write a legend for the parts of the bar that have no column because the screen is narrow. */
static void write_legend(const struct page *page, FILE *stream)
{
	const struct rs_style *style = rs_style_get(page->options->color);
	bool utf8 = page->options->utf8, any = false;
	if (!page->has_kind[0] || !rs_grid_has(&page->grid, ""))
		return;
	for (int kind = 0; kind < SPLITS; kind++) {
		if (!page->has_kind[kind] || rs_grid_has(&page->grid, page->headings[kind]))
			continue;
		if (!any)
			fprintf(stream, "%sself:", style->dim);
		fprintf(stream, "%s%s %s", any ? "  " : " ", rs_split_glyph(kind, utf8),
			rs_split_words[kind]);
		any = true;
	}
	if (any)
		fprintf(stream, "%s\n", style->off);
}

void rs_tree_table_write(const struct rs_summary *summary, const struct rs_report_options *options,
	size_t most, struct rs_arena *arena, FILE *stream)
{
	size_t shown = rs_view_column(&options->view, summary);
	struct page page = {.summary = summary,
		.options = options,
		.shares = &summary->shares[shown],
		.column = shown,
		.is_time = shown == 0,
		.has_ns = strcmp(summary->columns[shown].unit, "ns") == 0};
	make(&page, most, arena);
	rs_grid_write(&page.grid, options, stream);
	write_legend(&page, stream);
}
