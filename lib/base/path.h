/* SPDX-License-Identifier: MIT */
/* Functions for paths that a user wrote: they compare files, and say what to try if a file cannot
 * be written. */
#ifndef RS_BASE_PATH_H
#define RS_BASE_PATH_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

/* Return true if two results of stat(2) are of the same file. */
static inline bool rs_stat_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Return true if writing to `a` and writing to `b` changes the same regular file. The file need not
 * exist yet, and links are followed. Two equal paths always count as the same file. */
bool rs_is_same_file(const char *a, const char *b);

/* Return true if the directory of the file `path` exists. Links of the file are followed. */
bool rs_has_directory(const char *path);

/* Set err's message to "cannot write WHAT to 'path'", with the errno value `number`. Say what to
 * try with `option`, which named the file. `what` is "", or ends with a space. Always return
 * false. */
bool rs_err_set_unwritable(
	struct rs_err *err, int number, const char *what, const char *path, const char *option);

#endif
