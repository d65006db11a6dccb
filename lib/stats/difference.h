/* SPDX-License-Identifier: MIT */
/*
 * Differences of values: how much was added to them between two collections of one run. Intervals
 * (interval.h) and periods (period.h) consist of such differences.
 *
 * An estimate may become smaller, because a later collection knows the length of a tick and the
 * weights of sampled calls better. The difference is then 0, until the estimate exceeds the sum of
 * all earlier differences.
 */
#ifndef RS_STATS_DIFFERENCE_H
#define RS_STATS_DIFFERENCE_H

#include "stats/value.h"

/* Return how much now exceeds *sum, and set *sum to now. If now is smaller, return 0 and keep *sum.
 * If is_last is set, return the negative difference instead, as two's complement. */
static inline uint64_t rs_advance(uint64_t *sum, uint64_t now, bool is_last)
{
	uint64_t before = *sum;
	if (now < before && !is_last)
		return 0;
	*sum = now;
	return now - before;
}

/*
 * Set part to the difference of now and sum, and add the integers of part to sum. The caller sets
 * self of both, and square and histogram of sum. min of part is the middle of its lowest bucket. If
 * it is also the lowest bucket of the whole run, min is the exact min of the run. The same is true
 * for max and the highest bucket. The buckets of part are in arena. is_last: see rs_advance().
 */
void rs_value_subtract(struct rs_value *part, struct rs_value *sum, const struct rs_value *now,
	bool is_last, struct rs_arena *arena);

#endif
