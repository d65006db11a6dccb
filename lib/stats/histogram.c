/* SPDX-License-Identifier: MIT */
/*
 * This file adds histograms and computes quantiles. Histograms are ascending buckets of one fixed
 * grid, so equal buckets can be added.
 */
#include "stats/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "stats/buckets.h"

#define WHOLE 1000000u

struct rs_bucket rs_histogram_bucket(uint64_t value, uint64_t count)
{
	uint32_t bucket = rs_bucket_of(value);
	uint64_t low = rs_bucket_low(bucket), high = low;
	rs_add_saturating(&high, rs_bucket_width(bucket));
	return (struct rs_bucket){.low = low, .high = high, .count = count};
}

static int compare_buckets(const void *left, const void *right)
{
	const struct rs_bucket *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* Join equal buckets of all[n], which are in ascending order. Return the number of buckets that
 * remain. */
static size_t join(struct rs_bucket *all, size_t n)
{
	size_t n_joined = 0;
	for (size_t i = 0; i < n; i++) {
		if (n_joined > 0 && all[n_joined - 1].low == all[i].low)
			rs_add_saturating(&all[n_joined - 1].count, all[i].count);
		else
			all[n_joined++] = all[i];
	}
	return n_joined;
}

bool rs_histogram_merge(struct rs_histogram *into, const struct rs_histogram *const *from, size_t n,
	struct rs_arena *arena)
{
	struct rs_histogram sum = {0};
	const struct rs_histogram *last = NULL;
	size_t n_used = 0, n_all = 0;
	for (size_t i = 0; i < n; i++) {
		sum.incomplete |= from[i]->incomplete;
		if (from[i]->n == 0)
			continue;
		last = from[i];
		n_used++;
		n_all += from[i]->n;
	}
	if (n_used <= 1) {
		sum.buckets = last ? last->buckets : NULL;
		sum.n = last ? last->n : 0;
		*into = sum;
		return true;
	}
	struct rs_bucket *all = reallocarray(NULL, n_all, sizeof(*all)), *next = all;
	if (!all)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (from[i]->n > 0)
			memcpy(next, from[i]->buckets, from[i]->n * sizeof(*all));
		next += from[i]->n;
	}
	qsort(all, n_all, sizeof(*all), compare_buckets);
	sum.n = join(all, n_all);
	sum.buckets = rs_arena_array(arena, sum.n, sizeof(*sum.buckets));
	if (sum.buckets) {
		memcpy(sum.buckets, all, sum.n * sizeof(*all));
		*into = sum;
	}
	free(all);
	return sum.buckets;
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
