/* SPDX-License-Identifier: MIT */
/*
 * This file makes the table of all regions. It reads a finished summary. It makes a row for each
 * region of the tree. Then come rows for the time in no region, for the overhead, and for the
 * whole, which is 100%. Columns left of "total" show self time. "total" and the columns right of it
 * show whole calls.
 */
#include "report/tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/format.h"
#include "report/grid.h"

#define LEAST_SHOWN_SHARE 0.0005 /* smaller shares would be shown as 0.0% */
/* preempted or blocked time has a column if its share in some region is at least this */
#define LEAST_SPLIT 0.01
#define LEAST_NAMES_WIDTH 12u
#define SPLITS 3

/* A line of the tree, or one of the rows below the tree. */
struct row {
	const struct rs_summary_region *region; /* NULL: a fold, or a row below the tree */
	const char *word; /* name of a row below the tree; NULL: a line of the tree */
	bool has_bar;
	uint32_t share; /* self value in thousandths of the whole, or RS_NO_SHARE */
	double self;
	double split[SPLITS]; /* on-CPU, preempted and blocked self time, as shares of the whole */
};

/* State while the table is made. */
struct page {
	struct rs_grid grid;
	struct rs_tree tree;
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	const struct rs_shares *shares;
	size_t column; /* column of the summary whose values are shown */
	bool has_split; /* on-CPU, preempted and blocked time are known */
	const char *headings[SPLITS]; /* headings of the columns of these times */
	bool is_time; /* the tree shows time and not another event */
	struct rs_cell_column kind;
	const struct rs_grid_column *bars;
	struct row *rows;
	size_t n_lines, n_rows; /* the lines of the tree are the first rows */
};

static const struct rs_value *value_of(
	const struct page *page, const struct rs_summary_region *region)
{
	return &region->values[page->column];
}

static void set_amount(struct page *page, struct rs_grid_column *column, size_t row)
{
	const struct rs_summary_region *region = page->rows[row].region;
	double self = page->rows[row].self;
	double bound = region ? rs_cell_self_bound(region, &page->kind, self) : 0;
	const struct rs_value *value = region ? value_of(page, region)
					      : &page->summary->total.values[page->column];
	bool is_estimate = region ? rs_statistic_is_estimate(
					    &rs_statistics[RS_STATISTIC_SELF], value)
				  : rs_value_is_estimate(value) && !page->is_time;
	const char *sign = bound > 0 ? "<" : is_estimate ? "~" : "";
	rs_grid_set(
		column, row, "%s", rs_cell_amount(sign, fmax(self, bound), page->kind.is_ns).text);
}

/* ---- rows ---- */

static void set_split(const struct page *page, struct row *row, const double off_ns[RS_OFF_N])
{
	double all = (double)page->shares->whole;
	if (all <= 0)
		return;
	double blocked = page->has_split ? off_ns[RS_OFF_BLOCKED] : 0;
	double preempted = page->has_split ? off_ns[RS_OFF_PREEMPTED] : 0;
	row->split[0] = fmax(row->self - blocked - preempted, 0) / all;
	row->split[1] = preempted / all;
	row->split[2] = blocked / all;
}

/* Add the self values of a region to its line, or to the fold that hides it. */
static void add_region(
	const struct page *page, struct row *row, double off_ns[RS_OFF_N], size_t index)
{
	const struct rs_summary_region *region = &page->summary->merged[index];
	uint32_t share = page->shares->thousandths[index];
	if (share != RS_NO_SHARE)
		row->share += share;
	else if (row->region)
		row->share = RS_NO_SHARE;
	if (rs_value_has_total(value_of(page, region)))
		row->self += (double)rs_value_self(value_of(page, region));
	for (int k = 0; k < RS_OFF_N && !region->is_apart; k++)
		if (rs_value_has_total(&region->values[RS_EVENT_BLOCKED + k]))
			off_ns[k] += (double)rs_value_self(&region->values[RS_EVENT_BLOCKED + k]);
}

static void add_line(struct page *page, const struct rs_tree_line *line)
{
	struct row *row = &page->rows[page->n_rows++];
	bool is_fold = line->region == RS_NO_ROW;
	double off_ns[RS_OFF_N] = {0};
	row->region = is_fold ? NULL : &page->summary->merged[line->region];
	row->has_bar = !is_fold;
	if (!is_fold)
		add_region(page, row, off_ns, line->region);
	for (size_t i = 0; is_fold && i < page->summary->n_merged; i++)
		if (page->tree.folds[i] == line->fold)
			add_region(page, row, off_ns, i);
	set_split(page, row, off_ns);
}

static void add_end(struct page *page, const char *word, uint32_t share, uint64_t self,
	const uint64_t off_ns[RS_OFF_N])
{
	struct row *row = &page->rows[page->n_rows++];
	*row = (struct row){.word = word, .share = share, .self = (double)self};
	set_split(page, row,
		(const double[RS_OFF_N]){[RS_OFF_BLOCKED] = (double)off_ns[RS_OFF_BLOCKED],
			[RS_OFF_PREEMPTED] = (double)off_ns[RS_OFF_PREEMPTED]});
}

