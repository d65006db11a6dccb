/* SPDX-License-Identifier: MIT */
/*
 * The names of files that are written, which may hold what differs from rank to rank.
 */
#ifndef RS_OUTPUT_NAME_H
#define RS_OUTPUT_NAME_H

#include "base/err.h"

/*
 * The file that a value means: %r is the rank that this regionstat was started as, %p its process id,
 * %h the host's name, and %% a percent sign. option: as the user wrote it, for messages. Release the
 * result with free(). NULL, with err filled: another letter, no rank, a host's name that is none of a
 * file, no memory.
 */
char *rs_output_name(const char *option, const char *value, struct rs_err *err);

#endif
