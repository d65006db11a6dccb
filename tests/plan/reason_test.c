/* SPDX-License-Identifier: MIT */
/*
 * Tests of reasons and remedies, on made-up machines with every level of
 * kernel.perf_event_paranoid. Messages must have the documented form and agree with the kernel's
 * documentation of the sysctl.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "plan/resolve.h"

#define CAPABILITY_PERFMON "0000004000000000"
#define CAPABILITY_SYS_ADMIN "0000000000200000"

static struct rs_reason reason;

TestSuite(reason, .init = machine_init, .fini = machine_finish);

static const char *explain(struct rs_resolved resolved, int error)
{
	rs_reason_explain(&reason, &machine.host, &resolved, error);
	cr_expect(*reason.brief && !strchr(reason.brief, '\n'), "%s", reason.brief);
	return reason.text.text;
}

static const struct rs_resolved cycles = {.kind = RS_EVENT_HARDWARE};
static const struct rs_resolved switches = {
	.kind = RS_EVENT_SOFTWARE, .attr.type = PERF_TYPE_SOFTWARE, .in_kernel_only = true};

Test(reason, paranoid_levels)
{
	static const struct {
		const char *paranoid;
		bool in_kernel;
		const char *level; /* the level that the remedy names */
	} cases[] = {
		{"2", true, "1"},
		{"3", true, "1"},
		{"3", false, "2"},
		{"4", false, "2"},
		{"4", true, "1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine_set_rights(NO_CAPABILITY, 0, cases[i].paranoid);
		const char *text = explain(cases[i].in_kernel ? switches : cycles, EACCES);
		char expected[256];
		snprintf(expected, sizeof(expected),
			"permission denied (EACCES)\n"
			"  %skernel.perf_event_paranoid is %s and CAP_PERFMON is missing\n"
			"  try: sudo sysctl kernel.perf_event_paranoid=%s",
			cases[i].in_kernel ? "it happens in the kernel, " : "", cases[i].paranoid,
			cases[i].level);
		cr_expect_str_eq(text, expected);
	}
}

Test(reason, kernel_asked_for_by_modifier)
{
	struct rs_resolved kernel = cycles;
	kernel.modifiers.kernel = true;
	machine_set_rights(NO_CAPABILITY, 0, "3");
	cr_expect(strstr(explain(kernel, EACCES), "kernel.perf_event_paranoid=1"));
	kernel.modifiers = (struct rs_modifiers){.user = true};
	kernel.attr.exclude_kernel = 1;
	cr_expect(strstr(explain(kernel, EACCES), "kernel.perf_event_paranoid=2"));
}

/* With the right level or the right capability, the message does not blame the sysctl. */
Test(reason, other_denials)
{
	machine_set_rights(NO_CAPABILITY, 0, "1");
	cr_expect_not(strstr(explain(cycles, EACCES), "sudo sysctl"));
	machine_set_rights(CAPABILITY_PERFMON, 0, "4");
	cr_expect_not(strstr(explain(cycles, EACCES), "sudo sysctl"));
	machine_set_rights(CAPABILITY_SYS_ADMIN, 0, "4");
	cr_expect_not(strstr(explain(cycles, EACCES), "sudo sysctl"));
	cr_expect(strstr(reason.text.text, "security module"));
}

/* Capabilities that root of a user namespace has only there do not help. */
Test(reason, user_namespaces)
{
	machine_set_rights(CAPABILITY_SYS_ADMIN, 0, "2");
	machine_write("proc/self/uid_map", "         0          0 4294967295\n");
	cr_expect(strstr(explain(switches, EACCES), "security module"));
	machine_write("proc/self/uid_map", "         0       1000          1\n");
	cr_expect_str_eq(explain(switches, EACCES),
		"permission denied (EACCES)\n"
		"  it happens in the kernel, kernel.perf_event_paranoid is 2 and CAP_PERFMON is "
		"missing outside of this user namespace\n"
		"  try: sudo sysctl kernel.perf_event_paranoid=1");
	machine_set_rights(NO_CAPABILITY, 0, "2");
	cr_expect(strstr(explain(switches, EACCES), "CAP_PERFMON is missing\n"));
}

