/* SPDX-License-Identifier: MIT */
/*
 * The options that say what of the results is shown: which regions, and in which order.
 */
#ifndef RS_OPTIONS_VIEW_H
#define RS_OPTIONS_VIEW_H

#include "options.h"

/* Setters as in options_values.h. */
bool rs_options_set_top(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_sort(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_add_regions(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

bool rs_options_set_by(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

bool rs_options_add_columns(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_width(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_add_percentiles(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

bool rs_options_add_histogram(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

#endif
