/* SPDX-License-Identifier: MIT */
/* The names of files that are written, which may hold what differs from rank to rank. */
#ifndef RS_OPTIONS_NAMES_H
#define RS_OPTIONS_NAMES_H

#include "options.h"

/*
 * The file that a value means: %r stands for the rank that this regionstat was started as, %p for
 * its own process id, %h for the host's name, and %% for a percent sign. name: of the option, for
 * messages. Returns value itself where nothing stands for anything, else a string of options' own.
 * NULL, with err filled: another letter, no rank, a host's name that is none of a file, no memory.
 */
const char *rs_options_file_name(
	struct rs_options *options, const char *name, const char *value, struct rs_err *err);

/* Release these. */
void rs_options_free_names(struct rs_options *options);

#endif
