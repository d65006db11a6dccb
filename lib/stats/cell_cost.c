/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of what markers cost: a cell says what its markers took for each call, for each
 * that was left out, and besides.
 */
#include "stats/cell_cost.h"

/* A thread measures so many first calls of a region whatever it samples. */
#define ALWAYS_CALLS 32

/* The overhead of a skipped call, as a part of that of a measured one, where no thread was to calibrate it:
 * 3.5 ns of 25 ns (tests/bench). */
#define SKIPPED_SHARE 0.14L

void rs_cost_add(struct rs_cost *cost, const struct rs_cell_copy *cell)
{
	long double measured = (long double)cell->calls, skipped = (long double)cell->skipped;
	long double ns = measured * (long double)cell->pair_ns + (long double)cell->own_ns;
	long double calls = measured + skipped, skip_ns = (long double)cell->skip_ns;
	if (skip_ns == 0 && measured > 0)
		skip_ns = ns / measured * SKIPPED_SHARE;
	cost->measured += measured;
	cost->skipped += skipped;
	cost->always += calls < ALWAYS_CALLS ? calls : ALWAYS_CALLS;
	cost->measured_ns += ns;
	cost->skipped_ns += skipped * (long double)cell->skip_ns;
	cost->all_skipped_ns += calls * skip_ns;
	/* what such calls charged themselves is in another cell */
	cost->unknown |= cell->calls > 0 && ns == 0 && !cell->is_of_work;
}

long double rs_cost_ns(const struct rs_cost *cost)
{
	return cost->measured_ns + cost->skipped_ns;
}

long double rs_cost_ns_sampled(const struct rs_cost *cost, long double n)
{
	long double calls = cost->measured + cost->skipped;
	if (cost->measured == 0)
		return rs_cost_ns(cost);
	long double measured = cost->always + (calls - cost->always) / n;
	return measured * (cost->measured_ns / cost->measured) +
	       (calls - measured) * (cost->all_skipped_ns / calls);
}
