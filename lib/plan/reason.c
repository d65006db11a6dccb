/* SPDX-License-Identifier: MIT */
/*
 * This file explains why the kernel refused an event. It combines the kernel's errno value with
 * facts from sysfs and procfs about the machine and the process's rights. The output is a line that
 * names the error, a line with the cause, and a line "try: ...".
 *
 * Source: perf_event_open(2), section ERRORS; Documentation/admin-guide/sysctl/kernel.rst for the
 * levels of kernel.perf_event_paranoid. Debian and Ubuntu kernels add levels above 2, at which
 * unprivileged users may count nothing.
 */
#include "plan/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/core_pmus.h"

#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38
#define PARANOID_UNKNOWN INT32_MAX

/* Facts about the machine and this process that explain a refusal. */
struct facts {
	int paranoid; /* kernel.perf_event_paranoid, or PARANOID_UNKNOWN */
	bool is_capable; /* this process has CAP_PERFMON or CAP_SYS_ADMIN in its user namespace */
	bool is_namespace; /* that is not the initial one, so the kernel ignores both */
	bool has_seccomp;
	bool is_container;
	bool is_virtual;
	size_t n_core_pmus;
};

struct refusal {
	struct rs_reason *reason;
	const struct rs_host *host;
	const struct rs_resolved *resolved;
	int error;
	struct facts facts;
};

/* Set the brief form of the reason. */
#define SET_BRIEF(...) snprintf(refusal->reason->brief, sizeof(refusal->reason->brief), __VA_ARGS__)

/* Return true in a user namespace other than the initial one, which maps all ids to themselves.
 * Events need capabilities in the initial namespace (include/linux/capability.h,
 * perfmon_capable()). */
static bool is_in_namespace(const struct rs_host *host)
{
	char text[128];
	unsigned int inside, outside, n;
	return rs_host_read(text, sizeof(text), "%s/self/uid_map", host->proc) == 0 &&
	       (sscanf(text, "%u %u %u", &inside, &outside, &n) != 3 || n != UINT32_MAX);
}

static bool file_exists(const struct rs_host *host, const char *path)
{
	char full[4096];
	snprintf(full, sizeof(full), "%s/%s", host->root, path);
	return access(full, F_OK) == 0;
}

static void find_facts(
	struct facts *facts, const struct rs_host *host, const struct rs_resolved *resolved)
{
	char text[4096];
	*facts = (struct facts){.paranoid = PARANOID_UNKNOWN};
	if (rs_host_read(text, sizeof(text), "%s/sys/kernel/perf_event_paranoid", host->proc) == 0)
		facts->paranoid = (int)strtol(text, NULL, 10);
	rs_host_field(text, sizeof(text), "CapEff", "%s/self/status", host->proc);
	unsigned long long capabilities = strtoull(text, NULL, 16);
	facts->is_capable = (capabilities >> CAPABILITY_PERFMON & 1) ||
			    (capabilities >> CAPABILITY_SYS_ADMIN & 1);
	facts->is_namespace = is_in_namespace(host);
	rs_host_field(text, sizeof(text), "Seccomp", "%s/self/status", host->proc);
	facts->has_seccomp = *text == '2';
	facts->is_container = file_exists(host, ".dockerenv") ||
			      file_exists(host, "run/.containerenv");
	/* n_core_pmus is used only for events that name no PMU, so do not read sysfs for others */
	struct rs_core_pmus core_pmus = {.n = 1};
	if (!resolved->pmu)
		rs_core_pmus_find(&core_pmus, host);
	facts->n_core_pmus = core_pmus.n;
	rs_host_field(text, sizeof(text), "flags", "%s/cpuinfo", host->proc);
	facts->is_virtual = strstr(text, " hypervisor");
}

/* Return true for an event of the CPU's own PMU; some machines do not have this PMU. Return false
 * for an event that names its PMU, because sysfs shows whether that PMU exists. */
static bool is_hardware(const struct rs_resolved *resolved)
{
	return resolved->kind != RS_EVENT_SOFTWARE && resolved->kind != RS_EVENT_TRACEPOINT &&
	       !resolved->pmu;
}

static bool has_modifiers(const struct rs_modifiers *modifiers)
{
	return rs_modifiers_name_privilege(modifiers) || modifiers->guest || modifiers->host ||
	       modifiers->not_idle || modifiers->precise > 0;
}

