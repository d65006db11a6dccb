/* SPDX-License-Identifier: MIT */
/*
 * From histograms to steps. The buckets of all threads are added up, and as many of them as keep the
 * steps few make one: all steps of a distribution hold equally many buckets, so that they grow with
 * the values.
 */
#include "stats/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "stats/buckets.h"
#include "stats/histogram.h"

#define MOST_STEPS 24u

static bool is_region(
	const struct rs_collection *collection, const char *wish, size_t length, uint32_t *region)
{
	for (size_t i = 0; i < collection->n_regions; i++) {
		const struct rs_region_copy *copy = &collection->regions[i];
		if (!copy->ready || strlen(copy->name) != length ||
			memcmp(copy->name, wish, length) != 0)
			continue;
		*region = (uint32_t)i;
		return true;
	}
	return false;
}

static bool is_column(
	const struct rs_summary *summary, const char *name, struct rs_distribution *distribution)
{
	distribution->is_cpu_time = strcmp(name, "cpu-time") == 0;
	if (distribution->is_cpu_time)
		return true;
	for (size_t c = 0; c < summary->n_columns; c++) {
		if ((c > 0 && !summary->columns[c].in_regions) ||
			strcmp(summary->columns[c].name, name) != 0)
			continue;
		distribution->column = c;
		return true;
	}
	return false;
}

bool rs_distribution_find(const struct rs_summary *summary, const struct rs_collection *collection,
	const char *wish, uint32_t *region, struct rs_distribution *distribution)
{
	distribution->column = 0;
	if (is_region(collection, wish, strlen(wish), region))
		return true;
	for (const char *colon = strchr(wish, ':'); colon; colon = strchr(colon + 1, ':'))
		if (is_region(collection, wish, (size_t)(colon - wish), region) &&
			is_column(summary, colon + 1, distribution))
			return true;
	return false;
}

/* Whether a cell has calls of a region, which may be kept apart by their work. */
static bool is_of(
	const struct rs_collection *collection, const struct rs_cell_copy *cell, uint32_t region)
{
	return cell->region == region || rs_collection_owner(collection, cell->region) == region;
}

/* The histograms of a region's calls: histograms[], room for all. false: on-CPU time of some calls is
 * not known. */
static bool find_histograms(const struct rs_histogram **histograms, size_t *n_found,
	const struct rs_collection *collection, uint32_t region, const uint32_t *quantities,
	size_t n, bool is_cpu_time)
{
	*n_found = 0;
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		if (!is_of(collection, cell, region))
			continue;
		if (is_cpu_time && cell->values[RS_EVENT_CPU_TIME].status != RS_VALUE_OK)
			return false;
		for (size_t q = 0; q < n; q++) {
			uint32_t event = is_cpu_time ? RS_EVENT_CPU_TIME
						     : rs_event_of_quantity(quantities[q]);
			histograms[(*n_found)++] = &cell->values[event].histogram;
		}
	}
	return true;
}

/* Steps of equally many buckets of the grid. False: no memory. */
static bool make_steps(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_histogram *sum)
{
	unsigned shift = 0;
	if (sum->n == 0)
		return true;
	uint32_t first = rs_bucket_of(sum->buckets[0].low);
	uint32_t last = rs_bucket_of(sum->buckets[sum->n - 1].low);
	while ((last >> shift) - (first >> shift) >= MOST_STEPS)
		shift++;
	distribution->n_steps = (last >> shift) - (first >> shift) + 1;
	distribution->steps = rs_arena_array(
		arena, distribution->n_steps, sizeof(*distribution->steps));
	if (!distribution->steps)
		return false;
	for (size_t i = 0; i < distribution->n_steps; i++) {
		uint32_t from = ((first >> shift) + (uint32_t)i) << shift;
		uint32_t to = from + (UINT32_C(1) << shift) - 1;
		to = to < RS_HISTOGRAM_BUCKETS ? to : RS_HISTOGRAM_BUCKETS - 1;
		distribution->steps[i].low = rs_bucket_low(from);
		distribution->steps[i].high = rs_bucket_low(to) + (rs_bucket_width(to) - 1);
	}
	for (size_t b = 0; b < sum->n; b++) {
		uint32_t place = (rs_bucket_of(sum->buckets[b].low) >> shift) - (first >> shift);
		rs_add_saturating(&distribution->steps[place].calls, sum->buckets[b].count);
		if (distribution->steps[place].calls > distribution->most)
			distribution->most = distribution->steps[place].calls;
	}
	distribution->calls = rs_histogram_count(sum);
	return true;
}

bool rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_collection *collection, uint32_t region, const uint32_t *quantities,
	size_t n)
{
	const struct rs_histogram **histograms = calloc(
		collection->n_cells * n + 1, sizeof(*histograms));
	struct rs_histogram sum;
	size_t n_found;
	if (!histograms)
		return false;
	bool is_known = find_histograms(
		histograms, &n_found, collection, region, quantities, n, distribution->is_cpu_time);
	bool done = !is_known || (rs_histogram_merge(&sum, histograms, n_found, arena) &&
					 make_steps(distribution, arena, &sum));
	free(histograms);
	return done;
}
