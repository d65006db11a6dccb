/* SPDX-License-Identifier: MIT */
/*
 * Which file a command is.
 */
#ifndef RS_LAUNCH_PROGRAM_PATH_H
#define RS_LAUNCH_PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Find a program as execvp(3) does: by its path where it has a '/', else in the directories of
 * PATH. path[PATH_MAX]: filled. False: there is no regular file of that name that may be executed.
 */
bool rs_program_find(char path[PATH_MAX], const char *command);

#endif
