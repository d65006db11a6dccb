/* SPDX-License-Identifier: MIT */
/*
 * The metrics that the command knows, and the metrics that the user selected.
 */
#ifndef RS_CMD_METRICS_H
#define RS_CMD_METRICS_H

#include "metrics/metrics.h"
#include "options.h"

/* The metrics of -M. A zeroed struct contains none. */
struct rs_wanted_metrics {
	struct rs_metrics all;
	const struct rs_metric_rule **rules; /* selected by -M, each once; in the arena of all */
	size_t n;
};

/*
 * Read metrics from the installed files, from the user's files ($XDG_CONFIG_HOME/regionstat/metrics
 * or ~/.config/regionstat/metrics), and from the files of the options. Later ones replace earlier
 * ones. metrics must be zeroed; rs_metrics_finish() releases it, also after a failure. Return false
 * and set err if a file cannot be read.
 */
bool rs_metrics_load(
	struct rs_metrics *metrics, const struct rs_options *options, struct rs_err *err);

/*
 * Find the metrics of -M. Without -M and --metrics-file no file is read. Fill wanted on success;
 * rs_wanted_metrics_finish() releases it, also after a failure. Return false and set err if a file
 * cannot be read, or a metric does not exist (err suggests similar names).
 */
bool rs_wanted_metrics_init(
	struct rs_wanted_metrics *wanted, const struct rs_options *options, struct rs_err *err);

void rs_wanted_metrics_finish(struct rs_wanted_metrics *wanted);

#endif
