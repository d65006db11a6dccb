/* SPDX-License-Identifier: MIT */
/*
 * These functions find the file of a command's program, and the kind of this program. The kind
 * decides whether adapters can be loaded into the program. Adapters are built for this machine and
 * glibc.
 */
#ifndef RS_LAUNCH_PROGRAM_KIND_H
#define RS_LAUNCH_PROGRAM_KIND_H

#include <limits.h>
#include <stdbool.h>

enum rs_program_kind {
	RS_PROGRAM_UNKNOWN, /* the file does not exist or cannot be read */
	RS_PROGRAM_OURS, /* dynamically linked with glibc, for this machine */
	RS_PROGRAM_STATIC, /* statically linked: it loads nothing, but its child processes may */
	RS_PROGRAM_PRIVILEGED, /* set-user-ID or similar: it ignores LD_PRELOAD */
	RS_PROGRAM_32_BITS, /* a 32-bit program, even if this machine can run it */
	RS_PROGRAM_OTHER_MACHINE,
	RS_PROGRAM_OTHER_LIBRARY, /* its C library is not glibc */
};

/* Find the kind of a command, which is searched in PATH like execvp(3) does. For a script this is
 * the kind of its interpreter. Unless the kind is RS_PROGRAM_UNKNOWN, fill path with the file that
 * has this kind. */
enum rs_program_kind rs_program_kind_find(char path[PATH_MAX], const char *command);

/* Find a program as execvp(3) does: by its path if it contains '/', else in the directories of
 * PATH. Fill path. Return false if there is no executable regular file of that name. */
bool rs_program_find(char path[PATH_MAX], const char *command);

#endif
