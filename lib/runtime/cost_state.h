/* SPDX-License-Identifier: MIT */
/*
 * What markers cost themselves, as it was calibrated: of the fast paths alone, in every quantity.
 *
 * A fast marker consists of what comes before its reading of a counter and what comes after it: of a
 * BEGIN b and B, of an END e and E, of a NEXT n and N. `inside` is B + e, `inside_next` B + n, `begin`
 * b + B, `pair` b + B + e + E, `next` n + N.
 *
 * A slow path reads the counters on its way in and out, and nobody is charged for what lies between
 * (calls/cost.c). What remains of it outside of the two is charged as what the fast paths have there: of a
 * BEGIN as `begin`, which its END charges; of an END as e + B, with its BEGIN `begin` + `inside`; of a
 * NEXT as n + B, `inside_next`; and what its two snapshots are further apart than that, the same for all
 * of them, as twice `apart`. From these it differs by up to 40 instructions, of up to four events: the checks that sent it off
 * the fast path, and how it came to its snapshot. So much may a slow marker leave in its
 * call or take from it, and in the regions around it.
 *
 * Time depends on the program, so `pair` of time is only what a region begins with: probes measure it in
 * place (calls/probe.h). Where most regions are sampled, time is calibrated among skipped calls.
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
	/* the same of a snapshot that is taken again: as far as from that of a BEGIN to that of an END, but
	 * without what a BEGIN keeps of groups that are off the PMU */
	uint64_t again[1 + RS_MAX_EVENTS];
	uint64_t async[1 + RS_MAX_EVENTS]; /* between the snapshots of a START and its STOP */
	uint64_t async_half[1 + RS_MAX_EVENTS]; /* to the region around it, of a START or a STOP */
};

#endif
