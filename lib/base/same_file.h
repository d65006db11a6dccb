/* SPDX-License-Identifier: MIT */
/* Whether two paths lead to one file. */
#ifndef RS_BASE_SAME_FILE_H
#define RS_BASE_SAME_FILE_H

#include <stdbool.h>

/* Whether what is written to a and to b comes to be in one plain file, be it there already or not:
 * by other words, or by links. Of the same words it is so whatever they name. */
bool rs_is_same_file(const char *a, const char *b);

#endif
