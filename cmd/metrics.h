/* SPDX-License-Identifier: MIT */
/*
 * These functions read the metrics that the command knows, and find the metrics that the user
 * selected.
 */
#ifndef RS_CMD_METRICS_H
#define RS_CMD_METRICS_H

#include "metrics/metrics.h"
#include "options.h"

/* The metrics of -M. A zeroed struct contains none. */
struct rs_wanted_metrics {
	struct rs_metrics all;
	/* the rules that -M selected, without duplicates; in the arena of `all` */
	const struct rs_metric_rule **rules;
	size_t n;
};

/*
 * Read metrics from the installed files, from the user's files ($XDG_CONFIG_HOME/regionstat/metrics
 * or ~/.config/regionstat/metrics), and from the files of the options. A later metric replaces an
 * earlier one of the same name. metrics must be zeroed; rs_metrics_finish() releases it, also after
 * a failure. Return false and set err if a file cannot be read.
 */
bool rs_metrics_load(
	struct rs_metrics *metrics, const struct rs_options *options, struct rs_err *err);

/*
 * Find the metrics of -M. If neither -M nor --metrics-file is given, no file is read. Fill wanted
 * on success; rs_wanted_metrics_finish() releases it, also after a failure. Return false and set
 * err if a file cannot be read, or a metric does not exist (err suggests similar names).
 */
bool rs_wanted_metrics_init(
	struct rs_wanted_metrics *wanted, const struct rs_options *options, struct rs_err *err);

void rs_wanted_metrics_finish(struct rs_wanted_metrics *wanted);

#endif
