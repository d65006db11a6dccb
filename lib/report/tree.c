/* SPDX-License-Identifier: MIT */
/*
 * From regions that know their parents to lines of a tree. Those that are to be shown are marked,
 * with all that is around them, hung below one another in their order, and walked from the top. A
 * region has one line for all that is not shown: a fold.
 */
#include "report/tree.h"

#include <stdlib.h>

#define BY_SELF (RS_SORT_STATISTIC + RS_STATISTIC_SELF)

/* Places of the tree: regions by their index, then what is around all of them, then the fold in each
 * of these. */
struct growing {
	const struct rs_summary *summary;
	size_t n; /* regions */
	size_t *order;
	size_t *first; /* of what lies in each place; RS_NO_ROW: nothing */
	size_t *next; /* beside it, in the same one */
	size_t *n_folded; /* in each place but folds */
	bool *is_shown;
};

static bool growing_init(struct growing *growing, const struct rs_summary *summary)
{
	size_t n = summary->n_merged, n_places = 2 * (n + 1);
	*growing = (struct growing){.summary = summary, .n = n};
	growing->order = calloc(n + 1, sizeof(*growing->order));
	growing->first = malloc(n_places * sizeof(*growing->first));
	growing->next = malloc(n_places * sizeof(*growing->next));
	growing->n_folded = calloc(n + 1, sizeof(*growing->n_folded));
	growing->is_shown = calloc(n + 1, sizeof(*growing->is_shown));
	if (!growing->order || !growing->first || !growing->next || !growing->n_folded ||
		!growing->is_shown)
		return false;
	for (size_t i = 0; i < n_places; i++)
		growing->first[i] = growing->next[i] = RS_NO_ROW;
	return true;
}

static void growing_finish(struct growing *growing)
{
	free(growing->order);
	free(growing->first);
	free(growing->next);
	free(growing->n_folded);
	free(growing->is_shown);
}

/* The place around one. */
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

/* The first ones that the view has, each with all that is around it. */
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

/* Count what each place has folded. Returns the lines of what is shown. */
static size_t count_folded(struct growing *growing)
{
	size_t lines = 0;
	for (size_t i = 0; i <= growing->n; i++)
		growing->n_folded[i] = 0;
	for (size_t i = 0; i < growing->n; i++) {
		size_t place = i;
		while (place != growing->n && !growing->is_shown[place])
			place = around(growing, place);
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

/* Of the shown regions, keep those with the most that fit. False: no memory. */
static bool fold(struct growing *growing, size_t column, size_t most)
{
	size_t n = growing->n;
	if (count_shown(growing) <= most)
		return true;
	size_t *by_self = calloc(n + 1, sizeof(*by_self));
	bool *wanted = growing->is_shown, *kept = calloc(n + 1, sizeof(*kept));
	bool done = by_self && kept &&
		    rs_sort_make(by_self, growing->summary->merged, n, column, BY_SELF);
	growing->is_shown = kept;
	for (size_t i = 0; done && i < n; i++) {
		size_t region = by_self[i], last = region;
		if (!wanted[region] || kept[region])
			continue;
		for (; last != n && !kept[last]; last = around(growing, last))
			kept[last] = true;
		if (count_folded(growing) <= most)
			continue;
		for (size_t place = region; place != last; place = around(growing, place))
			kept[place] = false;
		if (count_folded(growing) == most) /* nothing more can fit */
			break;
	}
	free(done ? wanted : kept);
	if (!done)
		growing->is_shown = wanted;
	free(by_self);
	return done;
}

/* A fold of one region is no shorter than that. */
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

/* The last ones first, each before those that were hung there; folds are behind all others. */
static void hang_all(struct growing *growing)
{
	for (size_t i = 0; i <= growing->n; i++)
		if (growing->n_folded[i] > 0)
			hang(growing, growing->n + 1 + i);
	for (size_t i = growing->n; i-- > 0;)
		if (growing->is_shown[growing->order[i]])
			hang(growing, growing->order[i]);
}

/* The line below one: the first that lies in it, or what follows it, or what is around it. */
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
		size_t place = i;
		while (place != growing->n && !growing->is_shown[place])
			place = around(growing, place);
		tree->folds[i] = place == i ? RS_NO_ROW : place;
	}
}

bool rs_tree_make(struct rs_tree *tree, const struct rs_summary *summary,
	const struct rs_view *view, size_t column, size_t most)
{
	struct growing growing;
	size_t n = summary->n_merged;
	*tree = (struct rs_tree){0};
	tree->lines = calloc(2 * (n + 1), sizeof(*tree->lines));
	tree->folds = calloc(n + 1, sizeof(*tree->folds));
	/* the first ones are those with most of their own */
	enum rs_sort_key first = view->sort == RS_SORT_USUAL ? BY_SELF : view->sort;
	bool done = growing_init(&growing, summary) && tree->lines && tree->folds &&
		    rs_sort_make(growing.order, summary->merged, n, column, first);
	if (done) {
		show_view(&growing, view);
		done = rs_sort_make(growing.order, summary->merged, n, column, view->sort) &&
		       fold(&growing, column, most);
	}
	if (done) {
		open_small_folds(&growing);
		hang_all(&growing);
		walk(tree, &growing);
		set_folds(tree, &growing);
	} else {
		rs_tree_finish(tree);
	}
	growing_finish(&growing);
	return done;
}

void rs_tree_finish(struct rs_tree *tree)
{
	free(tree->lines);
	free(tree->folds);
	*tree = (struct rs_tree){0};
}
