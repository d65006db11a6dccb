/* SPDX-License-Identifier: MIT */
/*
 * Sums of log-linear histograms, and their quantiles: a dense array of counts, with a bit for each
 * octave in use so that clearing and searching cost what was used and no more.
 */
#include "stats/histogram.h"

#include <string.h>

#define WHOLE 1000000u

void rs_histogram_sum_clear(struct rs_histogram_sum *sum)
{
	for (uint64_t octaves = sum->octaves; octaves != 0; octaves &= octaves - 1) {
		unsigned octave = (unsigned)__builtin_ctzll(octaves);
		memset(&sum->counts[octave * RS_OCTAVE_BUCKETS], 0,
			RS_OCTAVE_BUCKETS * sizeof(uint64_t));
	}
	sum->octaves = 0;
	sum->n = 0;
}

bool rs_histogram_sum_add(struct rs_histogram_sum *sum, uint32_t bucket, uint64_t count)
{
	uint64_t n;
	if (__builtin_add_overflow(sum->n, count, &n))
		return false;
	sum->n = n;
	sum->counts[bucket] += count;
	sum->octaves |= UINT64_C(1) << bucket / RS_OCTAVE_BUCKETS;
	return true;
}

void rs_histogram_sum_merge(struct rs_histogram_sum *sum, const struct rs_histogram *histogram)
{
	for (size_t i = 0; i < histogram->n; i++)
		rs_histogram_sum_add(sum, histogram->buckets[i], histogram->counts[i]);
}

/* The bucket that holds the value of a rank, counted from 1. */
static uint32_t bucket_of_rank(const struct rs_histogram_sum *sum, uint64_t rank)
{
	uint64_t before = 0;
	uint32_t last = 0;
	for (uint64_t octaves = sum->octaves; octaves != 0; octaves &= octaves - 1) {
		uint32_t first = (uint32_t)__builtin_ctzll(octaves) * RS_OCTAVE_BUCKETS;
		for (uint32_t bucket = first; bucket < first + RS_OCTAVE_BUCKETS; bucket++) {
			if (sum->counts[bucket] == 0)
				continue;
			last = bucket;
			before += sum->counts[bucket];
			if (before >= rank)
				return bucket;
		}
	}
	return last;
}

uint64_t rs_histogram_sum_quantile(
	const struct rs_histogram_sum *sum, unsigned percent, uint64_t min, uint64_t max)
{
	return rs_histogram_sum_millionths(sum, percent * (WHOLE / 100), min, max);
}

uint64_t rs_histogram_sum_millionths(
	const struct rs_histogram_sum *sum, uint32_t millionths, uint64_t min, uint64_t max)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)sum->n * millionths + WHOLE - 1) / WHOLE);
	if (rank == sum->n) /* the greatest of all: it is known exactly, as is the least */
		return max;
	if (rank == 1)
		return min;
	uint32_t bucket = bucket_of_rank(sum, rank);
	uint64_t middle = rs_bucket_low(bucket) + (rs_bucket_width(bucket) - 1) / 2;
	if (middle < min)
		return min;
	return middle > max ? max : middle;
}

uint64_t rs_histogram_sum_second(const struct rs_histogram_sum *sum)
{
	uint32_t bucket = bucket_of_rank(sum, sum->n - 1);
	return rs_bucket_low(bucket) + (rs_bucket_width(bucket) - 1);
}
