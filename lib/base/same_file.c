/* SPDX-License-Identifier: MIT */
/*
 * Two paths in, as a user wrote them; whether they are of one file out. Files that are there are
 * compared by themselves, others by the directories in which they would come to be.
 */
#include "base/same_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The last part of a path, and the directory that it is in. False: there is none. */
static bool find_directory(const char *path, const char **last, struct stat *directory)
{
	char text[4096] = ".";
	const char *slash = strrchr(path, '/');
	*last = slash ? slash + 1 : path;
	if (slash) {
		int length = snprintf(text, sizeof(text), "%.*s", (int)(slash + 1 - path), path);
		if (length < 0 || (size_t)length >= sizeof(text))
			return false;
	}
	return stat(text, directory) == 0;
}

bool rs_is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;
	const char *last_a, *last_b;
	if (strcmp(a, b) == 0)
		return true;
	bool is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
	if (is_a || is_b)
		return is_a && is_b && S_ISREG(of_a.st_mode) && is_same(&of_a, &of_b);
	return find_directory(a, &last_a, &of_a) && find_directory(b, &last_b, &of_b) &&
	       is_same(&of_a, &of_b) && strcmp(last_a, last_b) == 0;
}
