/* SPDX-License-Identifier: MIT */
/*
 * This file adds histograms and computes quantiles. All histograms have the same fixed buckets in
 * ascending order, so the counts of equal buckets can be added.
 */
#include "stats/histogram.h"

#include "segment/buckets.h"

#define WHOLE 1000000u

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

/* Add up all histograms. first, last: the lowest and the highest bucket number that they
 * contain. */
static void add_buckets(struct rs_histogram *sum, const struct rs_value *const *from, size_t n,
	uint32_t first, uint32_t last, struct rs_arena *arena)
{
	struct rs_arena scratch = {0};
	uint64_t *counts = rs_arena_array(&scratch, last - first + 1, sizeof(*counts));
	size_t n_counts = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < from[i]->histogram.n; b++) {
			const struct rs_bucket *bucket = &from[i]->histogram.buckets[b];
			uint64_t *count = &counts[rs_bucket_of(bucket->low) - first];
			n_counts += *count == 0;
			rs_add_saturating(count, bucket->count);
		}
	sum->buckets = rs_arena_array(arena, n_counts, sizeof(*sum->buckets));
	sum->n = 0;
	for (uint32_t i = first; i <= last; i++)
		if (counts[i - first] > 0)
			sum->buckets[sum->n++] = numbered_bucket(i, counts[i - first]);
	rs_arena_finish(&scratch);
}

void rs_histogram_merge(struct rs_histogram *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena)
{
	struct rs_histogram sum = {0};
	bool is_incomplete = false;
	size_t n_used = 0;
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < n; i++) {
		const struct rs_histogram *own = &from[i]->histogram;
		is_incomplete |= own->incomplete;
		if (own->n == 0)
			continue;
		sum = *own;
		n_used++;
		uint32_t low = rs_bucket_of(own->buckets[0].low);
		uint32_t high = rs_bucket_of(own->buckets[own->n - 1].low);
		first = low < first ? low : first;
		last = high > last ? high : last;
	}
	if (n_used > 1)
		add_buckets(&sum, from, n, first, last, arena);
	sum.incomplete = is_incomplete;
	*into = sum;
}

void rs_histogram_own(struct rs_histogram *histogram, struct rs_arena *arena)
{
	histogram->buckets = rs_arena_copy(
		arena, histogram->buckets, histogram->n, sizeof(*histogram->buckets));
}

uint64_t rs_histogram_count(const struct rs_histogram *histogram)
{
	uint64_t n = 0;
	for (size_t i = 0; i < histogram->n; i++)
		rs_add_saturating(&n, histogram->buckets[i].count);
	return n;
}

/* Return the bucket that contains the value of a rank among the sorted values. Ranks begin at 1. */
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
	uint64_t middle = rs_bucket_middle(bucket);
	if (middle < min)
		return min;
	return middle > max ? max : middle;
}

uint64_t rs_histogram_second(const struct rs_histogram *histogram)
{
	return bucket_of_rank(histogram, rs_histogram_count(histogram) - 1)->high - 1;
}
