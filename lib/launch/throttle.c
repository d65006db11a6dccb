/* SPDX-License-Identifier: MIT */
/* This file reads cpu.stat of a process's cgroup and of the cgroups above it, and /proc/stat. */
#include "launch/throttle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Return the throttled time of the cgroup whose directory is the first `bytes` bytes of path. */
static uint64_t read_ns(const char *path, size_t bytes)
{
	char text[1024];
	uint64_t time;
	rs_host_read(text, sizeof(text), "%.*s/cpu.stat", (int)bytes, path);
	const char *new = strstr(text, "throttled_usec "), *old = strstr(text, "throttled_time ");
	if (new &&sscanf(new, "throttled_usec %" SCNu64, &time) == 1)
		return time * 1000;
	return old && sscanf(old, "throttled_time %" SCNu64, &time) == 1 ? time : 0;
}

/* Return the sum of the throttled times of a cgroup and all cgroups above it. Only the cgroup that
 * has the limit counts the time, and any of these cgroups can have it. */
static uint64_t read_all_ns(const struct rs_throttle *throttle)
{
	uint64_t sum_ns = 0;
	for (size_t bytes = strlen(throttle->path); bytes > throttle->root_bytes; bytes--)
		if (throttle->path[bytes] == '/' || throttle->path[bytes] == '\0')
			sum_ns += read_ns(throttle->path, bytes);
	return sum_ns + read_ns(throttle->path, throttle->root_bytes);
}

/* Return true if a comma-separated list of controllers contains cpu. */
static bool has_cpu(const char *list, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += strcspn(list + at, ",:") + 1)
		if (strcspn(list + at, ",:") == 3 && memcmp(list + at, "cpu", 3) == 0)
			return true;
	return false;
}

/* Set the path, which is "" if the cgroup is unknown. */
static void find_path(struct rs_throttle *throttle, pid_t pid)
{
	char text[8192], *rest = NULL;
	bool is_old = false;
	throttle->path[0] = '\0';
	rs_host_read(text, sizeof(text), "%s/%d/cgroup", throttle->host->proc, (int)pid);
	for (char *line = strtok_r(text, "\n", &rest); line && !is_old;
		line = strtok_r(NULL, "\n", &rest)) {
		/* "4:cpu,cpuacct:/path", or "0::/path" of version 2 */
		const char *list = strchr(line, ':'), *path = list ? strchr(++list, ':') : NULL;
		is_old = path && has_cpu(list, (size_t)(path - list));
		if (!path || (!is_old && path != list))
			continue;
		/* In a container, the path may be that of the host. The directory fs/cgroup of
		 * sysfs is then the container's own cgroup. */
		const char *cpu = is_old ? "/cpu" : "", *sysfs = throttle->host->sysfs;
		throttle->root_bytes = strlen(sysfs) + strlen("/fs/cgroup") + strlen(cpu);
		snprintf(throttle->path, sizeof(throttle->path), "%s/fs/cgroup%s%s", sysfs, cpu,
			strcmp(path, ":/") == 0 ? "" : path + 1);
	}
}

bool rs_throttle_watch(struct rs_throttle *throttle, pid_t pid)
{
	struct rs_throttle found = *throttle;
	find_path(&found, pid);
	if (found.path[0] == '\0')
		return false;
	if (strcmp(found.path, throttle->path) == 0)
		return true;
	rs_throttle_now(throttle);
	found.total_ns = throttle->total_ns;
	found.read_ns = read_all_ns(&found);
	*throttle = found;
	return true;
}

uint64_t rs_throttle_now(struct rs_throttle *throttle)
{
	uint64_t ns = throttle->path[0] != '\0' ? read_all_ns(throttle) : 0;
	if (ns > throttle->read_ns) {
		throttle->total_ns += ns - throttle->read_ns;
		throttle->read_ns = ns;
	}
	return throttle->total_ns;
}

/* ---- steal time ---- */

#define NS_PER_S UINT64_C(1000000000)

uint64_t rs_steal_of(const char *text, long ticks_per_s)
{
	uint64_t steal;
	/* The fields before it are user, nice, system, idle, iowait, irq and softirq. */
	if (ticks_per_s <= 0 ||
		sscanf(text, "cpu%*[ ]%*u %*u %*u %*u %*u %*u %*u %" SCNu64, &steal) != 1)
		return 0;
	uint64_t tick_ns = NS_PER_S / (uint64_t)ticks_per_s;
	return __builtin_mul_overflow(steal, tick_ns, &steal) ? 0 : steal;
}

uint64_t rs_steal_now(void)
{
	char text[512];
	bool is_known = rs_host_read(text, sizeof(text), "/proc/stat") == 0;
	return is_known ? rs_steal_of(text, sysconf(_SC_CLK_TCK)) : RS_STEAL_UNKNOWN;
}

uint64_t rs_steal_between(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns && end_ns != RS_STEAL_UNKNOWN ? end_ns - begin_ns : 0;
}
