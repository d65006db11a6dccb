/* SPDX-License-Identifier: MIT */
/* The search for a command's file. */
#ifndef RS_LAUNCH_PROGRAM_PATH_H
#define RS_LAUNCH_PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>

/* Find a program as execvp(3) does: by its path if it contains '/', else in the directories of
 * PATH. Fill path. Return false if there is no executable regular file of that name. */
bool rs_program_find(char path[PATH_MAX], const char *command);

#endif
