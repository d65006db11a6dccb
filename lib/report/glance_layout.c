/* SPDX-License-Identifier: MIT */
/*
 * The layout of the lines of all regions. Comes in: the tree of those to show, and the terminal's
 * width. Goes out: the widest set of columns that leaves names their room, and every cell's text.
 */
#include "report/glance_layout.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/short_name.h"

#define GAP 2u
#define PLAIN_WIDTH 80u /* that of what is no terminal */
#define LEAST_NAME_WIDTH 14u
#define LEAST_SHOWN_WIDTH 8u /* of a name, however deep it lies */
#define WANTED_NAME_WIDTH 32u /* names that long are cut before a column is left out */
#define BAR_WIDTH 5u
#define WIDE_BAR_WIDTH 10u
#define LEAST_CELL_WIDTH 7u /* "999 ms" and a place for what is longer */
#define LARGEST_FULL_CALLS 9999999u

/* What is shown where there is room for it, the widest first; the last one in any case. Those
 * without a least width have names cut for them; the first of these is that of files as well. */
static const struct column_set {
	size_t least_width; /* of the terminal */
	size_t n_columns;
	enum rs_table_column columns[RS_COLUMN_N];
	bool is_tight; /* columns are as narrow as they can be */
} column_sets[] = {
	{140, 11,
		{RS_COLUMN_TOTAL, RS_COLUMN_SELF, RS_COLUMN_CPU, RS_COLUMN_CALLS, RS_COLUMN_AVG,
			RS_COLUMN_STDDEV, RS_COLUMN_MIN, RS_COLUMN_P50, RS_COLUMN_P90,
			RS_COLUMN_P99, RS_COLUMN_MAX}},
	{120, 10,
		{RS_COLUMN_TOTAL, RS_COLUMN_SELF, RS_COLUMN_CPU, RS_COLUMN_CALLS, RS_COLUMN_AVG,
			RS_COLUMN_MIN, RS_COLUMN_P50, RS_COLUMN_P90, RS_COLUMN_P99, RS_COLUMN_MAX}},
	{100, 8,
		{RS_COLUMN_TOTAL, RS_COLUMN_CPU, RS_COLUMN_CALLS, RS_COLUMN_AVG, RS_COLUMN_P50,
			RS_COLUMN_P90, RS_COLUMN_P99, RS_COLUMN_MAX}},
	{0, 6,
		{RS_COLUMN_TOTAL, RS_COLUMN_CPU, RS_COLUMN_CALLS, RS_COLUMN_AVG, RS_COLUMN_P90,
			RS_COLUMN_MAX}},
	{0, 6,
		{RS_COLUMN_TOTAL, RS_COLUMN_CPU, RS_COLUMN_CALLS, RS_COLUMN_AVG, RS_COLUMN_P90,
			RS_COLUMN_MAX},
		true},
	{0, 4, {RS_COLUMN_TOTAL, RS_COLUMN_CALLS, RS_COLUMN_AVG, RS_COLUMN_MAX}, true},
	{0, 1, {RS_COLUMN_TOTAL}, true},
};
#define N_COLUMN_SETS (sizeof(column_sets) / sizeof(column_sets[0]))

static enum rs_quantity quantity_of(const struct rs_summary_column *column)
{
	return strcmp(column->unit, "ns") == 0 ? RS_QUANTITY_NS : RS_QUANTITY_COUNT;
}

static void unknown_cell(struct rs_cell_text *cell)
{
	strcpy(cell->text, "-");
	cell->unit = 1;
}

static void percent_cell(struct rs_cell_text *cell, double ratio)
{
	if (isfinite(ratio))
		snprintf(cell->text, sizeof(cell->text), "%.0f%%", ratio * 100);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
	cell->unit = strlen(cell->text);
}

static void calls_cell(struct rs_cell_text *cell, uint64_t calls)
{
	if (calls <= LARGEST_FULL_CALLS)
		rs_format_integer(cell, calls);
	else
		rs_format_total(cell, RS_QUANTITY_COUNT, calls, false);
}

