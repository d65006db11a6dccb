/* SPDX-License-Identifier: MIT */
/*
 * The machine for which a plan is made: the paths of its pseudo file systems, and functions that
 * open events. The files of lib/plan reach the machine through struct rs_host only, so that tests
 * can replace it by an invented machine. This header also has functions that look for the machine's
 * tracepoints, and for the words that describe its CPU.
 */
#ifndef RS_PLAN_HOST_H
#define RS_PLAN_HOST_H

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rs_host {
	const char *root; /* prefix of paths such as "/.dockerenv"; "" on a real machine */
	const char *sysfs; /* "/sys" */
	const char *proc; /* "/proc" */
	const char *tracefs; /* "/sys/kernel/tracing" */
	/* Call perf_event_open(2) for the calling thread on any CPU. group_fd: the leader's
	 * descriptor, or -1. Return a descriptor, or -errno. */
	int (*open_event)(const struct perf_event_attr *attr, int group_fd);
	/* Enable an event that was opened disabled. If it is the leader of a group, the whole group
	 * starts. */
	void (*enable_event)(int fd);
	/* close(2), read(2), sched_getaffinity(2) and sched_setaffinity(2) */
	int (*close)(int fd);
	ssize_t (*read)(int fd, void *values, size_t bytes);
	int (*getaffinity)(pid_t pid, size_t bytes, cpu_set_t *cpus);
	int (*setaffinity)(pid_t pid, size_t bytes, const cpu_set_t *cpus);
};

/* Return the machine on which this process runs. The storage is static and constant. */
const struct rs_host *rs_host_self(void);

/*
 * Read a small text file, for example of sysfs or procfs, without its final newlines. path: a
 * printf format for the path. Fill text with a string of at most text_bytes - 1 bytes; a longer
 * file is cut. Return 0, or an errno value with text set to "".
 */
int rs_host_read(char *text, size_t text_bytes, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill value[bytes] from the first line "key : value" of such a file. If there is none, set value
 * to "" and return false. */
bool rs_host_field(char *value, size_t bytes, const char *key, const char *path, ...)
	__attribute__((format(printf, 4, 5)));

/* A function to call for each event of a source. The strings are valid during the call. help is a
 * description or a definition, or "". */
typedef void rs_event_visit(void *context, const char *pmu, const char *name, const char *help);

/* ---- tracefs.c: tracepoints ---- */

/*
 * Look up the tracepoint system:name and set *id to its id, which is the attr.config. Return 0 on
 * success, and ENOENT if the tracepoint does not exist. If tracefs cannot be read, return the errno
 * value and set *tracefs_error to it (ENOENT: not mounted).
 */
int rs_tracefs_find(const struct rs_host *host, const char *system, const char *name, uint64_t *id,
	int *tracefs_error);

/* Return true if the tracepoint system:name is a probe in a program, such as one of perf probe -x.
 */
bool rs_tracefs_is_uprobe(const struct rs_host *host, const char *system, const char *name);

/* Visit every tracepoint as "system:name", without a PMU. Return 0, or the errno value if tracefs
 * cannot be read. */
int rs_tracefs_visit(const struct rs_host *host, rs_event_visit *visit, void *context);

/* ---- cpu.c: words that describe the CPU; a metric lists the words of the CPUs it is for ---- */

#define RS_CPU_MAX_WORDS 16u
#define RS_CPU_WORD_BYTES 64u

struct rs_cpu {
	char texts[RS_CPU_MAX_WORDS][RS_CPU_WORD_BYTES];
	const char *words[RS_CPU_MAX_WORDS]; /* each points into texts */
	size_t n;
};

/*
 * Fill cpu with the words of this machine. On x86: VENDOR-FAMILY-MODEL as in perf's event tables,
 * "GenuineIntel-6-9A", with a decimal family and a hexadecimal model. On arm64: the register
 * MIDR_EL1, "0x413fd0c1". On both: the names of the core PMUs. Sources: /proc/cpuinfo;
 * arch/arm64/kernel/cpuinfo.c, regs/identification/midr_el1.
 */
void rs_cpu_find(struct rs_cpu *cpu, const struct rs_host *host);

#endif
