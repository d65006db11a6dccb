/* SPDX-License-Identifier: MIT */
/* A short list of environment variables, which child.c adds to the program's environment. */
#include "launch/environment.h"

#include <stdarg.h>
#include <stdio.h>
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

bool rs_environment_set(
	struct rs_environment *environment, const char *name, const char *format, ...)
{
	char *value = NULL, *variable = NULL;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&value, format, arguments) < 0)
		value = NULL;
	va_end(arguments);
	if (!value || asprintf(&variable, "%s=%s", name, value) < 0)
		variable = NULL;
	free(value);
	size_t i = find(environment, name, strlen(name));
	if (!variable || i == RS_ENVIRONMENT_VARIABLES) {
		free(variable);
		return false;
	}
	if (i == environment->n)
		environment->n++;
	else
		free(environment->variables[i]);
	environment->variables[i] = variable;
	return true;
}

bool rs_environment_has(const struct rs_environment *environment, const char *variable)
{
	return find(environment, variable, strcspn(variable, "=")) < environment->n;
}

void rs_environment_finish(struct rs_environment *environment)
{
	for (size_t i = 0; i < environment->n; i++)
		free(environment->variables[i]);
	*environment = (struct rs_environment){0};
}
