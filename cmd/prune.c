/* SPDX-License-Identifier: MIT */
/*
 * This file removes the files of old periods (output.h). It does not keep a list of these files,
 * but searches the directory. Therefore it also removes files of earlier runs, and memory does not
 * grow.
 */
#include "output.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

/* Return true if name is the file of a period: it equals base except for the time, which begins at
 * n_before. */
static bool is_period(const char *name, const char *base, size_t n_before, const char *time)
{
	size_t n_time = strlen(time);
	if (strlen(name) != strlen(base) || strncmp(name, base, n_before) != 0 ||
		strcmp(name + n_before + n_time, base + n_before + n_time) != 0)
		return false;
	for (size_t i = 0; i < n_time; i++) {
		char is = name[n_before + i];
		if (isdigit((unsigned char)time[i]) ? !isdigit((unsigned char)is) : is != time[i])
			return false;
	}
	return true;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void remove_oldest(int directory, const char **names, size_t n, size_t keep)
{
	qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 0; i + keep < n; i++)
		unlinkat(directory, names[i], 0);
}

void rs_prune(const char *path, const char *time, size_t keep)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *at = strstr(base, time);
	struct rs_arena arena = {0};
	const char *folder = rs_arena_format(
		&arena, "%.*s", slash ? (int)(base - path) : 1, slash ? path : ".");
	DIR *directory = folder && at ? opendir(folder) : NULL;
	const char **names = NULL;
	size_t n = 0;
	struct dirent *entry;
	while (directory && (entry = readdir(directory))) {
		if (!is_period(entry->d_name, base, (size_t)(at - base), time))
			continue;
		const char **grown = rs_arena_room(&arena, names, n, sizeof(*names));
		const char *name = rs_arena_format(&arena, "%s", entry->d_name);
		if (!grown || !name)
			break;
		names = grown;
		names[n++] = name;
	}
	if (directory) {
		remove_oldest(dirfd(directory), names, n, keep);
		closedir(directory);
	}
	rs_arena_finish(&arena);
}
