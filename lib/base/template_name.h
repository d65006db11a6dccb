/* SPDX-License-Identifier: MIT */
/* Shortening of C++ function names. */
#ifndef RS_BASE_TEMPLATE_NAME_H
#define RS_BASE_TEMPLATE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Shorten the name of a C++ function until it fits into `columns`. A mark replaces the innermost
 * template arguments first: the name becomes f<g<...>, int>, and then f<...>. The next mark
 * replaces the parameters, and drops a qualifier that follows them: f(...). The last one replaces
 * namespaces and classes at the beginning: a::b::f(...) becomes ...b::f(...).
 * `name` must be wider than `columns`. If utf8 is true, the mark is an ellipsis of one column,
 * otherwise "..".
 *
 * On success, write the result to out; 2 * strlen(name) + 8 bytes are enough. Return false if name
 * has nothing to replace, or is still too wide without it, or if out is too small.
 */
bool rs_template_name(char *out, size_t out_bytes, const char *name, size_t columns, bool utf8);

#endif