/* Return the highest level of kernel.perf_event_paranoid at which an unprivileged user may count
 * the event. */
static int paranoid_needed(const struct refusal *refusal)
{
	const struct rs_resolved *resolved = refusal->resolved;
	if (resolved->attr.exclude_kernel)
		return 2;
	bool needs_kernel = resolved->in_kernel_only || resolved->modifiers.kernel;
	/* at level 2 the event was tried in user space only, and refused */
	return needs_kernel || refusal->facts.paranoid == 2 ? 1 : 2;
}

static void explain_seccomp(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	SET_BRIEF("perf_event_open is blocked by a seccomp filter");
	rs_err_set(text, "the system call is blocked (%s)", rs_errno_name(refusal->error));
	rs_err_add_line(text, "a seccomp filter forbids perf_event_open; the default profile of "
			      "Docker and other containers does");
	rs_err_add_line(text, "try: docker run --cap-add PERFMON, or --security-opt "
			      "seccomp=PROFILE with one that allows perf_event_open");
}

static void explain_permission(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	const struct facts *facts = &refusal->facts;
	/* the kernel returns EACCES because of the sysctl; EPERM comes from a seccomp filter */
	if (refusal->error == EPERM && (facts->has_seccomp || facts->is_container)) {
		explain_seccomp(refusal);
		return;
	}
	int needed = paranoid_needed(refusal);
	rs_err_set(text, "permission denied (%s)", rs_errno_name(refusal->error));
	if ((facts->is_capable && !facts->is_namespace) || facts->paranoid == PARANOID_UNKNOWN ||
		facts->paranoid <= needed) {
		SET_BRIEF("permission denied");
		rs_err_add_line(text, "kernel.perf_event_paranoid allows it, so a security module "
				      "(SELinux, lockdown) or a container forbids it");
		rs_err_add_line(text, "try: look for the denial in the kernel's log (dmesg)");
		return;
	}
	SET_BRIEF("needs kernel.perf_event_paranoid <= %d or CAP_PERFMON", needed);
	rs_err_add_line(text, "%skernel.perf_event_paranoid is %d and CAP_PERFMON is missing%s",
		refusal->resolved->in_kernel_only ? "it happens in the kernel, " : "",
		facts->paranoid, facts->is_capable ? " outside of this user namespace" : "");
	rs_err_add_line(text, "try: sudo sysctl kernel.perf_event_paranoid=%d", needed);
}

static void explain_absence(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	const char *error = rs_errno_name(refusal->error);
	if (is_hardware(refusal->resolved) && refusal->facts.n_core_pmus == 0) {
		bool is_virtual = refusal->facts.is_virtual;
		SET_BRIEF(is_virtual ? "no PMU in this virtual machine" : "no PMU on this machine");
		rs_err_set(text, "this machine has no hardware counters (%s)", error);
		rs_err_add_line(
			text, is_virtual ? "it is a virtual machine, and its host gives it no PMU"
					 : "the kernel found no PMU of this CPU");
		rs_err_add_line(
			text, is_virtual ? "try: give it one (QEMU: -cpu host,pmu=on), or run on "
					   "the host; software events work here"
					 : "try: software events; dmesg says why no PMU was found");
		return;
	}
	const char *what = is_hardware(refusal->resolved) || refusal->resolved->pmu ? "PMU"
										    : "kernel";
	SET_BRIEF("not on this %s", what);
	if (refusal->resolved->pmu)
		rs_err_set(
			text, "the PMU '%s' does not have it (%s)", refusal->resolved->pmu, error);
	else if (is_hardware(refusal->resolved) && refusal->facts.n_core_pmus > 1)
		rs_err_set(text, "none of this machine's core PMUs has it (%s)", error);
	else
		rs_err_set(text, "this %s does not have it (%s)",
			is_hardware(refusal->resolved) ? "CPU's PMU" : "kernel", error);
	rs_err_add_line(text, "try: regionstat list, which shows what can be counted here");
}

static void explain_no_syscall(struct refusal *refusal)
{
	SET_BRIEF("the kernel has no performance events");
	rs_err_set(&refusal->reason->text, "the kernel has no performance events (ENOSYS)");
	rs_err_add_line(&refusal->reason->text,
		"it was built without CONFIG_PERF_EVENTS, or a sandbox hides them");
	rs_err_add_line(&refusal->reason->text, "try: another kernel; regions still measure time");
}

