/* SPDX-License-Identifier: MIT */
/*
 * Sorting regions. In come regions as they were first seen; out comes their order by one number of
 * each, or by name.
 */
#include "report/sort.h"

#include <stdlib.h>
#include <string.h>

#include "report/statistic.h"

/* A region and what it is sorted by. */
struct place {
	const char *name; /* NULL: by the number */
	struct rs_number number;
	size_t index;
};

/* Keys that are statistics say which. */
static const struct {
	const char *word;
	enum rs_statistic_index statistic; /* RS_STATISTIC_N: none */
} keys[RS_SORT_N] = {
	[RS_SORT_USUAL] = {NULL, RS_STATISTIC_TOTAL},
	[RS_SORT_SELF] = {"self", RS_STATISTIC_SELF_TOTAL},
	[RS_SORT_TOTAL] = {"total", RS_STATISTIC_TOTAL},
	[RS_SORT_CALLS] = {"calls", RS_STATISTIC_N},
	[RS_SORT_AVG] = {"avg", RS_STATISTIC_AVG},
	[RS_SORT_MIN] = {"min", RS_STATISTIC_MIN},
	[RS_SORT_P50] = {"p50", RS_STATISTIC_P50},
	[RS_SORT_P90] = {"p90", RS_STATISTIC_P90},
	[RS_SORT_P99] = {"p99", RS_STATISTIC_P99},
	[RS_SORT_MAX] = {"max", RS_STATISTIC_MAX},
	[RS_SORT_STDDEV] = {"stddev", RS_STATISTIC_STDDEV},
	[RS_SORT_NAME] = {"name", RS_STATISTIC_N},
	[RS_SORT_ORDER] = {"order", RS_STATISTIC_N},
};

const char *rs_sort_word(enum rs_sort_key key)
{
	return keys[key].word;
}

bool rs_sort_find(enum rs_sort_key *key, const char *word)
{
	for (int i = RS_SORT_USUAL + 1; i < RS_SORT_N; i++) {
		if (strcmp(keys[i].word, word) != 0)
			continue;
		*key = (enum rs_sort_key)i;
		return true;
	}
	return false;
}

static int compare_numbers(const struct rs_number *a, const struct rs_number *b)
{
	if (a->kind == RS_NUMBER_NONE || b->kind == RS_NUMBER_NONE)
		return (a->kind == RS_NUMBER_NONE) - (b->kind == RS_NUMBER_NONE);
	if (a->kind == RS_NUMBER_INTEGER)
		return (a->integer < b->integer) - (a->integer > b->integer);
	return (a->real < b->real) - (a->real > b->real);
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = a->name ? strcmp(a->name, b->name) : compare_numbers(&a->number, &b->number);
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static struct place place_of(
	const struct rs_summary_region *region, size_t index, size_t column, enum rs_sort_key key)
{
	struct place place = {.index = index};
	if (key == RS_SORT_NAME)
		place.name = region->name;
	else if (key == RS_SORT_CALLS)
		place.number = rs_number_of_integer(region->calls);
	else if (keys[key].statistic != RS_STATISTIC_N)
		place.number = rs_statistic_of(&region->values[column], keys[key].statistic);
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