static void make_rows(struct page *page, struct rs_arena *arena)
{
	static const uint64_t none[RS_OFF_N];
	const struct rs_summary_whole *whole = &page->summary->whole;
	const struct rs_shares *shares = page->shares;
	page->n_lines = page->tree.n;
	page->rows = rs_arena_array(arena, page->n_lines + 3, sizeof(*page->rows));
	for (size_t i = 0; i < page->n_lines; i++)
		add_line(page, &page->tree.lines[i]);
	if (shares->outside != RS_NO_SHARE) {
		add_end(page, "(unmarked)", shares->outside, shares->unmarked,
			whole->unmarked_off_ns);
		page->rows[page->n_lines].has_bar = true;
	}
	if (page->column <= RS_EVENT_CPU_TIME && whole->overhead_ns > 0 &&
		shares->overhead != RS_NO_SHARE)
		add_end(page, "(overhead)", shares->overhead, whole->overhead_ns, none);
	if (shares->whole > 0)
		add_end(page,
			page->column < RS_EVENT_FIRST
				? rs_arena_format(arena, "%" PRIu64 " thread%s", whole->n_threads,
					  whole->n_threads == 1 ? "" : "s")
				: "run",
			1000, shares->whole, whole->off_ns);
}

/* ---- self time ---- */

static void add_self_share(struct page *page)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, "self", 0);
	for (size_t i = 0; i < page->n_rows; i++) {
		const struct rs_summary_region *region = page->rows[i].region;
		double below = region ? rs_cell_self_bound(region, &page->kind, page->rows[i].self)
				      : 0;
		below = page->rows[i].word ? 0 : below / (double)page->shares->whole;
		rs_grid_set(column, i, "%s", rs_cell_share(page->rows[i].share, below).text);
	}
}

static double sum_of(const struct row *row)
{
	return row->split[0] + row->split[1] + row->split[2];
}

static void add_bar(struct page *page)
{
	struct rs_grid_column *column = rs_split_add_bars(&page->grid, 10);
	page->bars = column;
	int width = page->options->width > 0 ? page->options->width : (int)RS_GRID_PLAIN_WIDTH;
	double top = 0;
	for (size_t i = 0; i < page->n_lines; i++)
		if (page->rows[i].has_bar)
			top = fmax(top, sum_of(&page->rows[i]));
	for (size_t i = 0; i < page->n_rows; i++)
		/* the bar of the time in no region is full, if that time is more than the time of
		 * every region */
		if (page->rows[i].has_bar)
			rs_split_bar(&page->grid, &column->cells[i], page->rows[i].split,
				fmax(top, sum_of(&page->rows[i])),
				width < 80    ? 4
				: width < 160 ? 10
					      : 20,
				page->options->utf8);
}

static void add_self_time(struct page *page, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(
		&page->grid, page->is_time ? "self time" : "self total", drop);
	column->has_units = page->kind.is_ns;
	for (size_t i = 0; i < page->n_rows; i++) {
		const struct rs_summary_region *region = page->rows[i].region;
		if (region && (!rs_value_has_total(value_of(page, region)) || region->is_apart))
			rs_grid_set(column, i, "-");
		else
			set_amount(page, column, i);
	}
}

/* Return true if one of the first rows has a share of this kind of time that is large enough to
 * show it. */
static bool has_kind(const struct page *page, int kind, size_t n_rows)
{
	for (size_t i = 0; i < n_rows && page->has_split; i++)
		if (page->rows[i].split[kind] >= LEAST_SPLIT)
			return true;
	return false;
}

static void add_split(struct page *page, int kind, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, page->headings[kind], drop);
	for (size_t i = 0; i < page->n_rows; i++)
		if (page->rows[i].split[kind] >= LEAST_SHOWN_SHARE)
			rs_grid_set(column, i, "%.1f%%", page->rows[i].split[kind] * 100);
}

/* ---- calls ---- */

static void add_error(struct page *page, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(
		&page->grid, page->options->utf8 ? "\xc2\xb1" : "+-", drop);
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = page->rows[i].region;
		if (region)
			rs_grid_set(column, i, "%s", rs_cell_error(value_of(page, region)).text);
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

static void add_statistic(struct page *page, const struct rs_statistic *statistic, unsigned drop)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, heading_of(page, statistic), drop);
	bool is_total = statistic->kind == RS_STATISTIC_OF_ALL;
	column->has_units = page->kind.is_ns && statistic->kind != RS_STATISTIC_OF_REGION;
	for (size_t i = 0; i < page->n_rows; i++) {
		const struct rs_summary_region *region = page->rows[i].region;
		if (is_total && page->rows[i].word)
			set_amount(page, column, i);
		if (!region)
			continue;
		const struct rs_cell_text cell = rs_cell_statistic(
			statistic, region, value_of(page, region), &page->kind);
		bool is_estimate = rs_statistic_is_estimate(statistic, value_of(page, region)) &&
				   cell.text[0] != '<';
		rs_grid_set(column, i, "%s%s", is_estimate ? "~" : "", cell.text);
	}
}

