/* SPDX-License-Identifier: MIT */
/*
 * A made-up machine for tests of the plan. A tree of files in a temporary directory replaces /sys
 * and /proc. A made-up kernel accepts and refuses events as the test says.
 */
#ifndef RS_TESTS_PLAN_MACHINE_H
#define RS_TESTS_PLAN_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/host.h"

/* Events that the kernel refuses: all of a type, or one config of the type. */
struct machine_refusal {
	uint32_t type;
	uint64_t config; /* UINT64_MAX: all */
	int error;
};

/* One of several core PMUs. */
struct machine_pmu {
	uint32_t type;
	unsigned first_cpu;
	unsigned last_cpu;
	int n_counters;
};

#define MACHINE_MAX_EVENTS 16384
struct machine_event {
	bool is_open, is_pinned, is_enabled;
	bool needs_counter; /* when the kernel checks if the group fits */
	int leader; /* a descriptor */
	int pmu; /* index in pmus; -1: none */
};

struct machine {
	struct rs_host host; /* the functions under test get this */
	char directory[64];
	char sysfs[96];
	char proc[96];
	char tracefs[96];
	struct machine_pmu pmus[4]; /* set by machine_add_core_pmu() */
	int n_pmus; /* 0: the machine has one PMU, with n_counters */
	int n_counters; /* counters of the PMU; each counts one hardware event */
	int n_taken; /* counters that another process has permanently */
	int kernel_error; /* errno of events that do not exclude the kernel, or 0 */
	unsigned max_precise; /* a greater precise_ip is EOPNOTSUPP */
	bool has_no_guest; /* exclude_guest is EINVAL */
	const struct machine_refusal *refusals; /* the last one has error 0; or NULL */
	cpu_set_t cpus; /* CPUs of the thread, which runs on the first of them */
	/* The record of what happened: */
	int n_opens;
	int n_open; /* descriptors that are open now */
	int n_events; /* of the array; 0 when all are closed again */
	struct machine_event events[MACHINE_MAX_EVENTS]; /* in the order of opening */
};

extern struct machine machine; /* the machine of the test */

/* Make the machine: without files of PMUs, with 4 counters, no refused events and all privileges
 * (CapEff all ones). libpfm4 finds the model of this machine's CPU. */
void machine_init(void);

/* Remove the machine's files. */
void machine_finish(void);

/* Write a file. path is relative to the machine's directory, such as "proc/cpuinfo". */
void machine_write(const char *path, const char *text);

/* Write a file of a PMU in sysfs, such as "type" or "events/cycles". */
void machine_add_file(const char *pmu, const char *file, const char *text);

/* Write /proc/self/status with effective capabilities in hexadecimal, and the seccomp mode. */
#define NO_CAPABILITY "0000000000000000"
void machine_set_rights(const char *capabilities, int seccomp, const char *paranoid);

/* Add an Intel CPU's PMU as sysfs shows it: type 4 with event, umask, edge, inv, cmask, any and
 * ldlat. */
void machine_add_intel_pmu(void);

/* Add one of several core PMUs, with its files type, cpus and format/event. The kernel counts its
 * events only on these CPUs, and never in one group with those of another PMU. */
void machine_add_core_pmu(const char *name, const struct machine_pmu *pmu);

/* Add an Intel CPU with two types of cores. cpu_core has type 4, CPUs 0 to 7 and 6 counters.
 * cpu_atom has type 10, CPUs 8 to 15 and 4 counters. */
void machine_add_intel_hybrid(void);

/* Add an Arm big.LITTLE CPU: armv8_cortex_a53 with type 8 and CPUs 0 to 3, and armv8_cortex_a72
 * with type 7 and CPUs 4 and 5. Each has 6 counters. */
void machine_add_big_little(void);

#endif