Test(reason, containers)
{
	machine_set_rights(NO_CAPABILITY, 2, "2");
	const char *text = explain(cycles, EPERM);
	cr_expect(strncmp(text, "the system call is blocked (EPERM)\n", 35) == 0, "%s", text);
	cr_expect(strstr(text, "seccomp"));
	cr_expect(strstr(text, "\n  try: docker run --cap-add PERFMON"));
	/* A seccomp filter alone does not mean a container, if the kernel itself returns EACCES. */
	cr_expect(strstr(explain(switches, EACCES), "sudo sysctl"));
	/* This container hides its filter. */
	machine_set_rights(NO_CAPABILITY, 0, "2");
	cr_expect_not(strstr(explain(cycles, EPERM), "seccomp"));
	machine_write(".dockerenv", "");
	cr_expect(strstr(explain(cycles, EPERM), "seccomp"));
}

Test(reason, absence)
{
	machine_write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lahf\n");
	const char *text = explain(cycles, ENOENT);
	cr_expect(strncmp(text,
			  "this machine has no hardware counters (ENOENT)\n  it is a virtual "
			  "machine",
			  64) == 0,
		"%s", text);
	cr_expect(strstr(text, "\n  try: "));
	cr_expect_str_eq(reason.brief, "no PMU in this virtual machine");

	machine_write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu lahf\nx: hypervisor\n");
	explain(cycles, EOPNOTSUPP);
	cr_expect_str_eq(reason.brief, "no PMU on this machine");

	machine_add_intel_pmu();
	text = explain(cycles, ENOENT);
	cr_expect(strncmp(text, "this CPU's PMU does not have it (ENOENT)\n", 41) == 0, "%s", text);
	cr_expect(strstr(text, "\n  try: regionstat list"));
	cr_expect_str_eq(reason.brief, "not on this PMU");
}

Test(reason, a_pmu_with_cpus_is_a_cpu)
{
	machine_add_file("armv8_cortex_a72", "type", "8\n");
	machine_add_file("armv8_cortex_a72", "cpus", "0-3\n");
	explain(cycles, ENOENT);
	cr_expect_str_eq(reason.brief, "not on this PMU");
}

/* Each event and error, and a part of the explanation. */
Test(reason, of_each_error)
{
	char atom[] = "cpu_atom", power[] = "power", mount[128];
	const struct {
		struct rs_resolved event;
		int error;
		const char *text;
	} cases[] = {
		{switches, ENOENT, "this kernel does not have it (ENOENT)"},
		{switches, 0, "it would always be 0"},
		{cycles, ENOSYS, "no performance events (ENOSYS)"},
		{cycles, EMFILE, "ulimit -n"},
		{cycles, EBUSY, "(EBUSY)"},
		{{.kind = RS_EVENT_SYSFS, .pmu = atom}, ENOENT,
			"the PMU 'cpu_atom' does not have it (ENOENT)\n"},
		{{.kind = RS_EVENT_SYSFS, .pmu = power, .is_system_wide = true}, EINVAL,
			"the PMU 'power' counts whole CPUs or sockets"},
		{{.kind = RS_EVENT_SYSFS, .pmu = power, .modifiers.user = true}, EINVAL,
			"does not support these modifiers"},
		{{.kind = RS_EVENT_TRACEPOINT, .tracefs_error = ENOENT}, ENOENT, mount},
		{{.kind = RS_EVENT_TRACEPOINT, .tracefs_error = EACCES}, EACCES,
			"mount -o remount,mode=755"},
	};
	snprintf(mount, sizeof(mount), "\n  try: sudo mount -t tracefs nodev %s",
		machine.host.tracefs);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = explain(cases[i].event, cases[i].error);
		cr_expect(strstr(text, cases[i].text), "not '%s', but '%s'", cases[i].text, text);
	}
}
