/* SPDX-License-Identifier: MIT */
/*
 * Computes the metrics of one row of a report. A metric is a formula over events that were counted
 * together, such as instructions per cycle, and over other facts of the row, such as its time.
 */
#ifndef RS_STATS_METRICS_H
#define RS_STATS_METRICS_H

#include "metrics/metrics.h"
#include "stats/columns.h"

struct rs_metrics_source {
	const struct rs_columns *columns;
	const struct rs_value *values; /* one for each column; values[0] is time */
	/* number of measured calls of the region; 0: the values are those of the whole run */
	uint64_t measured;
	const struct rs_metrics *usual; /* metrics that are shown beside their events */
	const struct rs_plan *plan; /* the plan has the metrics that the user asked for */
	/* by enum rs_fact; if RS_FACT_CPU_TIME is unknown, formulas use the event task-clock */
	struct rs_formula_value facts[RS_FACT_N];
};

/*
 * Compute the metrics of a row and fill *metrics with an array in arena. First come those of
 * source->usual that have a value. Then come all metrics that the user asked for, even those
 * without a value.
 */
void rs_metrics_make(struct rs_metric **metrics, size_t *n_metrics, struct rs_arena *arena,
	const struct rs_metrics_source *source);

void rs_metrics_set_fact(struct rs_metrics_source *source, enum rs_fact fact, double value);

#endif
