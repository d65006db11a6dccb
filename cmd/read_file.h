/* SPDX-License-Identifier: MIT */
/*
 * These functions read files of saved runs.
 */
#ifndef RS_READ_FILE_H
#define RS_READ_FILE_H

#include <stddef.h>

#include "compare/series.h"

/* Read a whole file, or the standard input if path is "-". Return false and set err if the file
 * cannot be read or is too large. The caller frees *text, even after a failure. */
bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err);

/* Read a file, and load the run that it contains. The caller releases run with rs_run_finish().
 * Return false and set err if the file cannot be read or contains no run. */
bool rs_read_run(struct rs_run *run, const char *path, struct rs_err *err);

/* Read the runs of a file and add them to series, which may be zeroed. Return false and set err as
 * rs_read_run() does. */
bool rs_read_series(struct rs_series *series, const char *path, struct rs_err *err);

#endif
