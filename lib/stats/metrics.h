/* SPDX-License-Identifier: MIT */
/*
 * Metrics of one row: formulas over events that were counted together, such as instructions per
 * cycle, and over other facts of the row.
 */
#ifndef RS_STATS_METRICS_H
#define RS_STATS_METRICS_H

#include "metrics/metrics.h"
#include "stats/columns.h"

struct rs_metrics_source {
	const struct rs_columns *columns;
	const struct rs_value *values; /* one for each column; 0 is time */
	uint64_t measured; /* measured calls of the region; 0: the values are those of the run */
	const struct rs_metrics *usual; /* metrics that are shown beside their events */
	const struct rs_plan *plan; /* plan whose metrics have rows of their own */
	/* if RS_FACT_CPU_TIME is unknown, task-clock is used */
	struct rs_formula_value facts[RS_FACT_N];
};

/*
 * Compute the metrics of a row and fill *metrics with an array in arena. First come the usual
 * metrics that have a value, in their order. Then come all metrics that the user asked for, with or
 * without a value.
 */
void rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source);

void rs_metrics_set_fact(struct rs_metrics_source *source, enum rs_fact fact, double value);

#endif
