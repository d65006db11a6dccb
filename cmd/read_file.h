/* SPDX-License-Identifier: MIT */
/*
 * Reading files of saved runs.
 */
#ifndef RS_READ_FILE_H
#define RS_READ_FILE_H

#include <stddef.h>

#include "compare/series.h"

/* Read a whole file, or the standard input if path is "-". The caller frees *text, also after an
 * error. Return false and set err if the file cannot be read or is too large. */
bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err);

/* Read a file and load the run that it holds. rs_run_finish() releases run. Return false and set err
 * if the file cannot be read or holds no run. */
bool rs_read_run(struct rs_run *run, const char *path, struct rs_err *err);

/* Read the runs of a file. series: zeroed or in use. */
bool rs_read_series(struct rs_series *series, const char *path, struct rs_err *err);

#endif
