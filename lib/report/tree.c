/* SPDX-License-Identifier: MIT */
/*
 * This file makes the lines of the tree of regions. Each region of the summary names its parent.
 * The file selects the regions to show with all their ancestors. It links children to their parents
 * in print order, and walks the result. All hidden regions below one parent share one line, called
 * a fold.
 */
#include "report/tree.h"

#define BY_SELF (RS_SORT_STATISTIC + RS_STATISTIC_SELF)

/* Nodes of the tree. Nodes 0 to n-1 are the regions, and node n is the root. Node n + 1 + i is the
 * fold of the hidden regions below node i. */
struct growing {
	const struct rs_summary *summary;
	struct rs_arena *arena;
	size_t n; /* count of regions */
	size_t *order;
	size_t *first; /* first child of each node; RS_NO_ROW: none */
	size_t *next; /* next sibling of each node; RS_NO_ROW: none */
	size_t *n_folded; /* how many regions are hidden below each region and the root */
	size_t *shown; /* what find_shown() returns, while the nodes are counted */
	bool *is_shown;
};

static void growing_init(
	struct growing *growing, const struct rs_summary *summary, struct rs_arena *arena)
{
	size_t n = summary->n_merged, n_places = 2 * (n + 1);
	*growing = (struct growing){
		.summary = summary,
		.arena = arena,
		.n = n,
		.order = rs_arena_array(arena, n, sizeof(*growing->order)),
		.first = rs_arena_array(arena, n_places, sizeof(*growing->first)),
		.next = rs_arena_array(arena, n_places, sizeof(*growing->next)),
		.n_folded = rs_arena_array(arena, n + 1, sizeof(*growing->n_folded)),
		.shown = rs_arena_array(arena, n + 1, sizeof(*growing->shown)),
		.is_shown = rs_arena_array(arena, n, sizeof(*growing->is_shown)),
	};
	for (size_t i = 0; i < n_places; i++)
		growing->first[i] = growing->next[i] = RS_NO_ROW;
}

static size_t around(const struct growing *growing, size_t place)
{
	if (place > growing->n)
		return place - growing->n - 1;
	size_t parent = growing->summary->merged[place].parent_row;
	return parent == RS_NO_ROW ? growing->n : parent;
}

static void show(struct growing *growing, size_t region)
{
	for (; region != growing->n && !growing->is_shown[region]; region = around(growing, region))
		growing->is_shown[region] = true;
}

/* Show the first view.top regions of the view (all if top is 0), with their ancestors. */
static void show_view(struct growing *growing, const struct rs_view *view)
{
	size_t n = 0;
	for (size_t i = 0; i < growing->n && (view->top == 0 || n < view->top); i++) {
		size_t region = growing->order[i];
		if (!rs_view_has(view, growing->summary->merged[region].name))
			continue;
		n++;
		show(growing, region);
	}
}

/* Return the closest shown node: the region itself, or one around it. Store it for all nodes on the
 * way, so that each is visited once, however deep the tree is. */
static size_t find_shown(struct growing *growing, size_t region)
{
	size_t place = region;
	while (growing->shown[place] == RS_NO_ROW)
		place = around(growing, place);
	size_t shown = growing->shown[place];
	for (; growing->shown[region] == RS_NO_ROW; region = around(growing, region))
		growing->shown[region] = shown;
	return shown;
}

/* Count the hidden regions of each fold. Return how many lines the tree has. */
static size_t count_folded(struct growing *growing)
{
	size_t lines = 0;
	for (size_t i = 0; i <= growing->n; i++) {
		growing->n_folded[i] = 0;
		growing->shown[i] = i == growing->n || growing->is_shown[i] ? i : RS_NO_ROW;
	}
	for (size_t i = 0; i < growing->n; i++) {
		size_t place = find_shown(growing, i);
		lines += place == i || growing->n_folded[place] == 0;
		growing->n_folded[place] += place != i;
	}
	return lines;
}

static size_t count_shown(const struct growing *growing)
{
	size_t n = 0;
	for (size_t i = 0; i < growing->n; i++)
		n += growing->is_shown[i];
	return n;
}

