/* SPDX-License-Identifier: MIT */
/*
 * Finding libregionstat.so, which the program loads: the one that belongs to this very command.
 */
#ifndef RS_RUNTIME_PATH_H
#define RS_RUNTIME_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Look where this command's installation or build has it, wherever that was moved to.
 * path[PATH_MAX]: filled with its absolute path. False: it is not there.
 */
bool rs_runtime_path_find(char path[PATH_MAX]);

/* The same of an adapter's file (lib/adapters). */
bool rs_adapter_path_find(char path[PATH_MAX], const char *file);

/* The same of the directory of metrics (metrics/metrics.h) that belongs to this command. */
bool rs_metrics_path_find(char path[PATH_MAX]);

#endif
