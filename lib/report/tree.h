/* SPDX-License-Identifier: MIT */
/*
 * The regions as a tree: one line for each region, below the region that calls it.
 */
#ifndef RS_REPORT_TREE_H
#define RS_REPORT_TREE_H

#include "report/view.h"
#include "stats/summary.h"

struct rs_tree_line {
	/* index in summary->merged; RS_NO_ROW: a line of folded regions */
	size_t region;
	size_t n_folded; /* number of regions in the fold */
	size_t fold; /* number that rs_tree.folds has for these regions */
	uint32_t depth; /* 0: a region that no other region calls */
	uint64_t rails; /* bit n is set if level n of the tree has further lines below this one */
	bool is_last; /* last line with this parent */
};

struct rs_tree {
	struct rs_tree_line *lines; /* in print order: children below their parent */
	size_t n;
	size_t *folds; /* fold of each merged region; RS_NO_ROW: not folded */
};

/*
 * Make the tree of the regions in a view and of their ancestors, in the order of the view. column:
 * the column of the summary that orders regions. most: greatest number of lines; beyond it, regions
 * with the least self value are folded. The tree lies in arena.
 */
void rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most, struct rs_arena *arena);

#endif
