/* SPDX-License-Identifier: MIT */
/*
 * These functions find libregionstat.so, which the program loads, and other installed files of the
 * same installation as this command.
 */
#ifndef RS_RUNTIME_PATH_H
#define RS_RUNTIME_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Find the runtime in the directories of this command's installation or build, which may have been
 * moved. Fill path[PATH_MAX] with the absolute path. Return false if the file does not exist.
 */
bool rs_runtime_path_find(char path[PATH_MAX]);

/* Find the file of an adapter (lib/adapters) in the same way. */
bool rs_adapter_path_find(char path[PATH_MAX], const char *file);

/* Find the directory of metrics (metrics/metrics.h) in the same way. */
bool rs_metrics_path_find(char path[PATH_MAX]);

#endif
