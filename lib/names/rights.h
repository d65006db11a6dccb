/* SPDX-License-Identifier: MIT */
/*
 * The rights with which files are read that a measured program named. Where regionstat is run by
 * root, and the program or its files are another user's, they are that user's rights.
 */
#ifndef RS_NAMES_RIGHTS_H
#define RS_NAMES_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Open a regular file, which is known before it is opened: opening anything else might wait, or do
 * something. status: filled. -1: it is none, or cannot be opened. */
int rs_open_regular(const char *path, struct stat *status);

/*
 * Open a regular file as a program's user may, and give up, for good, all rights that are not
 * needed to read on. In a process of its own (apart.h) of one thread.
 *
 * uid: the user that the program said to be, 0 where it is not known. Where this process is root's,
 * the file is opened with the rights of that user (credentials(7)), groups as the user database has
 * them. The file may be made to harm its reader. So the process becomes that user if that user or
 * root owns the file, else the owner. It becomes nobody if others may have written the file
 * (base/owner.h). Root keeps no capabilities (capabilities(7)). A process that is not root's keeps
 * its user. -1: it is none, cannot be opened, or the process cannot become that user.
 */
int rs_rights_open(const char *path, uint32_t uid, struct stat *status);

/* Become, for good, a user, if this process is root's and the user is not; root it stays where that
 * is refused. */
void rs_rights_become(uint32_t uid);

#endif