/* Whether a number says little: the typical call of a region that is shorter than its markers. */
static bool is_unsure(
	const struct rs_summary_region *region, enum rs_table_column shown, size_t column)
{
	enum rs_statistic_kind kind = rs_column_kind(shown);
	return column == 0 && region->is_short && shown != RS_COLUMN_MAX &&
	       (kind == RS_STATISTIC_OF_ONE || kind == RS_STATISTIC_MEAN);
}

void rs_glance_cell(struct rs_cell_text *cell, const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t column, enum rs_table_column shown)
{
	const struct rs_summary_value *value = &region->values[column];
	enum rs_quantity quantity = quantity_of(&summary->columns[column]);
	enum rs_statistic_kind kind = RS_STATISTIC_OF_ALL;
	struct rs_number number = {RS_NUMBER_NONE};
	*cell = (struct rs_cell_text){0};
	if (rs_column_is_statistic(shown)) {
		kind = rs_column_kind(shown);
		number = rs_column_number(value, shown);
	}
	if (shown == RS_COLUMN_CPU)
		percent_cell(cell, region->is_short ? NAN : region->cpu);
	else if (shown == RS_COLUMN_CALLS)
		calls_cell(cell, region->calls);
	else if (number.kind == RS_NUMBER_NONE || is_unsure(region, shown, column))
		unknown_cell(cell);
	else if (kind == RS_STATISTIC_MEAN)
		rs_format_mean(cell, quantity, number.real);
	else if (kind == RS_STATISTIC_SHARE)
		rs_format_percent(cell, number.real);
	else
		rs_format_total(cell, quantity, number.integer,
			value->status == RS_VALUE_SCALED && kind == RS_STATISTIC_OF_ALL);
}

void rs_glance_share(struct rs_cell_text *cell, uint32_t thousandths, bool is_scaled)
{
	if (thousandths == RS_NO_SHARE) {
		unknown_cell(cell);
		return;
	}
	snprintf(cell->text, sizeof(cell->text), "%s%u.%u%%", is_scaled ? "~" : "",
		(unsigned)(thousandths / 10), (unsigned)(thousandths % 10));
	cell->unit = strlen(cell->text);
}

size_t rs_glance_name(char *out, const struct rs_summary *summary, const struct rs_tree_line *line,
	bool utf8, size_t levels, size_t columns)
{
	size_t n_prefix = rs_tree_prefix(out, line, levels, utf8), used = strlen(out);
	size_t room = SIZE_MAX;
	if (columns > 0)
		room = columns - n_prefix;
	return n_prefix + rs_short_region_name(out + used, summary, line->region, room, utf8);
}

/* The longest cell of a column, its title included. */
static size_t cell_width(const struct rs_summary *summary, const struct rs_tree *tree,
	size_t column, enum rs_table_column shown)
{
	size_t widest = strlen(rs_column_title(summary, shown));
	for (size_t i = 0; i < tree->n; i++) {
		struct rs_cell_text cell;
		rs_glance_cell(
			&cell, summary, &summary->merged[tree->lines[i].region], column, shown);
		size_t width = strlen(cell.text);
		widest = width > widest ? width : widest;
	}
	return widest;
}

static void make_title(struct rs_glance_layout *layout, const struct rs_summary *summary)
{
	char name[sizeof(layout->title)];
	rs_text_escape(name, sizeof(name), summary->columns[layout->column].name);
	snprintf(layout->title, sizeof(layout->title), "region");
	if (layout->column > 0)
		snprintf(layout->title, sizeof(layout->title), "region, %.*s",
			(int)(sizeof(layout->title) - sizeof("region, ")), name);
}

