/* SPDX-License-Identifier: MIT */
/*
 * Removes the files of old periods.
 */
#ifndef RS_PRUNE_H
#define RS_PRUNE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Find the files whose names differ from path only in the time, including files of earlier runs.
 * Remove the oldest of them until `keep` files are left. time is the text in path that %t produced.
 * Skip files that cannot be removed.
 */
void rs_prune(const char *path, const char *time, size_t keep);

#endif
