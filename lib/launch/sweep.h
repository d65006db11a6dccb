/* SPDX-License-Identifier: MIT */
/*
 * A sweep frees what dead processes hold in the segment, while other processes continue. It ends
 * their pauses, and frees their thread slots and process entries. So a program that starts many
 * processes needs entries only for those that are alive at once.
 */
#ifndef RS_LAUNCH_SWEEP_H
#define RS_LAUNCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "segment/segment.h"

#define RS_PROCESS_SET_WORDS (RS_MAX_PROCESSES / 64u)

struct rs_sweep {
	const struct rs_segment *segment; /* belongs to the caller */
	/* false: reports have rows for processes or threads, so slots are never reused */
	bool reuse;
	uint32_t program; /* pid of a process that ends with the run, or 0 */
	bool may_be_filtered; /* a filter of seccomp(2) may have killed it */
	enum rs_clock clock;
	/* when the last sweep began; the processes that it found alive ran at this time */
	uint64_t before_ticks;
	uint32_t n_died_paused; /* dead processes whose pauses kept living ones from counting */
	uint32_t n_killed; /* processes that ended without exit handlers */
	uint32_t n_in_call; /* processes that died in a system call of a marker */
	struct rs_process in_call; /* the entry of the first of them, with its in_call */
	bool is_child; /* the first one was a child of the entry's process */
	/* bit set of dead processes; used if `reuse` is false */
	uint64_t dead[RS_PROCESS_SET_WORDS];
	/* bit set of the dead processes that this sweep has found */
	uint64_t found[RS_PROCESS_SET_WORDS];
};

/* Prepare sweeping. Call this before the program starts, because the header is trusted only until
 * then. segment must outlive sweep. Fill sweep, which needs no release. */
void rs_sweep_init(struct rs_sweep *sweep, const struct rs_segment *segment);

/* Check all processes once. Return true if some have ended since the last time. Only one thread may
 * call this at a time. */
bool rs_sweep_run(struct rs_sweep *sweep);

/* Sweep once more when the run ends, but free nothing, so that the report still has every process.
 * The lifetimes of the process `program` end with the run. may_be_filtered is false if it is known
 * that no filter of seccomp(2) killed this process. */
void rs_sweep_last(struct rs_sweep *sweep, uint32_t program, bool may_be_filtered);

/* Warn of processes that died in a system call of a marker, if these are more than by chance. The
 * launcher does not know which signal killed a process that is not its child. */
void rs_sweep_warn_of_calls(const struct rs_sweep *sweep, FILE *warnings);

/* Return true if a process is already known to have ended. */
bool rs_sweep_knows_dead(const struct rs_sweep *sweep, uint32_t index);

/* Ask the kernel whether the process of an entry has ended. entry is a copy that was read from the
 * segment. */
bool rs_sweep_is_dead(const struct rs_sweep *sweep, uint32_t index, const struct rs_process *entry);

#endif
