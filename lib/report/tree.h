/* SPDX-License-Identifier: MIT */
/*
 * The tree has one line for each region. The line is below that of the region in which this region
 * is nested.
 */
#ifndef RS_REPORT_TREE_H
#define RS_REPORT_TREE_H

#include "report/grid.h"
#include "report/view.h"
#include "stats/summary.h"

struct rs_tree_line {
	/* index in summary->merged; RS_NO_ROW: the line replaces hidden regions (a fold) */
	size_t region;
	size_t n_folded; /* how many regions the fold hides */
	size_t fold; /* id of the fold: the value of rs_tree.folds for its regions */
	uint32_t depth; /* 0: a region that is not nested in another one */
	uint64_t rails; /* bit n is set if a vertical line at level n continues below this line */
	bool is_last; /* last line with this parent */
};

struct rs_tree {
	struct rs_tree_line *lines; /* in print order: children below their parent */
	size_t n;
	size_t *folds; /* id of each merged region's fold; RS_NO_ROW: the region has its own line */
};

/*
 * Make the tree of the regions in a view and of their ancestors, in the order of the view. column:
 * the column of the summary whose values order regions. most: greatest number of lines. If there
 * would be more lines, fold regions, those with the smallest self values first. The tree is
 * allocated from arena.
 */
void rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most, struct rs_arena *arena);

/* ---- tree_table.c, tree_names.c ---- */

/* Write the table. If bars show preempted or blocked time, also write a legend that explains their
 * parts without columns. most: greatest number of lines for regions. If there would be more lines,
 * fold regions. */
void rs_tree_table_write(const struct rs_summary *summary, const struct rs_report_options *options,
	size_t most, struct rs_arena *arena, FILE *stream);

/* Use the lines of a tree as the names of the first rows of a grid. The names are in the first
 * column. The grid borrows tree. has_remarks: show "recursive" or "4 parents" after names. */
void rs_tree_names_set(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_tree *tree, bool utf8, bool has_remarks);

/* Add a column for bars. */
struct rs_grid_column *rs_split_add_bars(struct rs_grid *grid, unsigned drop);

/* Fill cell with a bar of on-CPU, preempted and blocked time. A bar of n characters represents the
 * value `top`. */
void rs_split_bar(struct rs_grid *grid, struct rs_grid_cell *cell, const double split[3],
	double top, size_t n, bool utf8);

/* Words for the parts of a bar, by kind: 0 on-CPU, 1 preempted, 2 blocked. */
extern const char *const rs_split_words[3];

/* Return the character that draws one part of a bar: "█". */
const char *rs_split_glyph(int kind, bool utf8);

/* Return the heading of a column that shows one part: "█ on-CPU". */
const char *rs_split_heading(struct rs_grid *grid, int kind, bool utf8);

/* Size of a buffer for the name of any region, shortened or not. */
#define RS_SHORT_NAME_BYTES (8u * RS_NAME_BYTES + 8u)

/*
 * Fill out[RS_SHORT_NAME_BYTES] with the name of region summary->merged[region], safe to print.
 * columns: greatest width, at least 4. If the name is too wide, drop its template arguments, unless
 * another region would then have the same name. If it is still too wide, cut it in the middle.
 * Return the width of the name in columns.
 */
size_t rs_short_region_name(
	char *out, const struct rs_summary *summary, size_t region, size_t columns, bool utf8);

#endif
