/* SPDX-License-Identifier: MIT */
/*
 * The option that chooses functions: --functions GLOB.
 */
#ifndef RS_OPTIONS_FUNCTIONS_H
#define RS_OPTIONS_FUNCTIONS_H

#include "options.h"

/* Add one --functions to options. name: the option as the user wrote it; value: the glob, borrowed.
 * False, with err filled: an empty one. */
bool rs_options_add_functions(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Release what was added. */
void rs_options_free_functions(struct rs_options *options);

/* Tell the program by its segment which functions the options name. False, with err filled: none is
 * called so, or too many are. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
