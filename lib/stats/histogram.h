/* SPDX-License-Identifier: MIT */
/*
 * These functions add up histograms and find quantiles in them. All histograms have the fixed
 * buckets of segment/buckets.h.
 */
#ifndef RS_STATS_HISTOGRAM_H
#define RS_STATS_HISTOGRAM_H

#include "stats/value.h"

/* Return the bucket that contains value, with the given count. */
struct rs_bucket rs_histogram_bucket(uint64_t value, uint64_t count);

/* Add up the histograms of n values and store the sum in `into`. The buckets of the sum are in
 * arena. If only one histogram has buckets, `into` borrows them. */
void rs_histogram_merge(struct rs_histogram *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena);

/* Replace the buckets of a histogram, which may belong to another run, by a copy in arena. */
void rs_histogram_own(struct rs_histogram *histogram, struct rs_arena *arena);

/* Return the sum of the counts of all buckets, which is the weight of all values. */
uint64_t rs_histogram_count(const struct rs_histogram *histogram);

/*
 * Return the quantile at millionths (1 to 1000000) by nearest rank: the value of rank
 * ceil(millionths / 1000000 * n) among the sorted values. The caller knows min and max exactly.
 * Return min for the first rank, max for the last rank, and a value between them for any other. The
 * histogram must not be empty.
 *
 * The value of a bucket is the middle of the bucket. It is exact for values below 512, and within
 * 1/512 for larger ones. But the values come from accumulators, whose buckets are wider, so the
 * values are exact only within 1/128.
 */
uint64_t rs_histogram_quantile(
	const struct rs_histogram *histogram, uint32_t millionths, uint64_t min, uint64_t max);

/* Return the largest value that the bucket of the second largest value can contain. So only the
 * largest value can exceed this bound. The histogram must have at least two values. */
uint64_t rs_histogram_second(const struct rs_histogram *histogram);

#endif
