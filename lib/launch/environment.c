/* SPDX-License-Identifier: MIT */
/* This file keeps a short list of environment variables. child.c adds them to the program's
 * environment. */
#include "launch/environment.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Return the index of a variable, or n if it is not in the list. */
static size_t find(const struct rs_environment *environment, const char *name)
{
	size_t i = 0;
	while (i < environment->n && strcmp(environment->variables[i].name, name) != 0)
		i++;
	return i;
}

const char *rs_environment_get(const struct rs_environment *environment, const char *name)
{
	size_t i = find(environment, name);
	return i < environment->n ? environment->variables[i].value : getenv(name);
}

void rs_environment_set(
	struct rs_environment *environment, const char *name, const char *format, ...)
{
	size_t i = find(environment, name);
	va_list arguments;
	va_start(arguments, format);
	const char *value = rs_arena_vformat(&environment->arena, format, arguments);
	va_end(arguments);
	if (i == environment->n) {
		environment->variables = rs_arena_room(&environment->arena, environment->variables,
			i, sizeof(*environment->variables));
		environment->n++;
	}
	environment->variables[i] = (struct rs_variable){name, value};
}

bool rs_environment_has(const struct rs_environment *environment, const char *name)
{
	return find(environment, name) < environment->n;
}

void rs_environment_finish(struct rs_environment *environment)
{
	rs_arena_finish(&environment->arena);
	*environment = (struct rs_environment){0};
}
