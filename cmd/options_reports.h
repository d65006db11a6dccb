/* SPDX-License-Identifier: MIT */
/*
 * The options that say which reports there shall be, each in which file and format.
 */
#ifndef RS_OPTIONS_REPORTS_H
#define RS_OPTIONS_REPORTS_H

#include "options.h"

/* Setters as in options_values.h: -o, --format, -j and -x. */
bool rs_options_add_output(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_add_format(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_add_json(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_separator(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Whether it is told already which reports there shall be, or in which format. */
bool rs_options_have_reports(const struct rs_options *options, const char *value);

/*
 * Once all options are read: give each report the format that it was told, or else the one of its
 * file's ending, or else CSV with -x, or else a table; where no -o was given, make the one report.
 * False, with err filled: they contradict each other.
 */
bool rs_options_settle_reports(
	struct rs_options *options, enum rs_options_verb verb, struct rs_err *err);

void rs_options_free_reports(struct rs_options *options);

#endif
