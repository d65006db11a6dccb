/* SPDX-License-Identifier: MIT */
/* This file reads cpu.stat of a process's cgroup and of the cgroups above it. */
#include "launch/throttle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan/host.h"

/* Return nr_throttled of the cgroup whose directory is root and the first `bytes` bytes of path. */
static uint64_t read_count(const char *root, const char *path, size_t bytes)
{
	char text[1024];
	uint64_t n = 0;
	if (rs_host_read(text, sizeof(text), "%s%.*s/cpu.stat", root, (int)bytes, path) != 0)
		return 0;
	const char *at = strstr(text, "nr_throttled ");
	return at && sscanf(at, "nr_throttled %" SCNu64, &n) == 1 ? n : 0;
}

/* Return true if a comma-separated list of controllers contains cpu. */
static bool has_cpu(const char *list, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += strcspn(list + at, ",:") + 1)
		if (strcspn(list + at, ",:") == 3 && memcmp(list + at, "cpu", 3) == 0)
			return true;
	return false;
}

uint64_t rs_throttled_now(pid_t pid)
{
	char text[8192], *rest = NULL;
	uint64_t n = 0;
	rs_host_read(text, sizeof(text), "/proc/%d/cgroup", (int)pid);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		/* "4:cpu,cpuacct:/path", or "0::/path" of version 2 */
		const char *list = strchr(line, ':');
		const char *path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		list++;
		bool is_new = path == list;
		if (!is_new && !has_cpu(list, (size_t)(path - list)))
			continue;
		/* in a container, the path may be that of the host; its "/" is the container's */
		const char *root = is_new ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
		path++;
		for (size_t bytes = strlen(path); bytes > 1; bytes--)
			if (path[bytes] == '/' || path[bytes] == '\0')
				n += read_count(root, path, bytes);
		n += read_count(root, path, 0);
	}
	return n;
}
