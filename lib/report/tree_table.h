/* SPDX-License-Identifier: MIT */
/*
 * The table of all regions. It shows how regions share the threads' time, by self time, and how
 * long their calls took.
 */
#ifndef RS_REPORT_TREE_TABLE_H
#define RS_REPORT_TREE_TABLE_H

#include "report/grid.h"
#include "report/tree.h"

/* Write the table. If a narrow screen dropped the columns of preempted or blocked time, also write
 * a legend that explains the parts of the bar. most: greatest number of lines for regions. If there
 * would be more, fold regions. */
void rs_tree_table_write(const struct rs_summary *summary, const struct rs_report_options *options,
	size_t most, struct rs_arena *arena, FILE *stream);

/* Let the lines of a tree name the rows of a grid, from the first row on. The names are in the
 * first column. The grid borrows tree. has_remarks: show "recursive" or "4 parents" after names. */
void rs_tree_names_set(struct rs_grid *grid, const struct rs_summary *summary,
	const struct rs_tree *tree, bool utf8, bool has_remarks);

/* Add a column for bars. */
struct rs_grid_column *rs_split_add_bars(struct rs_grid *grid, unsigned drop);

/* Fill cell with a bar of on-CPU, preempted and blocked time. A bar of n characters means the value
 * top. */
void rs_split_bar(struct rs_grid *grid, struct rs_grid_cell *cell, const double split[3],
	double top, size_t n, bool utf8);

/* Words for the parts of a bar, by kind: 0 on-CPU, 1 preempted, 2 blocked. */
extern const char *const rs_split_words[3];

/* Return the character that draws one part of a bar: "█". */
const char *rs_split_glyph(int kind, bool utf8);

/* Return the heading of a column that shows one part: "█ on-CPU". */
const char *rs_split_heading(struct rs_grid *grid, int kind, bool utf8);

#endif
