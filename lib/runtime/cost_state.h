/* SPDX-License-Identifier: MIT */
/*
 * The cost of markers, as calibrated: of the fast paths only, for time and every event.
 *
 * A fast marker has a part before its reading of a counter and a part after it. They are b and B
 * of a BEGIN, e and E of an END, n and N of a NEXT. `inside` is B + e, `inside_next` B + n,
 * `begin` b + B, `pair` b + B + e + E, `next` n + N.
 *
 * A slow path reads the counters on its way in and out; the time between is charged to no call
 * (calls/cost.c). The rest of it, outside of the two, is charged as what the fast paths have
 * there. For a BEGIN that is `begin`, which its END charges. For an END it is e + B, and with its
 * BEGIN `begin` + `inside`. For a NEXT it is n + B, or `inside_next`. The two snapshots of a slow
 * path are further apart than that, by the same in all of them, which is charged as twice `apart`.
 * The real cost differs from these by up to 40 instructions, with up to four events. Those are the
 * checks that sent the marker off the fast path, and its way to the snapshot. A slow marker may
 * leave so much in its call or take it from it, and in the regions around it.
 *
 * Time depends on the program, so `pair` of time is only what a region begins with: probes measure
 * it in place (calls/probe.h). Where most regions are sampled, time is calibrated among skipped
 * calls.
 */
#ifndef RS_RUNTIME_COST_STATE_H
#define RS_RUNTIME_COST_STATE_H

#include <stdint.h>

#include "segment/layout.h"

/* Time in ticks, then the events. All 0 with RS_SEGMENT_RAW. Any may be negative, modulo 2^64. */
struct rs_cost {
	uint64_t inside[1 + RS_MAX_EVENTS]; /* between the snapshots of a call */
	uint64_t inside_next[1 + RS_MAX_EVENTS]; /* ... that a NEXT ends */
	uint64_t begin[1 + RS_MAX_EVENTS]; /* to the region around it, of a BEGIN */
	uint64_t pair[1 + RS_MAX_EVENTS]; /* ... of a BEGIN and its END */
	uint64_t outer[1 + RS_MAX_EVENTS]; /* ... and so much more of one that held others */
	uint64_t pair_slow[1 +
			   RS_MAX_EVENTS]; /* ... of a BEGIN and a slow END outside its snapshots */
	uint64_t recursive
		[1 + RS_MAX_EVENTS]; /* ... and so much more of one in or around another of its region */
	uint64_t next[1 + RS_MAX_EVENTS]; /* ... of a NEXT */
	uint64_t work[1 + RS_MAX_EVENTS]; /* ... and so much more of an END after a WORK */
	uint64_t skip[1 + RS_MAX_EVENTS]; /* ... of a pair that sampling skips */
	uint64_t skip_outer[1 + RS_MAX_EVENTS]; /* ... and so much more of one that held others */
	uint64_t skip_slow[1 + RS_MAX_EVENTS]; /* ... whose END is slow, outside its snapshots */
	/* by how much a slow path's snapshot lies later than a fast one's on the way in, and earlier on
	 * the way out; of events */
	uint64_t apart[1 + RS_MAX_EVENTS];
	/* the same of a snapshot that is taken again: from BEGIN to END, without what a BEGIN keeps
	 * of groups that are off the PMU */
	uint64_t again[1 + RS_MAX_EVENTS];
	uint64_t async[1 + RS_MAX_EVENTS]; /* between the snapshots of a START and its STOP */
	uint64_t async_half[1 + RS_MAX_EVENTS]; /* to the region around it, of a START or a STOP */
};

#endif
