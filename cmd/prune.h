/* SPDX-License-Identifier: MIT */
/*
 * Removing the files of old periods.
 */
#ifndef RS_PRUNE_H
#define RS_PRUNE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Remove the oldest files whose names differ from path only in the time of %t, until `keep` are left.
 * Files of earlier runs are among them. time: the time in path, as %t is written. What cannot be
 * removed stays.
 */
void rs_prune(const char *path, const char *time, size_t keep);

#endif
