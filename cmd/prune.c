/* SPDX-License-Identifier: MIT */
/*
 * This file removes the files of old periods (output.h). It does not keep a list of these files,
 * but searches the directory. Therefore it also removes files of earlier runs, and memory does not
 * grow.
 */
#include "output.h"

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return a pattern of glob(3) for the files of all periods: they differ in the digits of the time,
 * which is in path at `at`. Return NULL if memory runs out. */
static char *pattern_of(const char *path, const char *at, size_t n_time)
{
	char *pattern = calloc(strlen(path) + 1, strlen("[0-9]")), *end = pattern;
	for (const char *c = path; pattern && *c; c++) {
		bool is_of_time = c >= at && c < at + n_time;
		if (is_of_time && isdigit((unsigned char)*c)) {
			end = stpcpy(end, "[0-9]");
			continue;
		}
		if (strchr("*?[\\", *c))
			*end++ = '\\';
		*end++ = *c;
	}
	return pattern;
}

void rs_prune(const char *path, const char *time, size_t keep)
{
	const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, time);
	char *pattern = at ? pattern_of(path, at, strlen(time)) : NULL;
	glob_t found;
	if (pattern && glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i + keep < found.gl_pathc; i++) /* the oldest is the first */
			unlink(found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}
