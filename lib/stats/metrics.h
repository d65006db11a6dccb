/* SPDX-License-Identifier: MIT */
/*
 * Ratios of two events that were counted together, such as instructions per cycle.
 */
#ifndef RS_STATS_METRICS_H
#define RS_STATS_METRICS_H

#include "stats/columns.h"

struct rs_metrics_source {
	const struct rs_columns *columns;
	const struct rs_value *values; /* one a column; 0 is time */
	uint64_t measured; /* calls of the region; 0: the values are the run's */
};

/*
 * The metrics that the values of one row allow, in the order of a fixed table.
 * metrics: filled with an array in arena. False: no memory.
 */
bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source);

#endif