static size_t widest_name(const struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_tree *tree, bool utf8)
{
	size_t widest = strlen("(outside)");
	size_t title = rs_width_of(layout->title);
	widest = title > widest ? title : widest;
	for (size_t i = 0; i < tree->n; i++) {
		char name[RS_GLANCE_NAME_BYTES];
		size_t width = rs_glance_name(
			name, summary, &tree->lines[i], utf8, RS_TREE_LEVELS, 0);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* What decides on columns that not every table has. */
struct found {
	bool is_partial; /* something was counted only part of the time */
	bool has_errors; /* totals are estimates, whose error is known */
};

/* The width of the shares, and what there is. */
static struct found look_at_values(struct rs_glance_layout *layout,
	const struct rs_summary *summary, const struct rs_tree *tree)
{
	struct found found = {false, false};
	layout->share_width = strlen("100.0%");
	if (summary->shares[layout->column].is_outside_estimated)
		layout->share_width = strlen("~100.0%");
	for (size_t i = 0; i < tree->n; i++) {
		const struct rs_summary_region *region = &summary->merged[tree->lines[i].region];
		const struct rs_summary_value *value = &region->values[layout->column];
		found.is_partial |= value->has_total && value->running < 1;
		found.has_errors |= value->has_error;
	}
	return found;
}

/* The error behind its total. Returns how many columns there are. */
static size_t insert_error(enum rs_table_column *columns, size_t n)
{
	size_t place = 0;
	while (place < n && columns[place] != RS_COLUMN_TOTAL)
		place++;
	if (place == n)
		return n;
	for (size_t i = n; i > place + 1; i--)
		columns[i] = columns[i - 1];
	columns[place + 1] = RS_COLUMN_ERROR;
	return n + 1;
}

/* Take the columns of a set that there are, each with its width. Returns that of all of a line but
 * the name. */
static size_t take_set(struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_columns_wish *wish, const struct column_set *set,
	const size_t widths[RS_COLUMN_N], struct found found)
{
	enum rs_table_column chosen[RS_COLUMN_N + 2];
	size_t n = rs_columns_choose(chosen, wish, summary, set->columns, set->n_columns);
	size_t width = GAP + layout->share_width + 1 + layout->bar_width;
	if (found.has_errors && wish->n == 0 && !set->is_tight)
		n = insert_error(chosen, n);
	if (found.is_partial)
		chosen[n++] = RS_COLUMN_RUNNING;
	layout->n_columns = 0;
	for (size_t i = 0; i < n; i++) {
		if (chosen[i] == RS_COLUMN_CPU && !summary->has_cpu)
			continue;
		size_t own = widths[chosen[i]];
		/* so that tables of different runs look alike */
		if (!set->is_tight && own < LEAST_CELL_WIDTH && chosen[i] != RS_COLUMN_RUNNING &&
			rs_column_is_statistic(chosen[i]))
			own = LEAST_CELL_WIDTH;
		layout->columns[layout->n_columns] = chosen[i];
		layout->widths[layout->n_columns++] = own;
		width += GAP + own;
	}
	return width;
}

void rs_glance_layout(struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_tree *tree, size_t column)
{
	size_t widths[RS_COLUMN_N] = {0};
	*layout = (struct rs_glance_layout){.column = column};
	for (int shown = 0; shown < rs_columns_n(summary); shown++)
		widths[shown] = cell_width(summary, tree, column, (enum rs_table_column)shown);
	make_title(layout, summary);
	struct found found = look_at_values(layout, summary, tree);
	size_t name = widest_name(layout, summary, tree, options->utf8);
	size_t wanted = name < WANTED_NAME_WIDTH ? name : WANTED_NAME_WIDTH;
	size_t available = options->width > 0 ? (size_t)options->width : PLAIN_WIDTH;
	size_t others = 0;
	for (size_t i = 0; i < N_COLUMN_SETS; i++) {
		const struct column_set *set = &column_sets[i];
		layout->bar_width = set->least_width >= 120 ? WIDE_BAR_WIDTH : BAR_WIDTH;
		others = take_set(layout, summary, &options->view.columns, set, widths, found);
		size_t least = set->least_width > 0 || wanted < LEAST_NAME_WIDTH ? wanted
										 : LEAST_NAME_WIDTH;
		bool is_any = set->least_width == 0 && options->width == 0;
		if (available >= set->least_width && (least + others <= available || is_any))
			break;
	}
	layout->name_width = name;
	layout->levels = RS_TREE_LEVELS;
	if (options->width == 0 || name + others <= available)
		return;
	layout->name_width = available > others + LEAST_NAME_WIDTH ? available - others
								   : LEAST_NAME_WIDTH;
	/* a name is worth more than how deep it lies */
	layout->levels = (layout->name_width - LEAST_SHOWN_WIDTH) / 2;
}
