/* SPDX-License-Identifier: MIT */
/*
 * The regions as a tree, a line each, as they are called in one another.
 */
#ifndef RS_REPORT_TREE_H
#define RS_REPORT_TREE_H

#include "report/view.h"
#include "stats/summary.h"

/* Of a line that lies deeper, so many levels are drawn. */
#define RS_TREE_LEVELS 12u

/* Enough for what stands before a name. */
#define RS_TREE_PREFIX_BYTES (RS_TREE_LEVELS * 8u)

struct rs_tree_line {
	size_t region; /* of the summary's merged ones */
	uint32_t depth; /* 0: nothing is around it */
	uint64_t rails; /* a bit for each level around it: more of that level follow below */
	bool is_last; /* of those that lie in the same one */
};

struct rs_tree {
	struct rs_tree_line *lines; /* each below the one that it lies in; owned */
	size_t n;
	size_t n_left_out; /* regions that are in no line */
	uint32_t left_out; /* what these have as shares, together; RS_NO_SHARE: not known */
};

/*
 * Make the tree of the regions that a view has, and of those around them, in its order.
 * column: whose values count. tree: filled; release with rs_tree_finish(). False: no memory.
 */
bool rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column);

/* Release what the tree owns. tree: filled or zeroed. */
void rs_tree_finish(struct rs_tree *tree);

/* What stands before the name of a line, of so many levels at most; utf8: drawn with characters for
 * it, else with ASCII. out[RS_TREE_PREFIX_BYTES]: filled. Returns its display width. */
size_t rs_tree_prefix(char *out, const struct rs_tree_line *line, size_t levels, bool utf8);

#endif
