/* SPDX-License-Identifier: MIT */
/* Paths that a user wrote: which are one file, and what to try when one cannot be opened. */
#ifndef RS_BASE_PATH_H
#define RS_BASE_PATH_H

#include <stdbool.h>

#include "base/err.h"

/* Return true if writing to a and writing to b changes the same regular file. The file need not
 * exist yet, and links are followed. Two equal paths always count as the same file. */
bool rs_is_same_file(const char *a, const char *b);

/* Return true if the directory of the file `path` exists. Links of the file are followed. */
bool rs_has_directory(const char *path);

/* Append to err what to try when the file `path`, a value of `option`, cannot be opened for
 * writing. `number` is the errno value. Always return false. */
bool rs_err_add_path_remedy(struct rs_err *err, int number, const char *path, const char *option);

#endif
