/* SPDX-License-Identifier: MIT */
/*
 * A made-up machine for the tests of the plan. A tree of files in a temporary directory replaces
 * /sys and /proc, and a made-up kernel accepts and refuses events as the test says.
 */
#ifndef RS_TESTS_PLAN_MACHINE_H
#define RS_TESTS_PLAN_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/host.h"

/* Events that the kernel refuses: all of a type, or one config of it. */
struct machine_refusal {
	uint32_t type;
	uint64_t config; /* UINT64_MAX: any */
	int error;
};

/* A core PMU of several. */
struct machine_pmu {
	uint32_t type;
	unsigned first_cpu;
	unsigned last_cpu;
	int n_counters;
};

struct machine {
	struct rs_host host; /* what the code under test gets */
	char directory[64];
	char sysfs[96];
	char proc[96];
	char tracefs[96];
	struct machine_pmu pmus[4]; /* of machine_add_core_pmu() */
	int n_pmus; /* 0: a machine with one PMU, of n_counters */
	bool knows_no_types; /* as of Linux before 5.13 or 5.19: ENOENT for a type in config */
	int n_counters; /* of the PMU, each for one hardware event */
	int n_taken; /* of them, by another process for good */
	int kernel_error; /* for events that do not exclude the kernel, or 0 */
	unsigned max_precise; /* EOPNOTSUPP for a greater precise_ip */
	bool has_no_guest; /* EINVAL for exclude_guest */
	const struct machine_refusal *refusals; /* ends with error 0; or NULL */
	cpu_set_t cpus; /* that the thread may run on: it is on the first of them */
	/* what happened */
	int n_opens;
	int n_open; /* now */
	bool in_group[1024]; /* by descriptor */
	int leader_of[1024];
	bool is_hardware[1024];
	bool is_pinned[1024]; /* leaders only */
	bool is_enabled[1024];
	int pmu_of[1024]; /* index in pmus */
	int opened_at[1024]; /* n_opens then */
};

/* An empty machine: no PMU, 4 counters, nothing refused, all privileges (CapEff all ones). */
void machine_init(struct machine *machine);

/* Remove the files. */
void machine_finish(struct machine *machine);

/* Write a file; path is below the machine's directory, such as "sys/bus/...". */
void machine_write(struct machine *machine, const char *path, const char *text);

/* Write /proc/self/status: effective capabilities in hexadecimal, and the seccomp mode. */
void machine_set_rights(
	struct machine *machine, const char *capabilities, int seccomp, const char *paranoid);

/* An Intel CPU's PMU as sysfs shows it: type 4, event, umask, edge, inv, cmask, any, ldlat. */
void machine_add_intel_pmu(struct machine *machine);

/* One core PMU of several: its files `type`, cpus and format/event. The kernel counts its events on
 * those CPUs alone, never in a group with another PMU's. */
void machine_add_core_pmu(struct machine *machine, const char *name, const struct machine_pmu *pmu);

/* Name an event in its directory events. */
void machine_add_event(
	struct machine *machine, const char *pmu, const char *event, const char *terms);

/* An Intel CPU with two types of cores: cpu_core, type 4, CPUs 0 to 7, 6 counters; cpu_atom, type
 * 10, CPUs 8 to 15, 4 counters. */
void machine_add_intel_hybrid(struct machine *machine);

/* An Arm big.LITTLE: armv8_cortex_a53, type 8, CPUs 0 to 3, and armv8_cortex_a72, type 7, CPUs 4
 * and 5. Each has 6 counters, and the kernel's names of events. */
void machine_add_big_little(struct machine *machine);

#endif
