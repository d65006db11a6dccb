/* SPDX-License-Identifier: MIT */
/*
 * The option that leaves regions out: --only GLOB.
 */
#ifndef RS_OPTIONS_ONLY_H
#define RS_OPTIONS_ONLY_H

#include "options.h"

/* Add one --only to options. name: the option as the user wrote it; value: the glob, borrowed. False,
 * with err filled: an empty one, one too long, too many. */
bool rs_options_add_only(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Release what was added. */
void rs_options_free_only(struct rs_options *options);

#endif
