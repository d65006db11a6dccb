/* SPDX-License-Identifier: MIT */
/*
 * Histograms on the fixed grid of stats/buckets.h: adding them up, and quantiles of what they hold.
 */
#ifndef RS_STATS_HISTOGRAM_H
#define RS_STATS_HISTOGRAM_H

#include "stats/value.h"

/* The bucket of the grid that has a value, with a count. */
struct rs_bucket rs_histogram_bucket(uint64_t value, uint64_t count);

/* Add up n histograms. into: filled, in arena; where only one has buckets, its buckets. False: no
 * memory. */
bool rs_histogram_merge(struct rs_histogram *into, const struct rs_histogram *const *from, size_t n,
	struct rs_arena *arena);

/* How many values it has, by weight. */
uint64_t rs_histogram_count(const struct rs_histogram *histogram);

/*
 * The quantile at millionths (1 to 1000000) by nearest rank: the value of rank ceil(millionths /
 * 1000000 * n) among the sorted values. Exact below 512, within 1/512 of the value above. A
 * bucket's value is its middle, and the values in it are middles of an accumulator's buckets,
 * within 1/128. The first rank is min and the last is max, which the caller knows exactly, and all
 * others lie between them. The histogram must not be empty.
 */
uint64_t rs_histogram_quantile(
	const struct rs_histogram *histogram, uint32_t millionths, uint64_t min, uint64_t max);

/* No value but one is more than this: the greatest that the bucket of the second greatest has. There
 * must be two values at least. */
uint64_t rs_histogram_second(const struct rs_histogram *histogram);

#endif
