/* SPDX-License-Identifier: MIT */
/*
 * The regions as a tree, a line each, below the region in which they are called.
 */
#ifndef RS_REPORT_TREE_H
#define RS_REPORT_TREE_H

#include "report/view.h"
#include "stats/summary.h"

struct rs_tree_line {
	size_t region; /* of the summary's merged ones; RS_NO_ROW: regions that are folded */
	size_t n_folded; /* so many of them */
	size_t fold; /* rs_tree.folds has this number for each of them */
	uint32_t depth; /* 0: nothing is around it */
	uint64_t rails; /* a bit for each level around it: more of that level follow below */
	bool is_last; /* of those that lie in the same one */
};

struct rs_tree {
	struct rs_tree_line *lines; /* each below the one that it lies in; owned */
	size_t n;
	size_t *folds; /* of each merged region: in which fold it is, RS_NO_ROW: in none; owned */
};

/*
 * Make the tree of the regions that a view has, and of those around them, in its order. column:
 * whose values count. most: lines; when there are more, the regions with the least self value are
 * folded first. tree: filled; release with rs_tree_finish(). False: no memory.
 */
bool rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most);

/* Release what the tree owns. tree: filled or zeroed. */
void rs_tree_finish(struct rs_tree *tree);

#endif
