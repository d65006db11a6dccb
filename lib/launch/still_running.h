/* SPDX-License-Identifier: MIT */
/* These functions find the processes with markers that outlive the program that the launcher waited
 * for. */
#ifndef RS_LAUNCH_STILL_RUNNING_H
#define RS_LAUNCH_STILL_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "segment/segment.h"

/* The kinds of processes to find. Each kind includes those before it. */
enum rs_running_kind {
	RS_RUNNING_MARKS, /* they use markers now */
	/* The processes of the next kind that have inherited the segment's descriptor. The search
	 * is fast, because it does not read the mappings of all other processes. */
	RS_RUNNING_INHERITED,
	/* They may use markers later. Either they have the segment mapped, like a forked child
	 * before its first marker. Or they could map it, and one of their objects contains the
	 * marker header. */
	RS_RUNNING_MAY_MARK,
	/* They could map the segment. Nothing shows whether such a process will execute a program
	 * with markers or load a library with markers. */
	RS_RUNNING_COULD_MARK,
};

/* The index of a process without an entry. */
#define RS_RUNNING_NO_ENTRY UINT32_MAX

/* A process that runs. */
struct rs_running_process {
	uint32_t index; /* index of the process's entry in the segment */
	pid_t pid; /* pid in the caller's pid namespace */
	/* The process uses markers or has the marker header. Otherwise it must not get a signal,
	 * because the program can write any pid into an entry. */
	bool is_proven;
};

struct rs_running {
	struct rs_running_process *items; /* in ascending order of index; owned */
	size_t n;
};

/*
 * Find the processes that use markers and are still running. A process that has executed a program
 * without markers does not count. Processes of another pid namespace, or that could not read /proc
 * themselves, are searched in the caller's /proc. If they cannot be identified there, the result
 * does not contain them.
 *
 * Search for a later kind only if no process of an earlier kind was found.
 *
 * Fill running; the caller releases it with rs_running_finish(). Return false if memory runs out.
 */
bool rs_running_find(
	struct rs_running *running, const struct rs_segment *segment, enum rs_running_kind kind);

/* Release the contents of running, which may be zeroed. */
void rs_running_finish(struct rs_running *running);

#endif
