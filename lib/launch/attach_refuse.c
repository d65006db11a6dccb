/* SPDX-License-Identifier: MIT */
/*
 * This file explains why a process cannot be measured. It checks the rules of ptrace(2), "Ptrace
 * access mode checking", in the order in which the kernel applies them.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "launch/attach.h"
#include "launch/processes.h"
#include "plan/host.h"

bool rs_attach_status(pid_t pid, const char *name, char *value, size_t bytes)
{
	return rs_host_field(value, bytes, name, "/proc/%d/status", (int)pid);
}

/* Return true if the cgroup of a process is frozen (cgroups(7): cgroup.events, or freezer.state in
 * version 1). Both files also tell whether a cgroup above it is frozen. */
static bool is_frozen(pid_t pid)
{
	char text[8192], state[256], *rest = NULL;
	rs_host_read(text, sizeof(text), "/proc/%d/cgroup", (int)pid);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		/* "4:freezer:/path", or "0::/path" of version 2 */
		const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		if (path && path == list + 1)
			rs_host_read(
				state, sizeof(state), "/sys/fs/cgroup%s/cgroup.events", path + 1);
		else if (path && strncmp(list, ":freezer:", 9) == 0)
			rs_host_read(state, sizeof(state), "/sys/fs/cgroup/freezer%s/freezer.state",
				path + 1);
		else
			continue;
		if (strstr(state, "frozen 1") || strncmp(state, "FROZEN", 6) == 0)
			return true;
	}
	return false;
}

uint32_t rs_attach_own_id(pid_t id)
{
	char text[512] = "";
	rs_attach_status(id, "NSpid", text, sizeof(text));
	const char *last = strrchr(text, '\t');
	return (uint32_t)strtoul(last ? last : text, NULL, 10);
}

bool rs_attach_is_stopped(pid_t pid)
{
	char text[64];
	return (rs_attach_status(rs_process_thread(pid), "State", text, sizeof(text)) &&
		       (*text == 'T' || *text == 't')) ||
	       is_frozen(pid);
}

bool rs_attach_has_our_namespace(pid_t pid, const char *kind)
{
	struct stat ours, its;
	char path[48];
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	if (stat(path, &ours) != 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)rs_process_thread(pid), kind);
	return stat(path, &its) != 0 || rs_stat_is_same(&its, &ours);
}

/* Return true if a process is in another user namespace. Compare the files uid_map, because every
 * process can read them. /proc/PID/ns can be read only with access to the process. */
static bool has_other_users(pid_t pid)
{
	char ours[4096], its[4096];
	return rs_host_read(ours, sizeof(ours), "/proc/self/uid_map") == 0 &&
	       rs_host_read(its, sizeof(its), "/proc/%d/uid_map", (int)pid) == 0 &&
	       strcmp(ours, its) != 0;
}

static int yama_scope(void)
{
	char text[16];
	rs_host_read(text, sizeof(text), "/proc/sys/kernel/yama/ptrace_scope");
	return (int)strtol(text, NULL, 10);
}

static bool refuse_user(pid_t pid, unsigned its, bool is_protected, struct rs_err *err)
{
	const struct passwd *user = getpwuid(its);
	rs_err_set(err, "process %d belongs to user %u, and this regionstat to user %u", (int)pid,
		its, (unsigned)geteuid());
	if (is_protected) /* its own user could not attach */
		return rs_err_add_line(err, "try: sudo regionstat attach %d", (int)pid);
	return user ? rs_err_add_line(err, "try: sudo -u %s regionstat attach %d, or as root",
			      user->pw_name, (int)pid)
		    : rs_err_add_line(err, "try: as that user, or as root");
}

bool rs_attach_refuse(pid_t pid, int number, struct rs_err *err)
{
	char text[64], path[32];
	unsigned real = 0, its = 0, saved = 0;
	struct stat status;
	if (number == ESRCH || number == ENOENT) {
		rs_err_set(err, "there is no process %d", (int)pid);
		return rs_err_add_line(err, "try: pgrep -a NAME");
	}
	if (number != EPERM && number != EACCES)
		return rs_err_set_errno(err, number, "cannot read process %d", (int)pid);
	bool is_known = rs_attach_status(pid, "Uid", text, sizeof(text)) &&
			sscanf(text, "%u %u %u", &real, &its, &saved) == 3;
	/* If a process is not dumpable, its files in /proc belong to root (proc(5)). */
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)rs_process_thread(pid));
	bool is_protected = is_known && stat(path, &status) == 0 && status.st_uid != its;
	if (is_known && geteuid() != 0 &&
		(its != geteuid() || real != geteuid() || saved != geteuid()))
		return refuse_user(pid, its != geteuid() ? its : real, is_protected, err);
	if (has_other_users(pid)) {
		rs_err_set(err, "process %d is in another user namespace", (int)pid);
		return rs_err_add_line(err,
			"try: regionstat in its container, or as the user who made the namespace");
	}
	if (is_protected) {
		rs_err_set(err, "process %d is protected: it is not dumpable (prctl(2))", (int)pid);
		return rs_err_add_line(err, "try: as root, or PR_SET_DUMPABLE in the program");
	}
	int scope = yama_scope();
	if (scope == 1) {
		rs_err_set(err, "the kernel allows a process to attach only to its children "
				"(kernel.yama.ptrace_scope is 1)");
		return rs_err_add_line(err,
			"try: sudo regionstat attach %d, or PR_SET_PTRACER in the program",
			(int)pid);
	}
	if (scope > 1) {
		rs_err_set(err, "the kernel %s (kernel.yama.ptrace_scope is %d)",
			scope == 2 ? "allows this only for root" : "lets nobody attach", scope);
		return rs_err_add_line(err,
			scope == 2 ? "try: sudo regionstat attach %d"
				   : "try: start the program again: regionstat COMMAND",
			(int)pid);
	}
	rs_err_set_errno(err, number, "cannot access process %d", (int)pid);
	return rs_err_add_line(err,
		geteuid() ? "it may have more capabilities, or a security module or a seccomp "
			    "filter may forbid it; try: as root"
			  : "a security module, a seccomp filter or a container may forbid it; "
			    "try: on the host, outside of containers");
}
