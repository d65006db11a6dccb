/* SPDX-License-Identifier: MIT */
/*
 * Histograms on the fixed grid of segment/buckets.h: adding them up, and quantiles.
 */
#ifndef RS_STATS_HISTOGRAM_H
#define RS_STATS_HISTOGRAM_H

#include "stats/value.h"

/* Return the bucket of the grid that has a value, with a count. */
struct rs_bucket rs_histogram_bucket(uint64_t value, uint64_t count);

/* Add up the histograms of n values and fill into. Its buckets lie in arena, or are those of the only
 * histogram with buckets. */
void rs_histogram_merge(struct rs_histogram *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena);

/* Copy the buckets of a histogram, which belonged to another run, to the arena. */
void rs_histogram_own(struct rs_histogram *histogram, struct rs_arena *arena);

/* Return the number of values in a histogram, by weight. */
uint64_t rs_histogram_count(const struct rs_histogram *histogram);

/*
 * Return the quantile at millionths (1 to 1000000) by nearest rank: the value of rank
 * ceil(millionths / 1000000 * n) among the sorted values. The first rank is min and the last rank
 * is max, which the caller knows exactly. All other values lie between them. The histogram must not
 * be empty.
 *
 * A bucket has the value of its middle: exact below 512, within 1/512 above. The values in it are
 * middles of an accumulator's buckets, within 1/128.
 */
uint64_t rs_histogram_quantile(
	const struct rs_histogram *histogram, uint32_t millionths, uint64_t min, uint64_t max);

/* Return a bound that only the largest value may exceed: the largest value of the bucket that has
 * the second largest value. The histogram must have two values. */
uint64_t rs_histogram_second(const struct rs_histogram *histogram);

#endif
