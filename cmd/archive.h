/* SPDX-License-Identifier: MIT */
/*
 * Writes an archive of traces, a tar file with a manifest. Perfetto opens it as one timeline
 * (https://perfetto.dev/docs/reference/perfetto-manifest).
 */
#ifndef RS_ARCHIVE_H
#define RS_ARCHIVE_H

#include <stddef.h>

#include "base/err.h"

/* Write n traces, at least 1, to an archive at path. Files are copied in parts, so memory does not
 * grow with their size. Return false and set err if a file is no trace or cannot be copied; an old
 * file at path is then unchanged. */
bool rs_archive_make(const char *path, char *const *files, size_t n, struct rs_err *err);

#endif
