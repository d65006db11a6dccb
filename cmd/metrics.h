/* SPDX-License-Identifier: MIT */
/*
 * The metrics that the command knows, and those of them that were asked for.
 */
#ifndef RS_CMD_METRICS_H
#define RS_CMD_METRICS_H

#include "metrics/metrics.h"
#include "options.h"

/* Zeroed: none. */
struct rs_wanted_metrics {
	struct rs_metrics all;
	const struct rs_metric_rule **rules; /* that were asked for, each once; owned */
	size_t n;
};

/*
 * Read the installed metrics, the user's own ($XDG_CONFIG_HOME/regionstat/metrics, or that of
 * ~/.config), and the files of the options. Later ones replace earlier ones. metrics: zeroed;
 * release with rs_metrics_finish(), after a failure too. False, with err filled: one cannot be
 * read.
 */
bool rs_metrics_load(
	struct rs_metrics *metrics, const struct rs_options *options, struct rs_err *err);

/*
 * Find the metrics of -M; without -M and files nothing is read. wanted: filled on success; release
 * with rs_wanted_metrics_finish(), after a failure too. False, with err filled: one cannot be read,
 * or there is none of that name (near names suggested).
 */
bool rs_wanted_metrics_init(
	struct rs_wanted_metrics *wanted, const struct rs_options *options, struct rs_err *err);

void rs_wanted_metrics_finish(struct rs_wanted_metrics *wanted);

#endif
