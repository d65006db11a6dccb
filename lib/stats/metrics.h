/*
 * Ratios of two events that were counted together, such as instructions per cycle.
 */
#ifndef RS_STATS_METRICS_H
#define RS_STATS_METRICS_H

#include "stats/arena.h"
#include "stats/summary.h"

/*
 * The metrics that values allow, in the order of a fixed table.
 * values: one a column: time, then the plan's events. n_calls: of the region; 0: the values are
 * the run's. metrics: filled with an array in arena. False: no memory.
 */
bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_plan *plan, const struct rs_value *values, uint64_t n_calls);

#endif
