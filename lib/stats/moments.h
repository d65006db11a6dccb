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
	rs_u128 sum;
	rs_u128 square; /* sum of squares */
	uint64_t min;
	uint64_t max;
	rs_u128 total; /* over all calls */
	rs_i128 self;
};

/* Add what one cell holds of a quantity. counted: of how many calls, less than RS_MAX_CALLS. */
void rs_moments_sum_add(
	struct rs_moments_sum *sum, const struct rs_cell_moments *moments, uint64_t counted);

/* The average of the counted values; 0 when there are none. */
double rs_moments_sum_average(const struct rs_moments_sum *sum);

/*
 * The standard deviation of the counted values as a population:
 * sqrt(counted * square - sum^2) / counted, whose difference is exact; 0 when there are none.
 */
double rs_moments_sum_deviation(const struct rs_moments_sum *sum);

#endif
