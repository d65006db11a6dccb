/* SPDX-License-Identifier: MIT */
/* Who may have written a file: one rule for all files that are read without being named by the user. */
#ifndef RS_BASE_OWNER_H
#define RS_BASE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Whether other users than its owner and root may have written a file: everybody, or the members of
 * its group. Root's group counts as root, and a user's private group as that user. A private group
 * has the user's name, is the user's primary group and has no other members in the user database
 * (getpwuid(3), getgrgid(3)). A group that the database does not know has others.
 */
bool rs_owner_has_others(const struct stat *status);

/*
 * Why a file may not be believed: it is no regular file, or another user than root, the effective
 * user and owner may have written it. owner: of a file that is believed already, or root.
 * NULL: it may be believed. Static storage.
 */
const char *rs_owner_find_doubt(const struct stat *status, uid_t owner);

#endif
