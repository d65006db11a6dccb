/* SPDX-License-Identifier: MIT */
/*
 * Which processes that mark still run: those that outlive the program that the launcher waited for.
 */
#ifndef RS_LAUNCH_STILL_RUNNING_H
#define RS_LAUNCH_STILL_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "segment/segment.h"

/* The entry of a process that has none. */
#define RS_RUNNING_NO_ENTRY UINT32_MAX

/* A process that runs. */
struct rs_running_process {
	uint32_t index; /* of its entry */
	pid_t pid; /* as the calling process sees it */
	/* that it has the segment mapped: the program may write anything into an entry, and that
	 * must not direct a signal to another process */
	bool is_proven;
};

struct rs_running {
	struct rs_running_process *items; /* ascending by index; owned */
	size_t n;
};

/*
 * Find the processes that mark and run: one that has executed a program without markers since does
 * not. A process of another pid namespace than the caller's, or one that could not read /proc, is
 * searched for in all of the caller's /proc. A process that cannot be identified there is not among
 * them. and_may: if there is none, one that may still mark: it has the segment mapped, as a forked
 * child before its first marker has. running: filled; release with rs_running_finish(). False: no
 * memory.
 */
bool rs_running_find(struct rs_running *running, const struct rs_segment *segment, bool and_may);

/* Release memory. running: filled, zeroed, or NULL. */
void rs_running_finish(struct rs_running *running);

#endif
