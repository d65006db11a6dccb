/* SPDX-License-Identifier: MIT */
/*
 * Ticks of the runtime's clock as nanoseconds, by the two points at which the launcher read both
 * clocks together.
 */
#ifndef RS_STATS_TICKS_H
#define RS_STATS_TICKS_H

#include "segment/segment.h"
#include "stats/wide.h"

/* ns = ticks * ns_span / ticks_span. */
struct rs_ticks {
	uint64_t begin; /* ticks at the run's begin */
	uint64_t ticks_span;
	uint64_t ns_span;
};

/* The rate between two points. Points in which ticks are nanoseconds already, and points that are
 * no two, give a rate of one. */
struct rs_ticks rs_ticks_between(
	const struct rs_clock_point *begin, const struct rs_clock_point *end);

/* A number of ticks in ns, rounded to nearest; 2^64 - 1 when it does not fit. */
uint64_t rs_ticks_to_ns(const struct rs_ticks *rate, uint64_t ticks);

/* The length of a tick in ns. */
double rs_ticks_length_ns(const struct rs_ticks *rate);

#endif
