/* SPDX-License-Identifier: MIT */
/*
 * This file reads tracefs. tracefs has a directory for each system, such as sched. The directory of
 * a system contains a directory for each tracepoint, with a file `id`. The file uprobe_events lists
 * the tracepoints that are probes in programs (Documentation/trace/uprobetracer.rst).
 */
#include "plan/host.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 256;
}

/* Return 0 if tracefs is mounted and readable; otherwise an errno value. */
static int check_mount(const struct rs_host *host)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof(path), "%s/events", host->tracefs);
	DIR *directory = opendir(path);
	if (!directory)
		return errno;
	closedir(directory);
	return 0;
}

int rs_tracefs_find(const struct rs_host *host, const char *system, const char *name, uint64_t *id,
	int *tracefs_error)
{
	*tracefs_error = check_mount(host);
	if (*tracefs_error)
		return *tracefs_error;
	if (!is_plain_name(system) || !is_plain_name(name))
		return ENOENT;
	char text[32];
	int error = rs_host_read(
		text, sizeof(text), "%s/events/%s/%s/id", host->tracefs, system, name);
	if (error == EACCES || error == EPERM)
		*tracefs_error = error;
	if (error)
		return error;
	char *end;
	errno = 0;
	*id = strtoull(text, &end, 10);
	return errno || end == text || *end ? ENOENT : 0;
}

bool rs_tracefs_is_uprobe(const struct rs_host *host, const char *system, const char *name)
{
	char path[PATH_BYTES];
	char probe[2 * NAME_MAX + 4]; /* after the letter p or r: ":SYSTEM/NAME PATH:OFFSET" */
	snprintf(path, sizeof(path), "%s/uprobe_events", host->tracefs);
	int length = snprintf(probe, sizeof(probe), ":%s/%s ", system, name);
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool is_found = false;
	while (file && !is_found && getline(&line, &size, file) > 0)
		is_found = strncmp(line + 1, probe, (size_t)length) == 0;
	free(line);
	if (file)
		fclose(file);
	return is_found;
}

int rs_tracefs_visit(const struct rs_host *host, rs_event_visit *visit, void *context)
{
	char pattern[PATH_BYTES];
	glob_t found = {0};
	int error = check_mount(host);
	size_t system = strlen(host->tracefs) + strlen("/events/");
	snprintf(pattern, sizeof(pattern), "%s/events/*/*/id", host->tracefs);
	if (!error)
		glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *name = found.gl_pathv[i] + system;
		*strrchr(name, '/') = '\0';
		*strchr(name, '/') = ':';
		visit(context, NULL, name, "");
	}
	globfree(&found);
	return error;
}
