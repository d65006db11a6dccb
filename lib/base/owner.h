/* SPDX-License-Identifier: MIT */
/* These functions check which users could have written a file. The same rule applies to all files
 * that regionstat reads although the user did not name them. */
#ifndef RS_BASE_OWNER_H
#define RS_BASE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Return true if users other than the owner and root could have written a file: everybody, or the
 * members of its group.
 *
 * Members of root's group count as root, and members of a user's private group as that user. A
 * private group has the user's name, is the user's primary group and has no other members in the
 * user database (getpwuid(3), getgrgid(3)). A group that is not in the database counts as other
 * users.
 */
bool rs_owner_has_others(const struct stat *status);

/*
 * Return the reason not to trust a file, or NULL if it is trusted. A trusted file is a regular file
 * that only root, the effective user and `owner` could have written. `owner` is the owner of a file
 * that is already trusted, or 0 for root.
 *
 * The text is in static storage.
 */
const char *rs_owner_find_doubt(const struct stat *status, uid_t owner);

#endif
