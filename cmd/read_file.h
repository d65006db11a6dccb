/* SPDX-License-Identifier: MIT */
/*
 * These functions read files of saved runs.
 */
#ifndef RS_READ_FILE_H
#define RS_READ_FILE_H

#include <stddef.h>

#include "compare/series.h"

#define RS_MOST_FILE_BYTES (256u << 20) /* limit of the size of a file */

/* Read a whole file, or the standard input if path is "-". Return false and set err if the file
 * cannot be read or is too large. The caller frees *text, even after a failure. */
bool rs_read_file(const char *path, char **text, size_t *bytes, struct rs_err *err);

/* Say that regionstat cannot read a file again that it has written, if it has more bytes than the
 * limit. remedy: the last thing to try. */
void rs_warn_of_size(const char *path, uint64_t bytes, const char *remedy);

/* Read a file, and load the run that it contains. The caller releases run with rs_run_finish().
 * Return false and set err if the file cannot be read or contains no run. */
bool rs_read_run(struct rs_run *run, const char *path, struct rs_err *err);

#define RS_MOST_SERIES 16u
#define RS_MOST_SIDES 64u

/* The sides that files of saved runs contain: one for each command of each file. */
struct rs_saved_sides {
	struct rs_series series[RS_MOST_SERIES]; /* one for each file */
	size_t n_series;
	struct rs_side sides[RS_MOST_SIDES];
	size_t n;
};

/* Read files, whose names end in NULL. sides must be zeroed; the caller releases it with
 * rs_saved_sides_finish(), even after a failure. Return false and set err if a file cannot be read,
 * contains no run, or there are too many files. */
bool rs_saved_sides_read(struct rs_saved_sides *sides, char *const *files, struct rs_err *err);
void rs_saved_sides_finish(struct rs_saved_sides *sides);

#endif
