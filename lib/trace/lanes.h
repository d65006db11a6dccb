/* SPDX-License-Identifier: MIT */
/* Tracks on which slices nest. Calls that overlap lie on different tracks. */
#ifndef RS_TRACE_LANES_H
#define RS_TRACE_LANES_H

#include "trace/slices.h"

/* Slices of a track that have begun and not ended. */
struct rs_lane {
	uint64_t uuid;
	const struct rs_traced_call **open;
	size_t n;
	size_t room;
};
#define RS_MOST_LANES 256u
struct rs_lanes {
	const struct rs_slices *slices;
	struct rs_lane lanes[RS_MOST_LANES];
	uint32_t n;
};

/* Return the first track on which a call nests, after the slices there that have ended are. Set
 * *begin to the begin of its slice. Return NULL if all tracks are in use. */
struct rs_lane *rs_lanes_find(
	struct rs_lanes *lanes, const struct rs_traced_call *call, uint64_t *begin);

/* End all slices, and forget the tracks. */
void rs_lanes_end(struct rs_lanes *lanes);

#endif
