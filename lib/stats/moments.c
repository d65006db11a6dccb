/* SPDX-License-Identifier: MIT */
/*
 * Exact sums and what follows from them. Counts, sums and sums of squares are integers to the
 * end, so values of 1e9 that differ by 1 keep their deviation; only the last root and quotient
 * round.
 */
#include "stats/moments.h"

#include <math.h>

void rs_moments_sum_add(struct rs_moments_sum *sum, const struct rs_cell_moments *moments,
	uint64_t counted, uint64_t weights)
{
	sum->total += (int64_t)moments->total;
	sum->self += moments->self;
	if (counted == 0)
		return;
	if (sum->counted == 0 || moments->min < sum->min)
		sum->min = moments->min;
	if (moments->max > sum->max)
		sum->max = moments->max;
	sum->counted += counted;
	sum->weights += weights;
	sum->sum += moments->sum;
	if (__builtin_add_overflow(sum->square, moments->square, &sum->square))
		sum->square = ~(rs_u128)0;
}

double rs_moments_sum_average(const struct rs_moments_sum *sum)
{
	if (sum->counted == 0)
		return 0;
	return (double)((long double)sum->sum / (long double)sum->weights);
}

double rs_moments_sum_deviation(const struct rs_moments_sum *sum)
{
	if (sum->counted == 0)
		return 0;
	struct rs_wide squares = rs_wide_multiply(sum->square, sum->weights);
	struct rs_wide square = rs_wide_multiply(sum->sum, sum->sum);
	struct rs_wide difference = rs_wide_subtract(squares, square);
	return (double)(sqrtl(rs_wide_to_real(difference)) / (long double)sum->weights);
}
