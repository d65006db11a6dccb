/* SPDX-License-Identifier: MIT */
/*
 * The overhead of fast markers in time and in every event, as calibration measures it.
 *
 * A fast marker has a part before it reads the counters and a part after it. The parts are called b
 * and B in a BEGIN, e and E in an END, n and N in a NEXT. `inside` is B + e, `inside_next` is B +
 * n, `begin` is b + B, `pair` is b + B + e + E, and `next` is n + N.
 *
 * A slow path reads the counters at its start and at its end. What it used in between is charged as
 * overhead to the enclosing calls (calls/cost.c). The parts before and after these two snapshots
 * are charged like those of a fast path. For a BEGIN, this is `begin`; the END of the call charges
 * it. For an END, this is e + B, which equals `inside`. So a BEGIN and its END are charged `begin`
 * + `inside`. For a NEXT, this is n + B, which equals `inside_next`.
 *
 * Compared with a fast path, the first snapshot of a slow path is later by `way_in`, and the last
 * one is earlier by `way_out`. Both are charged, too. At most 40 instructions of each slow marker
 * are not charged: the checks that sent it to the slow path, and the way to its snapshot.
 *
 * The time of a marker depends on the program. So a region uses the time in `pair` only at first;
 * probes then measure the time in the program (calls/probe.h). If most regions are sampled,
 * calibration measures time among skipped calls.
 */
#ifndef RS_RUNTIME_COST_STATE_H
#define RS_RUNTIME_COST_STATE_H

#include <stdint.h>

#include "segment/layout.h"

/* Each array contains the overhead in time (in ticks), then in each event. All values are 0 with
 * RS_SEGMENT_RAW. A value may be negative, modulo 2^64. */
struct rs_cost {
	uint64_t inside[1 + RS_MAX_EVENTS]; /* overhead between the two snapshots of a call */
	/* overhead between the two snapshots of a call that a NEXT ends */
	uint64_t inside_next[1 + RS_MAX_EVENTS];
	uint64_t begin[1 + RS_MAX_EVENTS]; /* overhead of a BEGIN in the enclosing region */
	/* overhead of a BEGIN and its END in the enclosing region */
	uint64_t pair[1 + RS_MAX_EVENTS];
	uint64_t outer[1 + RS_MAX_EVENTS]; /* added to `pair` if the call had nested calls */
	/* Added to `pair` if the call was within another call of its region. If another call of its
	 * region was within this call, recursive_outer is added instead. */
	uint64_t recursive[1 + RS_MAX_EVENTS];
	uint64_t recursive_outer[1 + RS_MAX_EVENTS];
	uint64_t next[1 + RS_MAX_EVENTS]; /* overhead of a NEXT in the enclosing region */
	uint64_t work[1 + RS_MAX_EVENTS]; /* added to `pair` if the frame has work */
	uint64_t skip[1 + RS_MAX_EVENTS]; /* overhead of a BEGIN and its END that sampling skips */
	/* `skip` for calls that take longer than their markers: the time around dependent work */
	uint64_t skip_long[1 + RS_MAX_EVENTS];
	uint64_t skip_outer[1 + RS_MAX_EVENTS]; /* added to `skip` if the call had nested calls */
	/* added instead of skip_outer if a call of the same region was open around it or within
	 * it */
	uint64_t skip_recursive[1 + RS_MAX_EVENTS];
	/* how much later a slow path's first snapshot is than on a fast path, and how much earlier
	 * its last one */
	uint64_t way_in[1 + RS_MAX_EVENTS];
	uint64_t way_out[1 + RS_MAX_EVENTS];
	/* used instead of way_in if a page has changed; the mean of its values in a BEGIN and an
	 * END */
	uint64_t again[1 + RS_MAX_EVENTS];
	/* overhead between the snapshots of a START and its STOP */
	uint64_t async[1 + RS_MAX_EVENTS];
	/* overhead of a START, or of a STOP, in the enclosing region */
	uint64_t async_half[1 + RS_MAX_EVENTS];
};

#endif
