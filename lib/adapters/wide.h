/* SPDX-License-Identifier: MIT */
/* This header declares the conversion of names from wide characters to UTF-8. */
#ifndef RS_ADAPTERS_WIDE_H
#define RS_ADAPTERS_WIDE_H

#include <stddef.h>
#include <wchar.h>

#define RS_WIDE_BYTES 1024u /* longer names are cut */

/*
 * Write the string wide as UTF-8 into text[RS_WIDE_BYTES], without a NUL. Return how many bytes
 * were written. U+FFFD replaces invalid characters. A name that does not fit is cut after a whole
 * character. wide ends at its NUL or after max characters; NULL is an empty string. Any thread and
 * any signal handler may call this.
 */
size_t rs_wide_to_utf8(const wchar_t *wide, size_t max, char *text);

#endif
