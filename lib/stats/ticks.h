/* SPDX-License-Identifier: MIT */
/*
 * Converting ticks of the runtime's clock to ns. The launcher read both clocks together at two
 * points of time, which give the rate.
 */
#ifndef RS_STATS_TICKS_H
#define RS_STATS_TICKS_H

#include "segment/segment.h"
#include "stats/wide.h"

struct rs_ticks {
	uint64_t begin; /* ticks at the begin of the run */
	uint64_t ticks_span;
	uint64_t ns_span;
};

/* Return the rate between two points. If ticks are ns already, or the points are not in order, the
 * rate is 1 and ns = ticks. Otherwise ns = ticks * ns_span / ticks_span. */
struct rs_ticks rs_ticks_between(
	const struct rs_clock_point *begin, const struct rs_clock_point *end);

/* Return a number of ticks in ns, rounded to nearest, or 2^64 - 1 if it does not fit. */
uint64_t rs_ticks_to_ns(const struct rs_ticks *rate, uint64_t ticks);

/* Return the length of a tick in ns. */
double rs_ticks_length_ns(const struct rs_ticks *rate);

#endif
