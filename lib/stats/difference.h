/* SPDX-License-Identifier: MIT */
/*
 * Differences of values: what was added between two looks at one run. Intervals and periods consist of
 * them.
 *
 * Later estimates may be smaller than earlier ones, because sampling and the length of a tick are
 * known better. Such a number is 0 in the difference until it exceeds the sum of earlier differences.
 */
#ifndef RS_STATS_DIFFERENCE_H
#define RS_STATS_DIFFERENCE_H

#include "stats/value.h"

/* Return what is new, and add it to the sum. is_last: also subtract a number that became smaller. The
 * difference is a two's complement then. */
static inline uint64_t rs_advance(uint64_t *sum, uint64_t now, bool is_last)
{
	uint64_t before = *sum;
	if (now < before && !is_last)
		return 0;
	*sum = now;
	return now - before;
}

/*
 * Make part, which is new since sum, and add its integers to sum. self of both, and square and
 * histogram of sum, are left to the caller. min and max of part are the middles of its outermost buckets,
 * unless the run's own extremes are in it. The buckets of part lie in arena. is_last: see
 * rs_advance().
 */
void rs_value_subtract(struct rs_value *part, struct rs_value *sum, const struct rs_value *now,
	bool is_last, struct rs_arena *arena);

#endif
