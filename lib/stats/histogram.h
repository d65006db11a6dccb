/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histograms: adding them up bucket by bucket, and quantiles of what they hold. The
 * buckets are those of lib/segment/layout.h.
 */
#ifndef RS_STATS_HISTOGRAM_H
#define RS_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/collect.h"

#define RS_HISTOGRAM_BUCKETS (RS_OCTAVES * RS_OCTAVE_BUCKETS)

/* A histogram that can be added to. Zeroed: empty. */
struct rs_histogram_sum {
	uint64_t octaves; /* bit o: octave o may have counts */
	uint64_t n; /* sum of all counts */
	uint64_t counts[RS_HISTOGRAM_BUCKETS];
};
static_assert(RS_OCTAVES <= 64, "an octave is a bit");

/* Empty it; what was never used costs nothing. */
void rs_histogram_sum_clear(struct rs_histogram_sum *sum);

/* Add count values of one bucket (below RS_HISTOGRAM_BUCKETS). False, nothing changed: more than
 * 2^64 - 1 values in all. */
bool rs_histogram_sum_add(struct rs_histogram_sum *sum, uint32_t bucket, uint64_t count);

/* Add a validated histogram; what overflows is left out. */
void rs_histogram_sum_merge(struct rs_histogram_sum *sum, const struct rs_histogram *histogram);

/*
 * The quantile at percent (1 to 100) by nearest rank: the value of rank ceil(percent/100 * n)
 * among the sorted values. Exact below 256, within 1/512 of the value above: a bucket's middle
 * stands for its values, which are themselves middles of an accumulator's buckets, within 1/128. The first rank is min and the last is max, which the caller knows exactly,
 * and all others lie between them. n must not be 0.
 */
uint64_t rs_histogram_sum_quantile(
	const struct rs_histogram_sum *sum, unsigned percent, uint64_t min, uint64_t max);

/* No value but one is more than this: the greatest that the bucket of the second greatest has. n must
 * be 2 at least. */
uint64_t rs_histogram_sum_second(const struct rs_histogram_sum *sum);
/* The same at millionths, 1 to 1000000. */
uint64_t rs_histogram_sum_millionths(
	const struct rs_histogram_sum *sum, uint32_t millionths, uint64_t min, uint64_t max);

#endif
