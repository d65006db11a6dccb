/* SPDX-License-Identifier: MIT */
/*
 * From regions that know their parents to lines of a tree. Those that are to be shown are marked,
 * with all that is around them, hung below one another in their order, and walked from the top.
 */
#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

#include "report/sort.h"

#define LEVEL_WIDTH 2u /* columns */

/* What is known of the regions while the tree grows; the place behind the last is what is around
 * all of them. */
struct growing {
	size_t n;
	size_t *order;
	size_t *first; /* of what lies in each; RS_NO_ROW: nothing */
	size_t *next; /* beside it, in the same one */
	bool *is_shown;
};

static bool growing_init(struct growing *growing, size_t n)
{
	*growing = (struct growing){.n = n};
	growing->order = calloc(n + 1, sizeof(*growing->order));
	growing->first = malloc((n + 1) * sizeof(*growing->first));
	growing->next = malloc((n + 1) * sizeof(*growing->next));
	growing->is_shown = calloc(n + 1, sizeof(*growing->is_shown));
	if (!growing->order || !growing->first || !growing->next || !growing->is_shown)
		return false;
	for (size_t i = 0; i <= n; i++)
		growing->first[i] = growing->next[i] = RS_NO_ROW;
	return true;
}

static void growing_finish(struct growing *growing)
{
	free(growing->order);
	free(growing->first);
	free(growing->next);
	free(growing->is_shown);
}

/* The first ones that the view has, each with all that is around it. */
static void mark_shown(
	struct growing *growing, const struct rs_summary *summary, const struct rs_view *view)
{
	size_t n = 0;
	for (size_t i = 0; i < growing->n && (view->top == 0 || n < view->top); i++) {
		size_t region = growing->order[i];
		if (!rs_view_has(view, summary->merged[region].name))
			continue;
		n++;
		for (; region != RS_NO_ROW && !growing->is_shown[region];
			region = summary->merged[region].parent_row)
			growing->is_shown[region] = true;
	}
}

/* The last ones first, each before those that were hung there. */
static void hang(struct growing *growing, const struct rs_summary *summary)
{
	for (size_t i = growing->n; i-- > 0;) {
		size_t region = growing->order[i];
		size_t parent = summary->merged[region].parent_row;
		size_t place = parent == RS_NO_ROW ? growing->n : parent;
		if (!growing->is_shown[region])
			continue;
		growing->next[region] = growing->first[place];
		growing->first[place] = region;
	}
}

/* The line below one: the first that lies in it, or what follows it, or what is around it. */
static void walk(
	struct rs_tree *tree, const struct growing *growing, const struct rs_summary *summary)
{
	struct rs_tree_line line = {.region = growing->first[growing->n]};
	while (line.region != RS_NO_ROW) {
		line.is_last = growing->next[line.region] == RS_NO_ROW;
		tree->lines[tree->n++] = line;
		if (growing->first[line.region] != RS_NO_ROW) {
			uint64_t rail = line.depth < 64 ? UINT64_C(1) << line.depth : 0;
			line.rails = line.is_last ? line.rails & ~rail : line.rails | rail;
			line.depth++;
			line.region = growing->first[line.region];
			continue;
		}
		while (line.region != RS_NO_ROW && growing->next[line.region] == RS_NO_ROW) {
			line.region = summary->merged[line.region].parent_row;
			line.depth--;
		}
		if (line.region != RS_NO_ROW)
			line.region = growing->next[line.region];
		if (line.depth < 64)
			line.rails &= (UINT64_C(1) << line.depth) - 1;
	}
}

static void count_left_out(struct rs_tree *tree, const struct growing *growing,
	const struct rs_summary *summary, size_t column)
{
	for (size_t i = 0; i < growing->n; i++) {
		uint32_t share = summary->shares[column].thousandths[i];
		if (growing->is_shown[i])
			continue;
		tree->n_left_out++;
		tree->left_out += share == RS_NO_SHARE ? 0 : share;
	}
}

bool rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column)
{
	struct growing growing;
	size_t n = summary->n_merged;
	*tree = (struct rs_tree){0};
	tree->lines = calloc(n + 1, sizeof(*tree->lines));
	bool done = growing_init(&growing, n) && tree->lines &&
		    rs_sort_make(growing.order, summary->merged, n, column, view->sort);
	if (done) {
		mark_shown(&growing, summary, view);
		hang(&growing, summary);
		walk(tree, &growing, summary);
		count_left_out(tree, &growing, summary, column);
	} else {
		rs_tree_finish(tree);
	}
	growing_finish(&growing);
	return done;
}

void rs_tree_finish(struct rs_tree *tree)
{
	free(tree->lines);
	*tree = (struct rs_tree){0};
}

size_t rs_tree_prefix(char *out, const struct rs_tree_line *line, size_t levels, bool utf8)
{
	size_t most = levels < RS_TREE_LEVELS ? levels : RS_TREE_LEVELS;
	size_t depth = line->depth < most ? line->depth : most;
	out[0] = '\0';
	if (depth == 0)
		return 0;
	for (size_t level = 1; level < depth; level++)
		strcat(out, !(line->rails >> level & 1) ? "  " : utf8 ? "\xe2\x94\x82 " : "| ");
	if (line->is_last)
		strcat(out, utf8 ? "\xe2\x94\x94 " : "`-");
	else
		strcat(out, utf8 ? "\xe2\x94\x9c " : "|-");
	return depth * LEVEL_WIDTH;
}
