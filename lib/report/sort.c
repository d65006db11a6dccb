/* SPDX-License-Identifier: MIT */
/*
 * Sorting regions. In come regions as they were first seen; out comes their order by one number of
 * each, or by name.
 */
#include "report/sort.h"

#include <stdlib.h>
#include <string.h>

/* A region and what it is sorted by. */
struct place {
	const char *name; /* NULL: by the number */
	struct rs_field field;
	size_t index;
};

/* NULL: none. */
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
	if (a->kind == RS_FIELD_INTEGER)
		return (a->integer < b->integer) - (a->integer > b->integer);
	return (a->real < b->real) - (a->real > b->real);
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = a->name ? strcmp(a->name, b->name) : compare_fields(&a->field, &b->field);
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static struct place place_of(
	const struct rs_summary_region *region, size_t index, size_t column, enum rs_sort_key key)
{
	const struct rs_statistic *statistic = statistic_of(key);
	struct place place = {.index = index};
	if (key == RS_SORT_NAME)
		place.name = region->name;
	else if (statistic)
		place.field = rs_statistic_of(statistic, region, &region->values[column]);
	return place;
}

bool rs_sort_make(size_t *order, const struct rs_summary_region *regions, size_t n, size_t column,
	enum rs_sort_key key)
{
	struct place *places = calloc(n + 1, sizeof(*places));
	if (!places)
		return false;
	for (size_t i = 0; i < n; i++)
		places[i] = place_of(&regions[i], i, column, key);
	qsort(places, n, sizeof(*places), compare);
	for (size_t i = 0; i < n; i++)
		order[i] = places[i].index;
	free(places);
	return true;
}
