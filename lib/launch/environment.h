/* SPDX-License-Identifier: MIT */
/*
 * Variables that a program's environment has beside, or in place of, the launcher's own.
 */
#ifndef RS_LAUNCH_ENVIRONMENT_H
#define RS_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define RS_ENVIRONMENT_VARIABLES 24u

/* Zeroed: none. */
struct rs_environment {
	char *variables[RS_ENVIRONMENT_VARIABLES]; /* NAME=VALUE, each name once; owned */
	size_t n;
};

/* The program's value of a name: the one set here, or else the launcher's; NULL: none. */
const char *rs_environment_get(const struct rs_environment *environment, const char *name);

/* Set one to what printf makes of the rest. False: no memory. */
bool rs_environment_set(struct rs_environment *environment, const char *name, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Whether a variable NAME=VALUE is one that is set here. */
bool rs_environment_has(const struct rs_environment *environment, const char *variable);

void rs_environment_finish(struct rs_environment *environment);

#endif
