/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of overhead: a cell says what its markers took for each measured call, for each
 * skipped call, and in addition.
 */
#include "stats/cell_cost.h"

void rs_cost_add(struct rs_cost *cost, const struct rs_cell_copy *cell)
{
	long double measured = (long double)cell->calls, skipped = (long double)cell->skipped;
	long double ns = measured * (long double)cell->pair_ns + (long double)cell->own_ns;
	cost->measured += measured;
	cost->skipped += skipped;
	cost->measured_ns += ns;
	cost->skipped_ns += skipped * (long double)cell->skip_ns;
	/* what such calls charged themselves is in another cell */
	cost->unknown |= cell->calls > 0 && ns == 0 && !cell->is_of_work;
}

long double rs_cost_ns(const struct rs_cost *cost)
{
	return cost->measured_ns + cost->skipped_ns;
}
