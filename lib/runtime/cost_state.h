/* SPDX-License-Identifier: MIT */
/*
 * The overhead of markers, of time and of every event, as calibration measures it for the fast
 * paths.
 *
 * A fast marker has a part before it reads the counters and a part after it. The parts are called b
 * and B in a BEGIN, e and E in an END, n and N in a NEXT. `inside` is B + e, `inside_next` is B +
 * n, `begin` is b + B, `pair` is b + B + e + E, and `next` is n + N.
 *
 * A slow path reads the counters at its start and at its end. The time between is charged as
 * overhead to the calls around (calls/cost.c). What lies outside these two snapshots is charged as
 * the same part of a fast path. For a BEGIN that is `begin`, which its END charges. For an END it
 * is e + B, and with its BEGIN `begin` + `inside`. For a NEXT it is n + B, or `inside_next`.
 *
 * The two snapshots of a slow path are further apart than in a fast path, always by the same
 * amount. This is charged as twice `apart`. The real cost differs from these values by up to 44
 * instructions with up to four events. The difference comes from the checks that sent the marker to
 * the slow path, and from the way to its snapshot. A slow marker may add or remove this much in its
 * call and in the regions around it.
 *
 * Time depends on the program, so `pair` of time is only the first value of a region. Probes then
 * measure it in the program (calls/probe.h). If most regions are sampled, time is calibrated among
 * skipped calls.
 */
#ifndef RS_RUNTIME_COST_STATE_H
#define RS_RUNTIME_COST_STATE_H

#include <stdint.h>

#include "segment/layout.h"

/* Overhead of time in ticks, then of each event. All values are 0 with RS_SEGMENT_RAW. A value may
 * be negative, modulo 2^64. */
struct rs_cost {
	uint64_t inside[1 + RS_MAX_EVENTS]; /* Between the two snapshots of a call. */
	/* Between the two snapshots of a call that a NEXT ends. */
	uint64_t inside_next[1 + RS_MAX_EVENTS];
	uint64_t begin[1 + RS_MAX_EVENTS]; /* A BEGIN, as the region around it sees it. */
	uint64_t pair[1 + RS_MAX_EVENTS]; /* A BEGIN and its END, as the region around sees them. */
	uint64_t outer[1 + RS_MAX_EVENTS]; /* Added to pair if the call had nested calls. */
	/* A BEGIN and the parts of a slow END outside of its snapshots. */
	uint64_t pair_slow[1 + RS_MAX_EVENTS];
	/* Added to pair if a call of the same region was open around it or within it. */
	uint64_t recursive[1 + RS_MAX_EVENTS];
	uint64_t next[1 + RS_MAX_EVENTS]; /* A NEXT, as the region around it sees it. */
	uint64_t work[1 + RS_MAX_EVENTS]; /* Added to pair if a WORK precedes the END. */
	uint64_t skip[1 + RS_MAX_EVENTS]; /* A BEGIN and END that sampling skips. */
	/* Added to skip if the call had nested calls. */
	uint64_t skip_outer[1 + RS_MAX_EVENTS];
	/* A skipped BEGIN and the parts of a slow END outside of its snapshots. */
	uint64_t skip_slow[1 + RS_MAX_EVENTS];
	/* Events between a fast path's snapshot and a slow path's: the first snapshot of a slow
	 * path is this much later, the last this much earlier. */
	uint64_t apart[1 + RS_MAX_EVENTS];
	/* The same for a snapshot that is taken again, from BEGIN to END. It does not include what
	 * a BEGIN stores about groups that are off the PMU. */
	uint64_t again[1 + RS_MAX_EVENTS];
	uint64_t async[1 + RS_MAX_EVENTS]; /* Between the snapshots of a START and its STOP. */
	/* A START or a STOP, as the region around it sees it. */
	uint64_t async_half[1 + RS_MAX_EVENTS];
};

#endif
