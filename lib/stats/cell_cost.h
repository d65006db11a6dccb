/* SPDX-License-Identifier: MIT */
/*
 * The overhead of some cells, added up: as long double, which no sum of a program's numbers
 * overflows.
 */
#ifndef RS_STATS_CELL_COST_H
#define RS_STATS_CELL_COST_H

#include <stdbool.h>

#include "stats/collect.h"

/* Zeroed: nothing yet. */
struct rs_cost {
	long double measured; /* calls */
	long double skipped; /* calls that sampling skipped */
	long double measured_ns; /* what the markers around the measured ones took */
	long double skipped_ns;
	bool unknown; /* of some of them no thread could learn it */
};

/* Add what the markers of a cell cost. */
void rs_cost_add(struct rs_cost *cost, const struct rs_cell_copy *cell);

/* All of it, in ns. */
long double rs_cost_ns(const struct rs_cost *cost);

#endif
