/* SPDX-License-Identifier: MIT */
/* struct rs_environment contains environment variables for the program. The program gets them in
 * addition to the launcher's variables, or instead of variables with the same name. */
#ifndef RS_LAUNCH_ENVIRONMENT_H
#define RS_LAUNCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct rs_variable {
	const char *name; /* belongs to the caller of rs_environment_set() */
	const char *value;
};

/* A list of variables. A zeroed list is empty. */
struct rs_environment {
	struct rs_variable *variables; /* each name occurs once */
	size_t n;
	struct rs_arena arena; /* owns the array and the values */
};

/* Return the value that the program will have for a name: from the list, or from the launcher's
 * environment. Return NULL if there is none. */
const char *rs_environment_get(const struct rs_environment *environment, const char *name);

/* Set a variable to a formatted value. Call this in rs_arena_guard(). */
void rs_environment_set(struct rs_environment *environment, const char *name, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Return true if the list contains a variable. */
bool rs_environment_has(const struct rs_environment *environment, const char *name);

void rs_environment_finish(struct rs_environment *environment);

#endif
