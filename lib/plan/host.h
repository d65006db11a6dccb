/* SPDX-License-Identifier: MIT */
/*
 * The machine as the plan sees it: where its pseudo file systems are and how an event is tried.
 * Every room below lib/plan takes one, so that tests can put a made-up machine in its place.
 */
#ifndef RS_PLAN_HOST_H
#define RS_PLAN_HOST_H

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct rs_host {
	const char *root; /* "", before "/.dockerenv" and the like */
	const char *sysfs; /* "/sys" */
	const char *proc; /* "/proc" */
	const char *tracefs; /* "/sys/kernel/tracing" */
	/* perf_event_open(2) on the calling thread, any CPU. group_fd: the leader's descriptor, or
	 * -1. Returns a descriptor, or -errno. */
	int (*open_event)(void *context, const struct perf_event_attr *attr, int group_fd);
	void (*close_event)(void *context, int fd);
	/* Let an event that was opened disabled count, and its group with it. */
	void (*enable_event)(void *context, int fd);
	/* read(2) of an event. Returns the bytes read, or -errno. */
	long (*read_event)(void *context, int fd, void *values, size_t bytes);
	/* The CPUs that the calling thread may run on: sched_setaffinity(2). 0, or -errno. */
	int (*get_cpus)(void *context, cpu_set_t *cpus);
	int (*set_cpus)(void *context, const cpu_set_t *cpus);
	void *context; /* of all functions above */
};

/* The machine that this process runs on. Static storage, constant. */
const struct rs_host *rs_host_self(void);

/*
 * Read a small text file, such as sysfs and procfs hold, without its final newlines.
 * path: printf format of the file's path. text[text_bytes]: filled with a string, cut at
 * text_bytes - 1 bytes; "" on failure. Returns 0, or the errno value that says why it failed.
 */
int rs_host_read(char *text, size_t text_bytes, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

#endif
