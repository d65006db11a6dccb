/* SPDX-License-Identifier: MIT */
/*
 * Metrics of one row: formulas over events that were counted together, such as instructions per
 * cycle, and over what else is known of the row.
 */
#ifndef RS_STATS_METRICS_H
#define RS_STATS_METRICS_H

#include "metrics/metrics.h"
#include "stats/columns.h"

struct rs_metrics_source {
	const struct rs_columns *columns;
	const struct rs_value *values; /* one a column; 0 is time */
	uint64_t measured; /* calls of the region; 0: the values are the run's */
	const struct rs_metrics *usual; /* that are shown beside their events */
	const struct rs_plan *plan; /* whose metrics have lines of their own */
	struct rs_formula_value facts[RS_FACT_N]; /* an unknown RS_FACT_CPU_TIME is task-clock */
};

/*
 * The metrics that the values of one row allow: the usual ones, in their order, then all others
 * that the user asked for, with or without a value. metrics: filled with an array in arena. False:
 * no memory.
 */
bool rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source);

/* Set a fact. */
void rs_metrics_set_fact(struct rs_metrics_source *source, enum rs_fact fact, double value);

#endif
