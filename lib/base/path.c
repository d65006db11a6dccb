/* SPDX-License-Identifier: MIT */
/*
 * This file compares two paths that a user wrote, and says what to try if a file cannot be written.
 * It compares existing files by device and inode. If a file does not exist yet, it follows symbolic
 * links, and compares the file's name and the directory in which it would be created.
 */
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define MOST_LINKS 40 /* the kernel's limit (path_resolution(7)) */

/* Return the length of path's directory with its final slash, or 0 if path has no slash. */
static size_t directory_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Follow path while it is a symbolic link, even if its final target does not exist. Fill target
 * with the result. Return false if it is too long. */
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

/* Find where the file of path would be created: fill name with its name and directory with its
 * directory. Return false if that directory does not exist. */
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
		return is_a && is_b && S_ISREG(of_a.st_mode) && rs_stat_is_same(&of_a, &of_b);
	return find_directory(a, name_a, &of_a) && find_directory(b, name_b, &of_b) &&
	       rs_stat_is_same(&of_a, &of_b) && strcmp(name_a, name_b) == 0;
}

bool rs_has_directory(const char *path)
{
	char name[PATH_MAX];
	struct stat directory;
	return find_directory(path, name, &directory);
}

bool rs_err_set_unwritable(
	struct rs_err *err, int number, const char *what, const char *path, const char *option)
{
	rs_err_set_errno(err, number, "cannot write %sto '%s'", what, rs_text_shown(path).text);
	switch (number) {
	case ENOENT:
		if (!rs_has_directory(path))
			return rs_err_add_line(err, "try: create the directory first");
		/* the directory exists, but forbids new files, as /proc does */
		return rs_err_add_line(
			err, "try: %s in another directory: this one takes no new files", option);
	case EISDIR:
		return rs_err_add_line(err, "try: %s with the name of a file in it", option);
	case ENOSPC:
	case EDQUOT:
		return rs_err_add_line(err, "try: %s on a file system with free space", option);
	case EMFILE:
		return rs_err_add_line(err, "try: ulimit -n 256");
	default:
		return rs_err_add_line(err, "try: %s with a file that you may write", option);
	}
}
