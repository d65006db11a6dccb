/* SPDX-License-Identifier: MIT */
/*
 * The spread of regions over threads. Comes in: a summary whose rows are threads. Goes out: for each
 * region the threads with the lowest, the median and the highest total, and the imbalance.
 */
#include "report/threads.h"

#include <math.h>
#include <string.h>

#include "base/width.h"
#include "report/glance_layout.h"
#include "report/style.h"

#define GAP 2u
#define CELL_BYTES 160u
#define LEAST_NAME_WIDTH 14u
#define DEEPEST_LEVEL 3u /* where names leave no room */

enum cell { CELL_THREADS, CELL_LOWEST, CELL_MEDIAN, CELL_HIGHEST, CELL_IMBALANCE, N_CELLS };

static const char *const titles[N_CELLS] = {
	"threads", "lowest (thread)", "median (thread)", "highest (thread)", "max/avg"};

struct spread_layout {
	size_t column;
	size_t name_width;
	size_t levels;
	size_t widths[N_CELLS];
};

static const struct rs_spread *spread_of(
	const struct rs_summary *summary, size_t region, size_t column)
{
	return &summary->spreads[region * summary->n_columns + column];
}

/* "3.10 ms (4243)"; where there are several processes "3.10 ms (4242/4243)". */
static void thread_cell(
	char text[CELL_BYTES], const struct rs_summary *summary, size_t row, size_t column)
{
	const struct rs_summary_region *region = &summary->regions[row];
	const struct rs_summary_value *value = &region->values[column];
	bool is_time = strcmp(summary->columns[column].unit, "ns") == 0;
	bool has_process = summary->n_processes > 1 && region->process;
	struct rs_cell_text total;
	rs_format_total(&total, is_time ? RS_QUANTITY_NS : RS_QUANTITY_COUNT, value->total,
		value->status == RS_VALUE_SCALED);
	snprintf(text, CELL_BYTES, "%s (%s%s%s)", total.text,
		has_process ? region->process->label : "", has_process ? "/" : "",
		region->thread ? region->thread->label : "?");
}

static void make_cells(char cells[N_CELLS][CELL_BYTES], const struct rs_summary *summary,
	const struct rs_spread *spread, size_t column)
{
	snprintf(cells[CELL_THREADS], CELL_BYTES, "%zu", spread->n);
	thread_cell(cells[CELL_LOWEST], summary, spread->lowest, column);
	thread_cell(cells[CELL_MEDIAN], summary, spread->median, column);
	thread_cell(cells[CELL_HIGHEST], summary, spread->highest, column);
	if (isfinite(spread->imbalance))
		snprintf(cells[CELL_IMBALANCE], CELL_BYTES, "%.2f", spread->imbalance);
	else
		snprintf(cells[CELL_IMBALANCE], CELL_BYTES, "-");
}

/* Returns whether there is any line at all. */
static bool lay_out(struct spread_layout *layout, const struct rs_summary *summary,
	const struct rs_report_options *options, const struct rs_tree *tree)
{
	size_t others = 0;
	bool any = false;
	layout->name_width = LEAST_NAME_WIDTH;
	layout->levels = RS_TREE_LEVELS;
	for (size_t c = 0; c < N_CELLS; c++)
		layout->widths[c] = strlen(titles[c]);
	for (size_t i = 0; i < tree->n; i++) {
		const struct rs_spread *spread = spread_of(
			summary, tree->lines[i].region, layout->column);
		char cells[N_CELLS][CELL_BYTES], name[RS_GLANCE_NAME_BYTES];
		if (spread->n < 2)
			continue;
		any = true;
		make_cells(cells, summary, spread, layout->column);
		for (size_t c = 0; c < N_CELLS; c++)
			if (strlen(cells[c]) > layout->widths[c])
				layout->widths[c] = strlen(cells[c]);
		size_t n_name = rs_glance_name(
			name, summary, &tree->lines[i], options->utf8, RS_TREE_LEVELS, 0);
		layout->name_width = n_name > layout->name_width ? n_name : layout->name_width;
	}
	for (size_t c = 0; c < N_CELLS; c++)
		others += GAP + layout->widths[c];
	size_t width = options->width > 0 ? (size_t)options->width : SIZE_MAX;
	if (layout->name_width + others > width) {
		layout->levels = DEEPEST_LEVEL;
		layout->name_width = width > others + LEAST_NAME_WIDTH ? width - others
								       : LEAST_NAME_WIDTH;
	}
	return any;
}

static void write_line(const struct spread_layout *layout, const struct rs_summary *summary,
	const struct rs_tree_line *line, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_spread *spread = spread_of(summary, line->region, layout->column);
	char cells[N_CELLS][CELL_BYTES], name[RS_GLANCE_NAME_BYTES];
	if (spread->n < 2)
		return;
	size_t n_name = rs_glance_name(
		name, summary, line, options->utf8, layout->levels, layout->name_width);
	fprintf(stream, "%s%*s", name,
		(int)(n_name < layout->name_width ? layout->name_width - n_name : 0), "");
	make_cells(cells, summary, spread, layout->column);
	for (size_t c = 0; c < N_CELLS; c++)
		fprintf(stream, "%*s", (int)(GAP + layout->widths[c]), cells[c]);
	putc('\n', stream);
}

bool rs_threads_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	struct spread_layout layout = {.column = rs_view_column(&options->view, summary)};
	struct rs_tree tree;
	if (!summary->spreads)
		return true;
	if (!rs_tree_make(&tree, summary, &options->view, layout.column))
		return false;
	if (lay_out(&layout, summary, options, &tree)) {
		fprintf(stream, "%s%-*s", style->dim, (int)layout.name_width, "region");
		for (size_t c = 0; c < N_CELLS; c++)
			fprintf(stream, "%*s", (int)(GAP + layout.widths[c]), titles[c]);
		fprintf(stream, "%s\n", style->off);
		for (size_t i = 0; i < tree.n; i++)
			write_line(&layout, summary, &tree.lines[i], options, stream);
		putc('\n', stream);
	}
	rs_tree_finish(&tree);
	return true;
}