static void explain_invalid(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	bool modified = has_modifiers(&refusal->resolved->modifiers);
	SET_BRIEF("the kernel refuses this combination");
	rs_err_set(text, "the kernel refuses it (%s)", rs_errno_name(refusal->error));
	rs_err_add_line(text, modified ? "its PMU does not support these modifiers"
				       : "its PMU does not know this encoding");
	rs_err_add_line(text, modified ? "try: the event without modifiers"
				       : "try: regionstat list, for what can be counted here");
}

static void explain_system_wide(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	SET_BRIEF("counts whole CPUs or sockets, not programs");
	rs_err_set(text, "it does not count programs (%s)", rs_errno_name(refusal->error));
	rs_err_add_line(text, "the PMU '%s' counts whole CPUs or sockets, not threads",
		refusal->resolved->pmu ? refusal->resolved->pmu : "?");
	rs_err_add_line(text, "try: perf stat -a -e EVENT, beside the program on a quiet machine");
}

static void explain_tracefs(struct refusal *refusal)
{
	struct rs_err *text = &refusal->reason->text;
	const char *tracefs = refusal->host->tracefs;
	int error = refusal->resolved->tracefs_error;
	if (error == EACCES || error == EPERM) {
		SET_BRIEF("only root may read tracefs");
		rs_err_set(text, "permission denied (%s)", rs_errno_name(error));
		rs_err_add_line(text,
			"regionstat looks up tracepoints in %s, which you may not read", tracefs);
		rs_err_add_line(
			text, "try: sudo mount -o remount,mode=755 %s, or run as root", tracefs);
		return;
	}
	SET_BRIEF("tracefs is not mounted");
	rs_err_set(text, "tracefs is not mounted (%s)", rs_errno_name(error));
	rs_err_add_line(text, "regionstat looks up tracepoints in %s, which is empty", tracefs);
	rs_err_add_line(text, "try: sudo mount -t tracefs nodev %s", tracefs);
}

static void explain_always_zero(struct refusal *refusal)
{
	SET_BRIEF("happens in the kernel, which is excluded");
	rs_err_set(&refusal->reason->text, "it would always be 0");
	rs_err_add_line(
		&refusal->reason->text, "it happens in the kernel, which its modifiers exclude");
	rs_err_add_line(&refusal->reason->text, "try: the event without modifiers");
}

static void explain_other(struct refusal *refusal)
{
	SET_BRIEF("%s", rs_errno_name(refusal->error));
	rs_err_set(&refusal->reason->text, "%s (%s)", strerror(refusal->error),
		rs_errno_name(refusal->error));
	if (refusal->error == EMFILE || refusal->error == ENFILE)
		rs_err_add_line(
			&refusal->reason->text, "try: a higher limit on open files (ulimit -n)");
	if (refusal->error == EBUSY || refusal->error == ENOSPC)
		rs_err_add_line(&refusal->reason->text,
			"another process holds the counter; try: end other profilers");
}

void rs_reason_explain(struct rs_reason *reason, const struct rs_host *host,
	const struct rs_resolved *resolved, int error)
{
	static const struct {
		int error;
		void (*explain)(struct refusal *refusal);
	} explanations[] = {
		{0, explain_always_zero},
		{EACCES, explain_permission},
		{EPERM, explain_permission},
		{ENOSYS, explain_no_syscall},
		{ENOENT, explain_absence},
		{ENODEV, explain_absence},
		{ENXIO, explain_absence},
		{EOPNOTSUPP, explain_absence},
		{EINVAL, explain_invalid},
	};
	struct refusal refusal = {
		.reason = reason, .host = host, .resolved = resolved, .error = error};
	find_facts(&refusal.facts, host, resolved);
	void (*explain)(struct refusal *) = explain_other;
	for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++)
		if (explanations[i].error == error)
			explain = explanations[i].explain;
	if (resolved->tracefs_error)
		explain = explain_tracefs;
	else if (resolved->is_system_wide && error == EINVAL)
		explain = explain_system_wide;
	else if (error == EOPNOTSUPP && refusal.facts.n_core_pmus > 0 &&
		 has_modifiers(&resolved->modifiers))
		explain = explain_invalid;
	explain(&refusal);
}
