/* SPDX-License-Identifier: MIT */
/*
 * This file adds histograms and computes quantiles. Histograms are ascending buckets of one fixed
 * grid, so equal buckets can be added.
 */
#include "stats/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "segment/buckets.h"

#define WHOLE 1000000u

/* Return a bucket of the grid by its number. */
static struct rs_bucket numbered_bucket(uint32_t bucket, uint64_t count)
{
	uint64_t low = rs_bucket_low(bucket), high = low;
	rs_add_saturating(&high, rs_bucket_width(bucket));
	return (struct rs_bucket){.low = low, .high = high, .count = count};
}

struct rs_bucket rs_histogram_bucket(uint64_t value, uint64_t count)
{
	return numbered_bucket(rs_bucket_of(value), count);
}

/* Write the buckets of the grid that have counts, from bucket number `first` on. */
static bool fill_buckets(struct rs_histogram *histogram, const uint64_t *counts, uint32_t first,
	size_t n_counts, struct rs_arena *arena)
{
	size_t n = 0;
	for (size_t i = 0; i < n_counts; i++)
		n += counts[i] > 0;
	histogram->buckets = rs_arena_array(arena, n, sizeof(*histogram->buckets));
	for (size_t i = 0; histogram->buckets && i < n_counts; i++)
		if (counts[i] > 0)
			histogram->buckets[histogram->n++] = numbered_bucket(
				first + (uint32_t)i, counts[i]);
	return histogram->buckets;
}

bool rs_histogram_merge(struct rs_histogram *into, const struct rs_histogram *const *from, size_t n,
	struct rs_arena *arena)
{
	struct rs_histogram sum = {0};
	const struct rs_histogram *last_used = NULL;
	size_t n_used = 0;
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < n; i++) {
		sum.incomplete |= from[i]->incomplete;
		if (from[i]->n == 0)
			continue;
		last_used = from[i];
		n_used++;
		uint32_t low = rs_bucket_of(from[i]->buckets[0].low);
		uint32_t high = rs_bucket_of(from[i]->buckets[from[i]->n - 1].low);
		first = low < first ? low : first;
		last = high > last ? high : last;
	}
	if (n_used <= 1) {
		sum.buckets = last_used ? last_used->buckets : NULL;
		sum.n = last_used ? last_used->n : 0;
		*into = sum;
		return true;
	}
	uint64_t *counts = calloc((size_t)last - first + 1, sizeof(*counts));
	if (!counts)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < from[i]->n; b++)
			rs_add_saturating(&counts[rs_bucket_of(from[i]->buckets[b].low) - first],
				from[i]->buckets[b].count);
	bool done = fill_buckets(&sum, counts, first, (size_t)last - first + 1, arena);
	if (done)
		*into = sum;
	free(counts);
	return done;
}

bool rs_histogram_own(struct rs_histogram *histogram, struct rs_arena *arena)
{
	histogram->buckets = rs_arena_copy(
		arena, histogram->buckets, histogram->n, sizeof(*histogram->buckets));
	return histogram->buckets;
}

uint64_t rs_histogram_count(const struct rs_histogram *histogram)
{
	uint64_t n = 0;
	for (size_t i = 0; i < histogram->n; i++)
		rs_add_saturating(&n, histogram->buckets[i].count);
	return n;
}

/* Return the bucket that has the value of a rank. Ranks begin at 1. */
static const struct rs_bucket *bucket_of_rank(const struct rs_histogram *histogram, uint64_t rank)
{
	uint64_t before = 0;
	for (size_t i = 0; i < histogram->n; i++) {
		rs_add_saturating(&before, histogram->buckets[i].count);
		if (before >= rank)
			return &histogram->buckets[i];
	}
	return &histogram->buckets[histogram->n - 1];
}

uint64_t rs_histogram_quantile(
	const struct rs_histogram *histogram, uint32_t millionths, uint64_t min, uint64_t max)
{
	uint64_t n = rs_histogram_count(histogram);
	uint64_t rank = (uint64_t)(((unsigned __int128)n * millionths + WHOLE - 1) / WHOLE);
	if (rank == n) /* the largest and the smallest value are known exactly */
		return max;
	if (rank == 1)
		return min;
	const struct rs_bucket *bucket = bucket_of_rank(histogram, rank);
	uint64_t middle = bucket->low + (bucket->high - bucket->low - 1) / 2;
	if (middle < min)
		return min;
	return middle > max ? max : middle;
}

uint64_t rs_histogram_second(const struct rs_histogram *histogram)
{
	return bucket_of_rank(histogram, rs_histogram_count(histogram) - 1)->high - 1;
}
