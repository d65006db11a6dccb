/* SPDX-License-Identifier: MIT */
/*
 * An archive of traces, which Perfetto opens as one timeline: a tar with a manifest,
 * https://perfetto.dev/docs/reference/perfetto-manifest
 */
#ifndef RS_ARCHIVE_H
#define RS_ARCHIVE_H

#include <stddef.h>

#include "base/err.h"

/* Write n traces, at least 1, to an archive at path. The files are copied piece by piece. Return false
 * and set err if a file is no trace, or if it cannot be copied; path then has its old content. */
bool rs_archive_make(const char *path, char *const *files, size_t n, struct rs_err *err);

#endif
