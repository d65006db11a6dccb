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
struct rs_ticks rs_ticks_between(
	const struct rs_clock_point *begin, const struct rs_clock_point *end);

/* Convert ticks to ns, rounded to nearest. Return 2^64 - 1 if the result does not fit. */
uint64_t rs_ticks_to_ns(const struct rs_ticks *rate, uint64_t ticks);

/* Return the length of one tick in ns. */
double rs_ticks_length_ns(const struct rs_ticks *rate);

#endif
