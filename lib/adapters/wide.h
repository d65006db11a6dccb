/* SPDX-License-Identifier: MIT */
/* Names of wide characters as UTF-8. */
#ifndef RS_ADAPTERS_WIDE_H
#define RS_ADAPTERS_WIDE_H

#include <stddef.h>
#include <wchar.h>

#define RS_WIDE_BYTES 1024u /* as much of a name as is compared */

/*
 * Write wide as UTF-8 into text[RS_WIDE_BYTES], without a NUL; return its bytes. U+FFFD replaces
 * invalid characters. A name that does not fit ends after a whole character. wide: up to its NUL
 * or max characters; NULL: no bytes. Any thread, also in signal handlers.
 */
size_t rs_wide_to_utf8(const wchar_t *wide, size_t max, char *text);

#endif
