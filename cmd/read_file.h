/* SPDX-License-Identifier: MIT */
/*
 * Files of saved runs, whole in memory.
 */
#ifndef RS_READ_FILE_H
#define RS_READ_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "compare/series.h"

/* Read all of a file. path: "-" for the standard input. text: owned by the caller, also where it fails.
 * False, with err filled: it cannot be read, or is too large. */
bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err);

/* Read the runs of a file. series: zeroed or in use. */
bool rs_read_series(struct rs_series *series, const char *path, struct rs_err *err);

#endif
