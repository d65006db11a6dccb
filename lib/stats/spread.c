/* SPDX-License-Identifier: MIT */
/*
 * From a region's rows, one a thread, to those with the lowest, the median and the highest total, and
 * to how far the highest is above the average.
 */
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A thread's row. */
struct place {
	uint64_t total;
	size_t row;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* places[n]: room for all rows of the region, first on. */
static struct rs_spread spread_of(const struct rs_summary *summary, size_t first, size_t n_rows,
	size_t column, struct place *places)
{
	struct rs_spread spread = {.imbalance = NAN};
	long double sum = 0;
	size_t n = 0;
	for (size_t row = first; row < first + n_rows; row++) {
		const struct rs_summary_region *region = &summary->regions[row];
		const struct rs_value *value = &region->values[column];
		if (region->calls == 0 || !rs_value_has_total(value))
			continue;
		places[n++] = (struct place){value->total, row};
		sum += (long double)value->total;
	}
	spread.n = n;
	if (n == 0)
		return spread;
	qsort(places, n, sizeof(*places), compare);
	spread.lowest = places[0].row;
	spread.median = places[(n - 1) / 2].row;
	spread.highest = places[n - 1].row;
	if (sum > 0)
		spread.imbalance =
			(double)((long double)places[n - 1].total * (long double)n / sum);
	return spread;
}

bool rs_spread_make(struct rs_summary *summary, struct rs_arena *arena)
{
	size_t n_columns = summary->n_columns, first = 0;
	struct place *places = calloc(summary->n_regions + 1, sizeof(*places));
	summary->spreads = rs_arena_array(
		arena, summary->n_merged * n_columns, sizeof(*summary->spreads));
	for (size_t i = 0; places && summary->spreads && i < summary->n_merged; i++) {
		const char *name = summary->merged[i].name;
		size_t end = first;
		while (end < summary->n_regions && strcmp(summary->regions[end].name, name) == 0)
			end++;
		for (size_t c = 0; c < n_columns; c++)
			summary->spreads[i * n_columns + c] = spread_of(
				summary, first, end - first, c, places);
		first = end;
	}
	bool done = places && summary->spreads;
	free(places);
	return done;
}
