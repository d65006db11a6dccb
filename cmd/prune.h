/* SPDX-License-Identifier: MIT */
/*
 * Removing the files of old periods.
 */
#ifndef RS_PRUNE_H
#define RS_PRUNE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Remove the oldest of the files whose names differ from path only in the time, until `keep` files
 * are left. Files of earlier runs count as well. time is the time in path, as %t gives it. Skip
 * files that cannot be removed.
 */
void rs_prune(const char *path, const char *time, size_t keep);

#endif
