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

/* Return by how much `now` exceeds *sum, and set *sum to `now`. If `now` is smaller than *sum,
 * return 0 and keep *sum. But if is_last is set, set *sum to `now` in this case too, and return the
 * negative difference, as two's complement. */
static inline uint64_t rs_advance(uint64_t *sum, uint64_t now, bool is_last)
{
	uint64_t before = *sum;
	if (now < before && !is_last)
		return 0;
	*sum = now;
	return now - before;
}

/*
 * Set `part` to the difference of `now` and `sum`, and add the integers of `part` to `sum`. The
 * caller sets `self` of `part` and `sum`, and `square` and `histogram` of `sum`. `min` and `max` of
 * `part` are the middles of its lowest and highest bucket. If such a bucket is also the lowest or
 * highest one of the whole run, `min` or `max` is the exact value instead. The buckets of `part`
 * are in arena. is_last: see rs_advance().
 */
void rs_value_subtract(struct rs_value *part, struct rs_value *sum, const struct rs_value *now,
	bool is_last, struct rs_arena *arena);

#endif
