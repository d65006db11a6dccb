/* SPDX-License-Identifier: MIT */
/*
 * Two paths in, as a user wrote them; whether they are of one file out. Files that are there are
 * compared by themselves, others by the directories in which they would come to be, behind all links.
 */
#include "base/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 /* as the kernel follows (path_resolution(7)) */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* How much of a path is its directory, with the slash; 0: it has none. */
static size_t directory_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The path that a link leads to that leads to no file yet; or the path itself. False: it is too long. */
static bool follow(const char *path, char target[PATH_MAX])
{
	char link[PATH_MAX];
	ssize_t bytes;
	if (strlen(path) >= PATH_MAX)
		return false;
	strcpy(target, path);
	for (int i = 0; i < MOST_LINKS && (bytes = readlink(target, link, PATH_MAX - 1)) > 0; i++) {
		size_t kept = link[0] == '/' ? 0 : directory_bytes(target);
		if (kept + (size_t)bytes >= PATH_MAX)
			return false;
		memcpy(target + kept, link, (size_t)bytes);
		target[kept + (size_t)bytes] = '\0';
	}
	return true;
}

/* The directory that a file would come to be in, and its name there. False: there is none. */
static bool find_directory(const char *path, char name[PATH_MAX], struct stat *directory)
{
	char target[PATH_MAX];
	if (!follow(path, target))
		return false;
	size_t kept = directory_bytes(target);
	strcpy(name, target + kept);
	target[kept] = '\0';
	return stat(kept > 0 ? target : ".", directory) == 0;
}

bool rs_is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;
	char name_a[PATH_MAX], name_b[PATH_MAX];
	if (strcmp(a, b) == 0)
		return true;
	bool is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;
	if (is_a || is_b)
		return is_a && is_b && S_ISREG(of_a.st_mode) && is_same(&of_a, &of_b);
	return find_directory(a, name_a, &of_a) && find_directory(b, name_b, &of_b) &&
	       is_same(&of_a, &of_b) && strcmp(name_a, name_b) == 0;
}
