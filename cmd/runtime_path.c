/* SPDX-License-Identifier: MIT */
/*
 * This file finds the runtime, the adapters and the metrics from the path of this command. The
 * build defines the installation directories (REGIONSTAT_BINDIR, REGIONSTAT_LIBDIR,
 * REGIONSTAT_DATADIR, REGIONSTAT_PREFIX). Only the relative paths between these directories are
 * used, so that an installation or build can be moved.
 */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define RUNTIME_FILE "libregionstat.so.1"

/* a file that is always in the directory of metrics */
#define METRICS_FILE "usual.yaml"

/* The directory of the command in each kind of directory tree: the build, the installation, and two
 * common layouts. */
static const char *const bindirs[] = {"cmd", REGIONSTAT_BINDIR, "bin", "bin"};
#define N_TREES (sizeof(bindirs) / sizeof(bindirs[0]))

/* The directories of one kind of file, relative to the root of each kind of tree. */
struct place {
	const char *directories[N_TREES]; /* NULL: such a tree has none */
	const char *own; /* relative to the command's directory; NULL: none */
	const char *fallback; /* relative to the prefix of the build */
};

/* Fill path with the file if it exists, and resolve symbolic links, because programs check each
 * part of the path. A file that cannot be read is accepted; its reader reports the error. */
static bool take_if_there(
	char path[PATH_MAX], const char *prefix, const char *directory, const char *file)
{
	char written[PATH_MAX];
	const char *between = directory[0] == '/' ? "" : "/";
	if (directory[0] == '/')
		prefix = "";
	int length = snprintf(written, PATH_MAX, "%s%s%s/%s", prefix, between, directory, file);
	return length > 0 && length < PATH_MAX && access(written, F_OK) == 0 &&
	       realpath(written, path) != NULL;
}

/* Find the directory of this command. If /proc is not available, use the name by which the command
 * was executed. */
static bool own_directory(char directory[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	directory[length > 0 ? length : 0] = '\0';
	const char *executed = (const char *)getauxval(AT_EXECFN);
	if (length <= 0 && (!executed || !realpath(executed, directory)))
		return false;
	char *slash = strrchr(directory, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* Remove "/suffix" from the end of directory. Return false if directory does not end in it. */
static bool cut_suffix(char *directory, const char *suffix)
{
	size_t length = strlen(directory), cut = strlen(suffix);
	if (length <= cut || directory[length - cut - 1] != '/' ||
		strcmp(directory + length - cut, suffix) != 0)
		return false;
	directory[length - cut - 1] = '\0';
	return true;
}

static bool find_file(char path[PATH_MAX], const char *file, const struct place *place)
{
	char directory[PATH_MAX];
	if (!own_directory(directory))
		return take_if_there(path, REGIONSTAT_PREFIX, place->fallback, file);
	for (size_t i = 0; i < N_TREES; i++) {
		char prefix[PATH_MAX];
		memcpy(prefix, directory, sizeof(prefix));
		if (place->directories[i] && cut_suffix(prefix, bindirs[i]) &&
			take_if_there(path, prefix, place->directories[i], file))
			return true;
	}
	return (place->own && take_if_there(path, directory, place->own, file)) ||
	       take_if_there(path, REGIONSTAT_PREFIX, place->fallback, file);
}

bool rs_runtime_path_find(char path[PATH_MAX])
{
	static const struct place place = {
		{"lib/runtime", REGIONSTAT_LIBDIR, "lib", "lib64"}, ".", REGIONSTAT_LIBDIR};
	return find_file(path, RUNTIME_FILE, &place);
}

bool rs_adapter_path_find(char path[PATH_MAX], const char *file)
{
	static const char installed[] = REGIONSTAT_LIBDIR "/regionstat";
	static const struct place place = {
		{"lib/adapters", installed, "lib/regionstat", "lib64/regionstat"}, "regionstat",
		installed};
	return find_file(path, file, &place);
}

bool rs_metrics_path_find(char path[PATH_MAX])
{
	static const char installed[] = REGIONSTAT_DATADIR "/regionstat/metrics";
	static const struct place place = {
		{"lib/metrics/files", installed, "share/regionstat/metrics"}, NULL, installed};
	if (!find_file(path, METRICS_FILE, &place))
		return false;
	path[strlen(path) - strlen("/" METRICS_FILE)] = '\0';
	return true;
}
