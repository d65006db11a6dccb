/* SPDX-License-Identifier: MIT */
/* The few longest calls of a region, and how much of its time they have. */
#ifndef RS_STATS_LONG_CALLS_H
#define RS_STATS_LONG_CALLS_H

#include "stats/summary.h"
#include "stats/value.h"

/* cpu_time: of the same calls; not ok: unknown. long_calls: filled, zeroed where there are none. */
void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time);

#endif
