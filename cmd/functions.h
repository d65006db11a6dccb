/* SPDX-License-Identifier: MIT */
/*
 * The functions that --functions chooses.
 */
#ifndef RS_FUNCTIONS_H
#define RS_FUNCTIONS_H

#include "options.h"

/* Write the functions that the options name into the program's segment. False, with err filled: none
 * has such a name, or too many have. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
