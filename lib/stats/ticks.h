/* SPDX-License-Identifier: MIT */
/*
 * Converts ticks of the runtime's clock to ns. The launcher reads this clock and a clock in ns at
 * two points in time; their differences give the rate.
 */
#ifndef RS_STATS_TICKS_H
#define RS_STATS_TICKS_H

#include "segment/segment.h"
#include "stats/wide.h"

struct rs_ticks {
	uint64_t begin; /* ticks of the runtime's clock at the begin of the run */
	uint64_t ticks_span;
	uint64_t ns_span;
};

/* Return the rate between two points: ns = ticks * ns_span / ticks_span. If ticks are ns already,
 * or the second point is not later than the first, return a rate of 1. */
static inline struct rs_ticks rs_ticks_between(
	const struct rs_clock_point *begin, const struct rs_clock_point *end)
{
	struct rs_ticks rate = {.begin = begin->ticks, .ticks_span = 1, .ns_span = 1};
	bool monotonic = begin->ticks == begin->monotonic_ns && end->ticks == end->monotonic_ns;
	if (monotonic || end->ticks <= begin->ticks || end->monotonic_ns <= begin->monotonic_ns)
		return rate;
	rate.ticks_span = end->ticks - begin->ticks;
	rate.ns_span = end->monotonic_ns - begin->monotonic_ns;
	return rate;
}

/* Convert ticks to ns, rounded to nearest. Return 2^64 - 1 if the result does not fit. */
static inline uint64_t rs_ticks_to_ns(const struct rs_ticks *rate, uint64_t ticks)
{
	return rs_wide_scale(ticks, rate->ns_span, rate->ticks_span);
}

/* Return the length of one tick in ns. */
static inline double rs_ticks_length_ns(const struct rs_ticks *rate)
{
	return (double)rate->ns_span / (double)rate->ticks_span;
}

#endif
