/* SPDX-License-Identifier: MIT */
/*
 * From histograms to steps. The buckets of all threads are added up, and as many of them as keep the
 * steps few make one: all steps of a distribution hold equally many buckets, so that they grow with
 * the values.
 */
#include "stats/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "segment/cell.h"
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

static const struct rs_histogram *histogram_of(const struct rs_collection *collection,
	const struct rs_cell_copy *cell, uint32_t quantity, bool is_cpu_time)
{
	return is_cpu_time ? &rs_collection_cpu_time(collection, cell)->histogram
			   : &cell->moments[quantity].histogram;
}

/* False: on-CPU time of some calls is not known. */
static bool add_up(struct rs_histogram_sum *sum, const struct rs_collection *collection,
	uint32_t region, const uint32_t *quantities, size_t n, bool is_cpu_time)
{
	for (size_t i = 0; i < collection->n_cells; i++) {
		const struct rs_cell_copy *cell = &collection->cells[i];
		if (!is_of(collection, cell, region))
			continue;
		if (is_cpu_time && !cell->is_watched && cell->calls > 0)
			return false;
		for (size_t q = 0; q < n; q++)
			rs_histogram_sum_merge(
				sum, histogram_of(collection, cell, quantities[q], is_cpu_time));
	}
	return true;
}

/* The first and the last bucket in use. False: there is none. */
static bool find_ends(const struct rs_histogram_sum *sum, uint32_t *first, uint32_t *last)
{
	bool any = false;
	for (uint32_t bucket = 0; bucket < RS_HISTOGRAM_BUCKETS; bucket++) {
		if (sum->counts[bucket] == 0)
			continue;
		*first = any ? *first : bucket;
		*last = bucket;
		any = true;
	}
	return any;
}

static uint64_t in_unit(uint64_t value, const struct rs_ticks *rate)
{
	return rate ? rs_ticks_to_ns(rate, value) : value;
}

static bool make_steps(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_histogram_sum *sum, const struct rs_ticks *rate)
{
	uint32_t first = 0, last = 0;
	unsigned shift = 0;
	if (!find_ends(sum, &first, &last))
		return true;
	while ((last >> shift) - (first >> shift) >= MOST_STEPS)
		shift++;
	distribution->n_steps = (last >> shift) - (first >> shift) + 1;
	distribution->steps = rs_arena_array(
		arena, distribution->n_steps, sizeof(*distribution->steps));
	if (!distribution->steps)
		return false;
	for (size_t i = 0; i < distribution->n_steps; i++) {
		struct rs_distribution_step *step = &distribution->steps[i];
		uint32_t from = ((first >> shift) + (uint32_t)i) << shift;
		uint32_t to = from + (UINT32_C(1) << shift) - 1;
		to = to < RS_HISTOGRAM_BUCKETS ? to : RS_HISTOGRAM_BUCKETS - 1;
		step->low = in_unit(rs_bucket_low(from), rate);
		step->high = in_unit(rs_bucket_low(to) + (rs_bucket_width(to) - 1), rate);
		for (uint32_t bucket = from; bucket <= to; bucket++)
			step->calls += sum->counts[bucket];
		if (step->calls > distribution->most)
			distribution->most = step->calls;
	}
	distribution->calls = sum->n;
	return true;
}

bool rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_collection *collection, uint32_t region, const uint32_t *quantities,
	size_t n, const struct rs_ticks *rate)
{
	struct rs_histogram_sum *sum = calloc(1, sizeof(*sum));
	if (!sum)
		return false;
	bool done = !add_up(sum, collection, region, quantities, n, distribution->is_cpu_time) ||
		    make_steps(distribution, arena, sum, rate);
	free(sum);
	return done;
}
