/* SPDX-License-Identifier: MIT */
/*
 * This file converts ticks to ns, with the rate between two points at which both clocks were read.
 * It multiplies in 128 bits, so the result is exact to the nearest ns.
 */
#include "stats/ticks.h"

struct rs_ticks rs_ticks_between(
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

uint64_t rs_ticks_to_ns(const struct rs_ticks *rate, uint64_t ticks)
{
	return rs_wide_scale(ticks, rate->ns_span, rate->ticks_span);
}

double rs_ticks_length_ns(const struct rs_ticks *rate)
{
	return (double)rate->ns_span / (double)rate->ticks_span;
}
