/* SPDX-License-Identifier: MIT */
/* Tracks on which slices nest. Calls that overlap without nesting are on different tracks. */
#ifndef RS_TRACE_LANES_H
#define RS_TRACE_LANES_H

#include "trace/slices.h"

/* Convert a time in ticks of the segment's clock to ns of CLOCK_MONOTONIC. The second function
 * converts a length in ticks to ns. */
uint64_t rs_slices_time_ns(const struct rs_run *run, uint64_t ticks);
uint64_t rs_slices_ns_of(const struct rs_run *run, uint64_t ticks);

/* Return the uuid of a track, which is unique in the trace and not 0. kind is an RS_UUID
 * constant. */
uint64_t rs_slices_uuid(uint32_t kind, uint32_t a, uint32_t b);
enum {
	RS_UUID_PROCESS,
	RS_UUID_THREAD,
	RS_UUID_OFF,
	RS_UUID_GAP,
	RS_UUID_LANE,
	RS_UUID_ASYNC,
	RS_UUID_COUNTER,
	RS_UUID_OTHER
};

/* A track, with the slices that have begun and not ended. */
struct rs_lane {
	uint64_t uuid;
	const struct rs_traced_call **open;
	size_t n;
	size_t room;
	uint64_t latest; /* time of the latest begin or end on the track, in ticks */
};
#define RS_MOST_LANES 256u
struct rs_lanes {
	struct rs_slices *slices;
	struct rs_lane lanes[RS_MOST_LANES];
	uint32_t n;
};

/* End the slices that end before the call, and return the first track on which the call nests. Set
 * *begin to the time at which its slice begins. Return NULL if all tracks are in use. */
struct rs_lane *rs_lanes_find(
	struct rs_lanes *lanes, const struct rs_traced_call *call, uint64_t *begin);

/* End all slices, and release all tracks. */
void rs_lanes_end(struct rs_lanes *lanes);

#endif
