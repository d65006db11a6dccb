/* SPDX-License-Identifier: MIT */
/*
 * The options that tell of slow calls: --slow REGION:EVENT>VALUE, --slow-output FILE, --slow-rate N.
 */
#ifndef RS_OPTIONS_SLOW_H
#define RS_OPTIONS_SLOW_H

#include "options.h"

/* Setters as in options_values.h. */
bool rs_options_add_slow(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_slow_output(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);
bool rs_options_set_slow_rate(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Once all options are read. False, with err filled: --slow-output or --slow-rate without --slow, or
 * the file of a report. */
bool rs_options_check_slow(const struct rs_options *options, struct rs_err *err);

/* Release what was added. */
void rs_options_free_slow(struct rs_options *options);

#endif
