/* SPDX-License-Identifier: MIT */
/*
 * Makes one measured run of a command.
 */
#ifndef RS_MEASURE_H
#define RS_MEASURE_H

#include "options.h"

struct rs_attach;

/* Run the command options->words, measure it, and write the reports. If attach is not NULL, do not
 * run the command, but attach to a running program; options->words is its command line. Print no
 * warnings if is_silent. Return the exit status, as rs_command_run() does. */
int rs_measure(const struct rs_options *options, struct rs_attach *attach, bool is_silent);

/* Print which events rs_measure() would count, and how. Create no file. Return the exit status. */
int rs_measure_show_plan(const struct rs_options *options);

#endif
