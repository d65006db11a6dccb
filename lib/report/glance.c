/* SPDX-License-Identifier: MIT */
/*
 * The lines of all regions. Comes in: a finished summary. Goes out: the tree of its regions with
 * their shares, which make 100.0 % with what is outside of all of them, then what was left out.
 */
#include "report/glance.h"

#include <string.h>

#include "base/width.h"
#include "report/glance_layout.h"
#include "report/style.h"

#define GAP 2u

/* What a line begins with: its name, its share, and how long that is beside the largest. */
struct start {
	const char *name;
	uint32_t share;
	bool is_scaled;
	uint32_t largest; /* of all shares; 0: no bar */
};

static void write_spaces(size_t n, FILE *stream)
{
	fprintf(stream, "%*s", (int)n, "");
}

/* Returns how many columns of the line are still to be filled. */
static size_t write_start(
	const struct rs_glance_layout *layout, const struct start *start, FILE *stream)
{
	struct rs_cell_text cell;
	size_t n_name = rs_width_of(start->name);
	size_t n_pad = n_name < layout->name_width ? layout->name_width - n_name : 0;
	rs_glance_share(&cell, start->share, start->is_scaled);
	fprintf(stream, "%s%*s%*s", start->name, (int)(n_pad + GAP), "", (int)layout->share_width,
		cell.text);
	size_t n_bar = 0;
	if (start->largest > 0 && start->share != RS_NO_SHARE)
		n_bar = (start->share * layout->bar_width + start->largest - 1) / start->largest;
	if (n_bar > 0)
		putc(' ', stream);
	for (size_t i = 0; i < n_bar; i++)
		putc('#', stream);
	return layout->bar_width + 1 - (n_bar > 0 ? n_bar + 1 : 0);
}

static void write_titles(const struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_style *style, FILE *stream)
{
	char cut[RS_GLANCE_NAME_BYTES];
	size_t n_title = rs_width_cut_middle(
		cut, sizeof(cut), layout->title, layout->name_width, "..");
	size_t n_share = layout->name_width + GAP + layout->share_width - n_title;
	fprintf(stream, "%s%s%*s", style->dim, cut, (int)n_share, "self");
	write_spaces(1 + layout->bar_width, stream);
	for (size_t i = 0; i < layout->n_columns; i++)
		fprintf(stream, "%*s", (int)(GAP + layout->widths[i]),
			rs_column_title(summary, layout->columns[i]));
	fprintf(stream, "%s\n", style->off);
}

static void write_line(const struct rs_glance_layout *layout, const struct rs_summary *summary,
	const struct rs_tree_line *line, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	const struct rs_shares *shares = &summary->shares[layout->column];
	const struct rs_summary_region *region = &summary->merged[line->region];
	bool is_hottest = line->region == shares->hottest;
	char name[RS_GLANCE_NAME_BYTES];
	rs_glance_name(name, summary, line, options->utf8, layout->levels, layout->name_width);
	const struct start start = {.name = name,
		.share = shares->thousandths[line->region],
		.is_scaled = shares->is_whole_estimated ||
			     region->values[layout->column].status == RS_VALUE_SCALED,
		.largest = shares->hottest == RS_NO_ROW ? 0 : shares->thousandths[shares->hottest]};
	if (is_hottest)
		fputs(style->bold, stream);
	if (region->waits)
		fputs(style->wait, stream);
	size_t n_pad = write_start(layout, &start, stream);
	for (size_t i = 0; i < layout->n_columns; i++) {
		struct rs_cell_text cell;
		rs_glance_cell(&cell, summary, region, layout->column, layout->columns[i]);
		n_pad += GAP + layout->widths[i] - strlen(cell.text);
		fprintf(stream, "%*s%s", (int)n_pad, "", cell.text);
		n_pad = 0;
	}
	if (is_hottest || region->waits)
		fputs(style->off, stream);
	putc('\n', stream);
}

/* What has a name and a share alone. */
static void write_rest(const struct rs_glance_layout *layout, const char *name, uint32_t share,
	bool is_scaled, FILE *stream)
{
	const struct start start = {.name = name, .share = share, .is_scaled = is_scaled};
	write_start(layout, &start, stream);
	putc('\n', stream);
}

bool rs_glance_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct rs_glance_layout layout;
	struct rs_tree tree;
	size_t column = rs_view_column(&options->view, summary);
	if (summary->n_merged < 2)
		return true;
	const struct rs_shares *shares = &summary->shares[column];
	if (!rs_tree_make(&tree, summary, &options->view, column))
		return false;
	rs_glance_layout(&layout, summary, options, &tree, column);
	write_titles(&layout, summary, rs_style_get(options->color), stream);
	for (size_t i = 0; i < tree.n; i++)
		write_line(&layout, summary, &tree.lines[i], options, stream);
	if (tree.n_left_out > 0) {
		char name[64];
		snprintf(name, sizeof(name), "(%zu other%s)", tree.n_left_out,
			tree.n_left_out == 1 ? "" : "s");
		write_rest(&layout, name, tree.left_out, shares->is_outside_estimated, stream);
	}
	write_rest(&layout, "(outside)", shares->outside, shares->is_outside_estimated, stream);
	putc('\n', stream);
	rs_tree_finish(&tree);
	return true;
}
