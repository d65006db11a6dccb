/* SPDX-License-Identifier: MIT */
/*
 * The options that ask for metrics: -M NAME and --metrics-file FILE.
 */
#ifndef RS_OPTIONS_METRICS_H
#define RS_OPTIONS_METRICS_H

#include "options.h"

/* Add the names of one -M, or one file. name: the option as the user wrote it; value: borrowed. False,
 * with err filled: an empty one. */
bool rs_options_add_metrics(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_add_metrics_file(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* What --columns, --sort and --by are told that -M has been told, too: says where a metric is shown. name:
 * the option. Nothing where it was not asked for, so far. */
void rs_options_add_metric_hint(
	const struct rs_options *options, const char *name, const char *word, struct rs_err *err);

/* Release what was added. */
void rs_options_free_metrics(struct rs_options *options);

#endif
