/* SPDX-License-Identifier: MIT */
/*
 * The tree of regions: one line for each region, below the region in which it is nested.
 */
#ifndef RS_REPORT_TREE_H
#define RS_REPORT_TREE_H

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
 * would be more, fold regions, smallest self values first. The tree is allocated from arena.
 */
void rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most, struct rs_arena *arena);

#endif
