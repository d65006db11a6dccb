/* SPDX-License-Identifier: MIT */
/*
 * This file selects and sorts the regions of a report. It reads the view that options describe. For
 * tables with limited space, it also chooses the regions with the most on-CPU time.
 */
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "report/report.h"

bool rs_view_has(const struct rs_view *view, const char *name)
{
	for (size_t i = 0; i < view->globs.n; i++)
		if (rs_glob_matches(view->globs.items[i], name))
			return true;
	return view->globs.n == 0;
}

size_t rs_view_column(const struct rs_view *view, const struct rs_summary *summary)
{
	for (size_t c = RS_EVENT_CPU_TIME; view->by && c < summary->n_columns; c++)
		if (summary->columns[c].in_regions &&
			strcmp(summary->columns[c].name, view->by) == 0)
			return c;
	return 0;
}

/* ---- order ---- */

/* A region and the value by which it is sorted. */
struct sorted {
	struct rs_field field;
	size_t index;
};

/* Return the statistic by which a key sorts, or NULL if the key does not name a statistic. */
static const struct rs_statistic *statistic_of(enum rs_sort_key key)
{
	if (key == RS_SORT_USUAL)
		return &rs_statistics[RS_STATISTIC_TOTAL];
	return key < RS_SORT_NAME ? &rs_statistics[key - RS_SORT_STATISTIC] : NULL;
}

const char *rs_sort_word(enum rs_sort_key key)
{
	const struct rs_statistic *statistic = statistic_of(key);
	if (!statistic)
		return key == RS_SORT_NAME ? "name" : "order";
	return key != RS_SORT_USUAL && statistic->in & RS_IN_SORT ? rs_statistic_title(statistic)
								  : NULL;
}

bool rs_sort_find(enum rs_sort_key *key, const char *word)
{
	for (int i = 0; i < RS_SORT_N; i++) {
		const char *known = rs_sort_word((enum rs_sort_key)i);
		if (!known || strcmp(known, word) != 0)
			continue;
		*key = (enum rs_sort_key)i;
		return true;
	}
	return false;
}

static int compare_fields(const struct rs_field *a, const struct rs_field *b)
{
	if (a->kind == RS_FIELD_ABSENT || b->kind == RS_FIELD_ABSENT)
		return (a->kind == RS_FIELD_ABSENT) - (b->kind == RS_FIELD_ABSENT);
	if (a->kind == RS_FIELD_TEXT)
		return strcmp(a->text, b->text);
	if (a->kind == RS_FIELD_INTEGER)
		return (a->integer < b->integer) - (a->integer > b->integer);
	return (a->real < b->real) - (a->real > b->real);
}

static int compare(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	int order = compare_fields(&a->field, &b->field);
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

void rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key, struct rs_arena *arena)
{
	const struct rs_statistic *statistic = statistic_of(key);
	struct sorted *places = rs_arena_array(arena, n, sizeof(*places));
	for (size_t i = 0; i < n; i++) {
		places[i].index = i;
		if (key == RS_SORT_NAME)
			places[i].field = rs_field_of_text(regions[i].name);
		else if (statistic)
			places[i].field = rs_statistic_of(
				statistic, &regions[i], &regions[i].values[column]);
	}
	qsort(places, n, sizeof(*places), compare);
	for (size_t i = 0; i < n; i++)
		order[i] = places[i].index;
}

/* ---- choice ---- */

/* Sort regions by on-CPU self time, because events say little about waiting. If it is unknown, use
 * the total self time. */
static void sort_by_cpu(
	size_t *regions, size_t n, const struct rs_summary *summary, struct rs_arena *arena)
{
	struct sorted *places = rs_arena_array(arena, n, sizeof(*places));
	size_t *usual = rs_arena_copy(arena, regions, n, sizeof(*regions));
	for (size_t i = 0; i < n; i++) {
		const struct rs_value *values = summary->regions[regions[i]].values;
		bool has_cpu = rs_value_has_total(&values[RS_EVENT_CPU_TIME]);
		places[i].index = i;
		places[i].field = rs_field_of_integer(
			rs_value_self(&values[has_cpu ? RS_EVENT_CPU_TIME : RS_EVENT_TIME]));
	}
	qsort(places, n, sizeof(*places), compare);
	for (size_t i = 0; i < n; i++)
		regions[i] = usual[places[i].index];
}

void rs_choice_make(struct rs_choice *choice, const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena)
{
	const struct rs_view *view = &options->view;
	size_t n = 0, column = rs_view_column(view, summary);
	*choice = (struct rs_choice){0};
	choice->regions = rs_arena_array(arena, summary->n_regions, sizeof(*choice->regions));
	rs_sort_make(
		choice->regions, summary->regions, summary->n_regions, column, view->sort, arena);
	if (column == 0 && view->sort == RS_SORT_USUAL)
		sort_by_cpu(choice->regions, summary->n_regions, summary, arena);
	for (size_t i = 0; i < summary->n_regions; i++)
		if (rs_view_has(view, summary->regions[choice->regions[i]].name))
			choice->regions[n++] = choice->regions[i];
	choice->n_regions = n;
	if (view->top > 0 && view->top < n && !options->all)
		choice->n_regions = view->top;
}

void rs_choice_limit(struct rs_choice *choice, size_t most)
{
	if (choice->n_regions <= most)
		return;
	choice->n_not_shown += choice->n_regions - most;
	choice->n_regions = most;
}
