/* SPDX-License-Identifier: MIT */
/* This file keeps a short list of environment variables. child.c adds them to the program's
 * environment. */
#include "launch/environment.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Return true if variable is "name=...". */
static bool is_of(const char *variable, const char *name, size_t length)
{
	return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/* Return the index of a variable, or n if it is not in the list. */
static size_t find(const struct rs_environment *environment, const char *name, size_t length)
{
	size_t i = 0;
	while (i < environment->n && !is_of(environment->variables[i], name, length))
		i++;
	return i;
}

const char *rs_environment_get(const struct rs_environment *environment, const char *name)
{
	size_t length = strlen(name), i = find(environment, name, length);
	return i < environment->n ? environment->variables[i] + length + 1 : getenv(name);
}

void rs_environment_set(
	struct rs_environment *environment, const char *name, const char *format, ...)
{
	struct rs_arena *arena = &environment->arena;
	size_t i = find(environment, name, strlen(name));
	va_list arguments;
	va_start(arguments, format);
	const char *value = rs_arena_vformat(arena, format, arguments);
	va_end(arguments);
	const char *variable = rs_arena_format(arena, "%s=%s", name, value);
	if (i == environment->n) {
		environment->variables = rs_arena_room(
			arena, environment->variables, i, sizeof(*environment->variables));
		environment->n++;
	}
	environment->variables[i] = variable;
}

bool rs_environment_has(const struct rs_environment *environment, const char *variable)
{
	return find(environment, variable, strcspn(variable, "=")) < environment->n;
}

void rs_environment_finish(struct rs_environment *environment)
{
	rs_arena_finish(&environment->arena);
	*environment = (struct rs_environment){0};
}