/* Fold regions until at most `most` lines remain. Keep the regions with the largest self values. */
static void fold(struct growing *growing, size_t column, size_t most)
{
	size_t n = growing->n;
	if (count_shown(growing) <= most)
		return;
	size_t *by_self = rs_arena_array(growing->arena, n, sizeof(*by_self));
	bool *wanted = growing->is_shown;
	bool *kept = rs_arena_array(growing->arena, n, sizeof(*kept));
	rs_sort_make(by_self, growing->summary->merged, n, column, BY_SELF, growing->arena);
	growing->is_shown = kept;
	for (size_t i = 0; i < n; i++) {
		size_t region = by_self[i], last = region;
		if (!wanted[region] || kept[region])
			continue;
		for (; last != n && !kept[last]; last = around(growing, last))
			kept[last] = true;
		if (count_folded(growing) <= most)
			continue;
		for (size_t place = region; place != last; place = around(growing, place))
			kept[place] = false;
		if (count_folded(growing) == most) /* no more lines are left */
			break;
	}
}

/* If a fold hides only one region, show that region, because both need one line. */
static void open_small_folds(struct growing *growing)
{
	count_folded(growing);
	for (size_t i = 0; i < growing->n; i++)
		if (!growing->is_shown[i] && growing->n_folded[around(growing, i)] == 1)
			growing->is_shown[i] = true;
	count_folded(growing);
}

static void hang(struct growing *growing, size_t place)
{
	size_t parent = around(growing, place);
	growing->next[place] = growing->first[parent];
	growing->first[parent] = place;
}

/* Link all nodes to their parents. hang() puts a node before its siblings, so this function links
 * the last nodes first. Folds come after all regions. */
static void hang_all(struct growing *growing)
{
	for (size_t i = 0; i <= growing->n; i++)
		if (growing->n_folded[i] > 0)
			hang(growing, growing->n + 1 + i);
	for (size_t i = growing->n; i-- > 0;)
		if (growing->is_shown[growing->order[i]])
			hang(growing, growing->order[i]);
}

/* Fill tree->lines in print order. The first child of a node follows the node. After a node without
 * children comes its next sibling, or the next sibling of its closest ancestor that has one. */
static void walk(struct rs_tree *tree, const struct growing *growing)
{
	struct rs_tree_line line = {0};
	size_t n = growing->n, place = growing->first[n];
	while (place != RS_NO_ROW) {
		line.is_last = growing->next[place] == RS_NO_ROW;
		line.region = place < n ? place : RS_NO_ROW;
		line.fold = place < n ? RS_NO_ROW : place - n - 1;
		line.n_folded = place < n ? 0 : growing->n_folded[line.fold];
		tree->lines[tree->n++] = line;
		if (growing->first[place] != RS_NO_ROW) {
			uint64_t rail = line.depth < 64 ? UINT64_C(1) << line.depth : 0;
			line.rails = line.is_last ? line.rails & ~rail : line.rails | rail;
			line.depth++;
			place = growing->first[place];
			continue;
		}
		while (place != n && growing->next[place] == RS_NO_ROW) {
			place = around(growing, place);
			line.depth--;
		}
		place = place == n ? RS_NO_ROW : growing->next[place];
		if (line.depth < 64)
			line.rails &= (UINT64_C(1) << line.depth) - 1;
	}
}

static void set_folds(struct rs_tree *tree, const struct growing *growing)
{
	for (size_t i = 0; i < growing->n; i++) {
		size_t place = growing->shown[i];
		tree->folds[i] = place == i ? RS_NO_ROW : place;
	}
}

void rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most, struct rs_arena *arena)
{
	struct growing growing;
	size_t n = summary->n_merged;
	growing_init(&growing, summary, arena);
	*tree = (struct rs_tree){
		.lines = rs_arena_array(arena, 2 * (n + 1), sizeof(*tree->lines)),
		.folds = rs_arena_array(arena, n, sizeof(*tree->folds)),
	};
	/* --top keeps the regions with the largest self values, unless --sort names another key */
	enum rs_sort_key first = view->sort == RS_SORT_USUAL ? BY_SELF : view->sort;
	rs_sort_make(growing.order, summary->merged, n, column, first, arena);
	show_view(&growing, view);
	rs_sort_make(growing.order, summary->merged, n, column, view->sort, arena);
	fold(&growing, column, most);
	open_small_folds(&growing);
	hang_all(&growing);
	walk(tree, &growing);
	set_folds(tree, &growing);
}
