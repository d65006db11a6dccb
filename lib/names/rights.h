/* SPDX-License-Identifier: MIT */
/*
 * The rights with which regionstat reads files that a measured program named. If root runs
 * regionstat, and the program or its files belong to another user, regionstat uses that user's
 * rights.
 */
#ifndef RS_NAMES_RIGHTS_H
#define RS_NAMES_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Open a regular file and fill status. The kind is checked before opening, because opening other
 * kinds may wait or have effects. Return -1 if the file is not regular or cannot be opened. */
int rs_open_regular(const char *path, struct stat *status);

/*
 * Open a regular file with the rights of a program's user, and then permanently drop all rights
 * that reading does not need. Call this in a separate process (apart.h) with one thread.
 *
 * uid is the user that the program claimed to be, or 0 if unknown. If this process is root, it
 * opens the file with that user's rights (credentials(7)) and the groups of the user database.
 *
 * The file may be malicious. So after opening it, the process becomes uid if uid or root owns the
 * file, and otherwise the file's owner. If other users could have written the file (base/owner.h),
 * it becomes nobody. Root keeps no capabilities (capabilities(7)). If this process is not root, it
 * keeps its user.
 *
 * Return -1 if the file is not regular or cannot be opened, or if the process cannot become the
 * user.
 */
int rs_rights_open(const char *path, uint32_t uid, struct stat *status);

/* Become a user permanently, if this process is root and uid is not 0. If the kernel refuses that,
 * the process remains root without capabilities. */
void rs_rights_become(uint32_t uid);

#endif
