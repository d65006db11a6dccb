/*
 * A made-up machine for the tests of the plan: a tree of files in a temporary directory in place
 * of /sys and /proc, and a kernel that accepts and refuses events as the test says.
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

struct machine {
	struct rs_host host; /* what the code under test gets */
	char directory[64];
	char sysfs[96];
	char proc[96];
	char tracefs[96];
	int n_counters; /* of the PMU, each for one hardware event */
	int n_taken; /* of them, by somebody else for good */
	int kernel_error; /* for events that do not exclude the kernel, or 0 */
	unsigned max_precise; /* EOPNOTSUPP for a greater precise_ip */
	bool has_no_guest; /* EINVAL for exclude_guest */
	const struct machine_refusal *refusals; /* ends with error 0; or NULL */
	/* what happened */
	int n_opens;
	int n_open; /* now */
	bool in_group[1024]; /* by descriptor */
	int leader_of[1024];
	bool is_hardware[1024];
	bool is_pinned[1024]; /* leaders only */
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

#endif
