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
	bool is_proven; /* that it has the segment mapped: what an entry says is the program's word,
			   and nobody is to be signalled by it */
};

struct rs_running {
	struct rs_running_process *items; /* ascending by index; owned */
	size_t n;
};

/*
 * Find the processes that mark and run: one that has executed a program without markers since does
 * not. Where a process is of another pid namespace than the
 * caller, or could not read /proc, all of the caller's /proc is searched for it; one that cannot be
 * known there is not among them.
 * and_may: if there is none, one that may mark yet, since it has the segment mapped, as a child has
 * that was forked and has not come to a marker.
 * running: filled; release with rs_running_finish(). False: no memory.
 */
bool rs_running_find(struct rs_running *running, const struct rs_segment *segment, bool and_may);

/* Release memory. running: filled, zeroed, or NULL. */
void rs_running_finish(struct rs_running *running);

#endif
