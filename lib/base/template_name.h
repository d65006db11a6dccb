/* SPDX-License-Identifier: MIT */
/*
 * Names of C++ functions that are too long for their template arguments.
 */
#ifndef RS_BASE_TEMPLATE_NAME_H
#define RS_BASE_TEMPLATE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Shorten the name of a C++ function until it fits: a mark replaces template arguments, the deepest
 * first: f<g<...>, int> before f<...>. name: wider than columns. out[out_bytes]: filled on success;
 * twice strlen(name) + 8 bytes are enough. utf8: whether the mark may be one column wide, else it
 * is "..". False: it is no such name, or is too long without them.
 */
bool rs_template_name(char *out, size_t out_bytes, const char *name, size_t columns, bool utf8);

#endif
