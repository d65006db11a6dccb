/* SPDX-License-Identifier: MIT */
/* The few longest calls of a region, and their part of its time. */
#ifndef RS_STATS_LONG_CALLS_H
#define RS_STATS_LONG_CALLS_H

#include "stats/summary.h"
#include "stats/value.h"

/* Fill long_calls from the times of a region's calls, or zero it if no time is known. cpu_time is
 * of the same calls; it is unknown unless its status is ok. */
void rs_long_calls_make(struct rs_long_calls *long_calls, const struct rs_value *time,
	const struct rs_value *cpu_time);

#endif
