/* SPDX-License-Identifier: MIT */
/*
 * The options with a value of their own kind; those of sampling are in options_sample.h, those
 * of reports in options_reports.h.
 */
#ifndef RS_OPTIONS_VALUES_H
#define RS_OPTIONS_VALUES_H

#include "options.h"

/* Each sets one option. name: as the user wrote it; value: borrowed, must outlive options, NULL for
 * --color without one. False, with err filled: a bad value. */
bool rs_options_set_event(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_label(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_delay(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_timeout(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_config(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_profile(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_markers(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_search(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_color(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* False, with err filled: a value was forgotten, and the next option came in its place. example: of a
 * value. */
bool rs_options_check_no_option(
	const char *name, const char *value, const char *example, struct rs_err *err);

/* That, and that a value is not empty. what it is; remedy: a whole one. */
bool rs_options_check_text(const char *name, const char *value, const char *what,
	const char *example, const char *remedy, struct rs_err *err);

/* Add a value, borrowed, to an array of n, which free() releases. False, with err filled: no memory. */
bool rs_options_append(
	const char ***items, size_t *n, const char *name, const char *value, struct rs_err *err);

/* Whether a word is one of those that --color takes. */
bool rs_options_is_color(const char *word);

#endif
