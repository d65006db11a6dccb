/* SPDX-License-Identifier: MIT */
/*
 * What the markers of some cells cost, added up: as long double, which no sum of what a program may
 * have written there overflows.
 */
#ifndef RS_STATS_CELL_COST_H
#define RS_STATS_CELL_COST_H

#include <stdbool.h>

#include "stats/collect.h"

/* Zeroed: nothing yet. */
struct rs_cost {
	long double measured; /* calls */
	long double skipped; /* calls left out by sampling */
	long double measured_ns; /* what the markers around the measured ones took */
	long double skipped_ns;
	bool unknown; /* of some of them no thread could learn it */
};

/* Add what the markers of a cell cost. */
void rs_cost_add(struct rs_cost *cost, const struct rs_cell_copy *cell);

/* All of it, in ns. */
long double rs_cost_ns(const struct rs_cost *cost);

#endif