static void add_column(struct page *page, const struct rs_statistic *statistic, unsigned drop)
{
	switch (statistic - rs_statistics) {
	case RS_STATISTIC_ON_CPU:
		return add_split(page, 0, drop);
	case RS_STATISTIC_ERROR:
		return add_error(page, drop);
	case RS_STATISTIC_SELF:
		return add_self_time(page, drop);
	default:
		return add_statistic(page, statistic, drop);
	}
}

static void add_usual_column(struct page *page, enum rs_statistic_index index)
{
	add_column(page, &rs_statistics[index], rs_statistics[index].drop);
}

/* ---- metrics and work ---- */

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
		const struct rs_summary_region *region = page->rows[i].region;
		double number = region ? get(region) : NAN;
		if (!isfinite(number) || number <= 0)
			continue;
		column = column ? column : rs_grid_add(&page->grid, heading, drop);
		rs_grid_set(column, i, "%s", rs_format_real(number).text);
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
		const struct rs_summary_region *region = page->rows[i].region;
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
		const struct rs_summary_region *region = page->rows[i].region;
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
		rs_grid_set(column, i, "%s", trimmed(text));
	}
}

/* ---- the whole table ---- */

static void add_names(struct page *page)
{
	struct rs_grid_column *column = rs_grid_add(&page->grid, "region", 0);
	column->is_left = true;
	page->grid.names_width = page->grid.roomy_width = LEAST_NAMES_WIDTH;
	for (size_t i = page->n_lines; i < page->n_rows; i++)
		column->cells[i].spans[0] = (struct rs_span){page->rows[i].word, RS_SPAN_DIM};
}

static bool any_sampled(const struct page *page)
{
	for (size_t i = 0; i < page->n_lines; i++) {
		const struct rs_summary_region *region = page->rows[i].region;
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
	bool was_preempted = has_kind(page, 1, page->n_lines);
	bool was_blocked = has_kind(page, 2, page->n_lines);
	add_usual_column(page, RS_STATISTIC_SELF);
	if (was_preempted || was_blocked)
		add_usual_column(page, RS_STATISTIC_ON_CPU);
	if (was_preempted)
		add_split(page, 1, 90);
	if (was_blocked)
		add_split(page, 2, 85);
	add_real(page, "IPC", 50, rs_region_ipc);
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
		add_column(page, columns.items[i], i == 0 ? 1 : 20 + (unsigned)i);
}

static void make(struct page *page, size_t most, struct rs_arena *arena)
{
	const struct rs_summary *summary = page->summary;
	bool utf8 = page->options->utf8;
	rs_tree_make(&page->tree, summary, &page->options->view, page->column, most, arena);
	make_rows(page, arena);
	rs_grid_init(&page->grid, arena, page->n_rows);
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

/* Return true if a row has a large share of this kind of time, or a bar shows a smaller one. */
static bool is_in_legend(const struct page *page, int kind)
{
	if (has_kind(page, kind, page->n_rows))
		return true;
	for (size_t i = 0; i < page->n_rows; i++) {
		const char *part = page->bars->cells[i].spans[kind].text;
		if (part && part[0] != '\0')
			return true;
	}
	return false;
}

/* Write a legend for the parts of the bar that have no column. The screen may be narrow, the user
 * may have chosen the columns, or no region's part is large. */
static void write_legend(const struct page *page, FILE *stream)
{
	const struct rs_style *style = rs_style_get(page->options->color);
	bool utf8 = page->options->utf8;
	size_t width = page->options->width > 0 ? (size_t)page->options->width : SIZE_MAX;
	size_t used = 0;
	bool is_off_cpu = is_in_legend(page, 1) || is_in_legend(page, 2);
	bool has_bar = !page->options->markdown && rs_grid_has(&page->grid, "");
	if (!is_off_cpu || !has_bar)
		return;
	for (int kind = 0; kind < SPLITS; kind++) {
		if ((kind > 0 && !is_in_legend(page, kind)) ||
			rs_grid_has(&page->grid, page->headings[kind]))
			continue;
		size_t own = strlen(rs_split_words[kind]) + 4;
		bool is_line = used > 0 && used + own > width;
		fputs(used == 0 ? style->dim : "", stream);
		fprintf(stream, "%s%s %s",
			used == 0 ? "self: "
			: is_line ? "\n      "
				  : "  ",
			rs_split_glyph(kind, utf8), rs_split_words[kind]);
		used = (used == 0 || is_line ? 4 : used) + own;
	}
	if (used > 0)
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
		.has_split = shown == 0 && summary->whole.has_cpu,
		.kind = {shown == 0, summary->columns[shown].is_ns, options->utf8}};
	make(&page, most, arena);
	rs_grid_write(&page.grid, options, stream);
	write_legend(&page, stream);
}
