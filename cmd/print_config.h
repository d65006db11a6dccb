/* SPDX-License-Identifier: MIT */
/*
 * --print-config: the settings in force, as a file that sets them.
 */
#ifndef RS_PRINT_CONFIG_H
#define RS_PRINT_CONFIG_H

#include "options.h"

/* Print every key with its value, and where that is from behind a '#'. options: settled. */
void rs_print_config(const struct rs_options *options, FILE *stream);

#endif
