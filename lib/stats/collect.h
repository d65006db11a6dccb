/* SPDX-License-Identifier: MIT */
/*
 * rs_collect() reads a segment into a run. The program can have written to any part of the segment,
 * so every index, length and offset is checked. The segment is read with pread(), because pread()
 * allocates no memory for holes. Ticks are converted to ns, and the overhead inside calls is
 * subtracted, so later stages need to know neither ticks nor overhead.
 */
#ifndef RS_STATS_COLLECT_H
#define RS_STATS_COLLECT_H

#include "base/err.h"
#include "segment/segment.h"
#include "stats/run.h"
#include "stats/wide.h"

/* Converts ticks of the runtime's clock to ns. The launcher reads this clock and a clock in ns at
 * two points in time; their differences give the rate. */
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

/*
 * Read a segment and fill run with the results. Before the call, the caller may set the facts of
 * the run, such as its label and plan; all other members must be zeroed. The program may still run:
 * an accumulator that changes while it is read is read again.
 *
 * fd: the memfd of the segment. n_events, n_groups: counts from the launcher's plan; the segment
 * must have the same. begin, end: readings of the clocks at the begin and the end of the run, from
 * which the length of a tick is computed. Release run with rs_run_finish().
 *
 * Return false and set err if the program overwrote the header or memory runs out; run then has no
 * results. Exclude other damaged parts and count them in run->n_damaged.
 */
bool rs_collect(struct rs_run *run, int fd, uint32_t n_events, uint32_t n_groups,
	const struct rs_clock_point *begin, const struct rs_clock_point *end, struct rs_err *err);

#endif
