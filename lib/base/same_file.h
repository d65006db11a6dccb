/* SPDX-License-Identifier: MIT */
/* Comparison of two paths, to find outputs that would overwrite each other. */
#ifndef RS_BASE_SAME_FILE_H
#define RS_BASE_SAME_FILE_H

#include <stdbool.h>

/* Return true if writing to a and writing to b changes the same regular file. The file need not
 * exist yet, and links are followed. Two equal paths always count as the same file. */
bool rs_is_same_file(const char *a, const char *b);

#endif
