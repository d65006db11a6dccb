/* SPDX-License-Identifier: MIT */
/*
 * The kind of a command's program: whether adapters, which are built for this machine and its C
 * library, can be loaded into it.
 */
#ifndef RS_LAUNCH_PROGRAM_KIND_H
#define RS_LAUNCH_PROGRAM_KIND_H

#include <limits.h>

enum rs_program_kind {
	RS_PROGRAM_UNKNOWN, /* it is not there, or cannot be read */
	RS_PROGRAM_OURS, /* linked dynamically, with glibc, of this machine's kind */
	RS_PROGRAM_STATIC, /* nothing is loaded into it; what it starts may be another */
	RS_PROGRAM_PRIVILEGED, /* has more rights than its user's, so that nothing is */
	RS_PROGRAM_32_BITS, /* also of this kind of processor */
	RS_PROGRAM_OTHER_MACHINE,
	RS_PROGRAM_OTHER_LIBRARY, /* its C library is not glibc */
};

/* Find out. command: looked up in PATH as execvp(3) does; of a script its interpreter is looked at.
 * path: filled with the file that was, unless it is RS_PROGRAM_UNKNOWN. */
enum rs_program_kind rs_program_kind_find(char path[PATH_MAX], const char *command);

#endif
