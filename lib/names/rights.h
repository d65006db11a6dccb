/* SPDX-License-Identifier: MIT */
/*
 * Whose rights files are read with that a measured program named. Where regionstat is root's, and
 * the program is not, or its files are not, they are another user's.
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
 * them. What is then read may have been made to harm who reads it: so the process becomes that
 * user if the file's owner is that user or root, else the owner, and nobody if others may have
 * written it, too (base/owner.h). Root keeps no capabilities (capabilities(7)). Else it stays who it is. -1: it is none,
 * cannot be opened, or the process cannot become that user.
 */
int rs_rights_open(const char *path, uint32_t uid, struct stat *status);

/* Become, for good, a user, if this process is root's and the user is not; root it stays where that
 * is refused. */
void rs_rights_become(uint32_t uid);

#endif
