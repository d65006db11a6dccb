/* SPDX-License-Identifier: MIT */
/*
 * Count, sum and sum of squares of one quantity, added up over threads without rounding, and the
 * average and deviation that follow from them.
 */
#ifndef RS_STATS_MOMENTS_H
#define RS_STATS_MOMENTS_H

#include "stats/collect.h"
#include "stats/wide.h"

/* Zeroed: nothing yet. */
struct rs_moments_sum {
	uint64_t counted; /* values in sum, square, min and max */
	uint64_t weights; /* the sum of their weights: as often each is in these two */
	rs_u128 sum;
	rs_u128 square; /* sum of squares */
	uint64_t min;
	uint64_t max;
	/* over all calls; both may be below 0 where calls are sampled */
	rs_i128 total;
	rs_i128 self;
};

/* Add what one cell holds of a quantity. counted: of how many calls; weights: the sum of their
 * weights, not less; both below RS_MAX_CALLS. */
void rs_moments_sum_add(struct rs_moments_sum *sum, const struct rs_cell_moments *moments,
	uint64_t counted, uint64_t weights);

/* The average of the counted values by their weights; 0 when there are none. */
double rs_moments_sum_average(const struct rs_moments_sum *sum);

/*
 * The standard deviation of the counted values, by their weights, as a population:
 * sqrt(weights * square - sum^2) / weights, whose difference is exact; 0 when there are none.
 */
double rs_moments_sum_deviation(const struct rs_moments_sum *sum);

#endif
