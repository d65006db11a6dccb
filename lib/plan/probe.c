/* SPDX-License-Identifier: MIT */
/*
 * This file tries events on the calling thread. perf_event_open(2) checks whether an event exists,
 * whether this process may count it, and whether a group fits the PMU (EINVAL). So the answers are
 * exact, and the program is not slowed down.
 */
#include "plan/probe.h"

#include <errno.h>

#include "segment/layout.h"

#define READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

bool rs_attr_needs_pmu(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT && attr->type != RS_TYPE_RUSAGE;
}

static int try_open(const struct rs_host *host, const struct perf_event_attr *attr, int group_fd)
{
	struct perf_event_attr trial = *attr;
	/* Only the leader is disabled, because the members of a group run only while their leader
	 * is enabled. To check whether a group fits, the kernel looks only at events that could
	 * run. On x86 it ignores disabled events, on arm only those without enable_on_exec. So the
	 * leader has enable_on_exec, and is closed before any exec. */
	trial.disabled = group_fd < 0;
	trial.enable_on_exec = group_fd < 0;
	trial.read_format = READ_FORMAT;
	return host->open_event(&trial, group_fd);
}

static int try_alone(const struct rs_host *host, const struct perf_event_attr *attr)
{
	int fd = try_open(host, attr, -1);
	if (fd < 0)
		return -fd;
	host->close(fd);
	return 0;
}

/* Try an event. PMUs that cannot count guests reject exclude_guest; so try the event again without
 * this bit. */
static int try_with_guest(const struct rs_host *host, struct perf_event_attr *attr)
{
	int error = try_alone(host, attr);
	if (error != EINVAL || !attr->exclude_guest || attr->exclude_host)
		return error;
	attr->exclude_guest = 0;
	int second = try_alone(host, attr);
	if (second)
		attr->exclude_guest = 1;
	return second;
}

struct rs_probe rs_probe_event(
	const struct rs_host *host, struct perf_event_attr *attr, bool keep_kernel)
{
	if (attr->type == RS_TYPE_RUSAGE) /* every kernel supports getrusage(2), for every user */
		return (struct rs_probe){.error = 0};
	int error = try_with_guest(host, attr);
	if ((error != EACCES && error != EPERM) || attr->exclude_kernel)
		return (struct rs_probe){.error = error};
	struct perf_event_attr user_only = *attr;
	user_only.exclude_user = 0;
	user_only.exclude_kernel = 1;
	user_only.exclude_hv = 1;
	int second = try_with_guest(host, &user_only);
	if (second == 0 && !keep_kernel) {
		*attr = user_only;
		return (struct rs_probe){.user_only = true};
	}
	/* The kernel checks rights first. It says that an event does not exist only if the rights
	 * suffice. */
	bool is_absent = second == ENOENT || second == ENODEV || second == EOPNOTSUPP;
	return (struct rs_probe){.error = is_absent ? second : error};
}

size_t rs_probe_group(const struct rs_host *host, const struct perf_event_attr *const *attrs,
	size_t n_attrs, int *error)
{
	int fds[RS_MAX_EVENTS];
	size_t n_open = 0;
	size_t n_usage = 0;
	for (size_t i = 0; i < n_attrs; i++)
		n_usage += attrs[i]->type == RS_TYPE_RUSAGE;
	*error = n_usage > 0 && n_usage < n_attrs ? EINVAL : 0;
	if (n_usage > 0) /* getrusage(2) needs no descriptor */
		return *error ? 0 : n_attrs;
	while (n_open < n_attrs && !*error) {
		int fd = try_open(host, attrs[n_open], n_open > 0 ? fds[0] : -1);
		if (fd < 0)
			*error = -fd;
		else
			fds[n_open++] = fd;
	}
	for (size_t i = n_open; i > 0; i--)
		host->close(fds[i - 1]);
	return n_open;
}
