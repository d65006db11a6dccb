/* SPDX-License-Identifier: MIT */
/*
 * Clearing up after processes that ended while others go on. Their pauses end, and their thread
 * slots and process entries become free. So a program that starts many processes needs only as many
 * as are alive at once.
 */
#ifndef RS_LAUNCH_SWEEP_H
#define RS_LAUNCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "segment/segment.h"

#define RS_PROCESS_SET_WORDS (RS_MAX_PROCESSES / 64u)

struct rs_sweep {
	const struct rs_segment *segment; /* borrowed */
	bool reuse; /* false where rows are processes or threads: the dead keep what is theirs */
	enum rs_clock clock;
	uint64_t pid_namespace;
	uint32_t n_died_paused; /* while others that mark lived on, which they kept paused */
	uint64_t *dead; /* set of process entries whose process ended, kept when not reusing */
	uint64_t *found; /* those found in this sweep */
	struct rs_slot *slots; /* room to read slots into */
};

/*
 * Prepare sweeping, before the program starts: what the segment says of itself is believed now.
 * segment: borrowed, must outlive sweep. sweep: filled; release with rs_sweep_finish().
 * False, with err filled: no memory.
 */
bool rs_sweep_init(struct rs_sweep *sweep, const struct rs_segment *segment, struct rs_err *err);

/* Look at all processes once. True: some had ended since the last time. One thread at a time. */
bool rs_sweep_run(struct rs_sweep *sweep);

/* Whether the process of an entry is known to have ended. */
bool rs_sweep_knows_dead(const struct rs_sweep *sweep, uint32_t index);

/* Ask the kernel now. entry: as it has been read. */
bool rs_sweep_is_dead(const struct rs_sweep *sweep, uint32_t index, const struct rs_process *entry);

/* Release memory. sweep: filled, zeroed, or NULL. */
void rs_sweep_finish(struct rs_sweep *sweep);

#endif
