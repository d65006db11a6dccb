/* SPDX-License-Identifier: MIT */
/* This file searches a command in PATH. An empty directory in PATH means the current directory. */
#include "launch/program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool rs_program_find(char path[PATH_MAX], const char *command)
{
	const char *list = getenv("PATH");
	int n;
	if (strchr(command, '/')) {
		n = snprintf(path, PATH_MAX, "%s", command);
		return n > 0 && n < PATH_MAX && is_program(path);
	}
	for (const char *at = list ? list : "/bin:/usr/bin";; at++) {
		size_t length = strcspn(at, ":");
		n = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length > 0 ? "/" : "",
			command);
		if (n > 0 && n < PATH_MAX && is_program(path))
			return true;
		at += length;
		if (*at == '\0')
			return false;
	}
}
