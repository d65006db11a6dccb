/* SPDX-License-Identifier: MIT */
/* A stream that writes a text to memory. It replaces open_memstream(3): if memory runs out, that
 * stream of glibc loses a part of the text, and reports no error. */
#ifndef RS_BASE_TEXT_STREAM_H
#define RS_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* Open a stream. fclose() sets *text to its text, which ends with a NUL and is freed by the caller,
 * and *bytes to its length. Until then, *text is NULL. If memory runs out, return NULL, or fclose()
 * fails and leaves *text NULL. */
FILE *rs_text_stream_open(char **text, size_t *bytes);

#endif
