/* SPDX-License-Identifier: MIT */
/*
 * These functions write calls as slices of a timeline. Each thread has a track for its calls and a
 * track for its off-CPU time. Each process has tracks for its START/STOP calls.
 */
#ifndef RS_TRACE_SLICES_H
#define RS_TRACE_SLICES_H

#include "stats/run.h"
#include "trace/perfetto.h"
#include "trace/rings.h"

/* The calls of a region that are in the trace. */
struct rs_sliced_region {
	uint64_t n; /* count of slices of ended calls */
	uint64_t complete_from; /* all calls of at least this many ticks fitted on a track */
	char name[4 * RS_NAME_BYTES]; /* escaped */
};

struct rs_slices {
	struct rs_perfetto *trace;
	const struct rs_run *run;
	const struct rs_traced_calls *calls; /* the calls to write, which are sorted */
	const struct rs_trace_rings *rings; /* has the names of threads, sorted by pid and tid */
	size_t most_bytes; /* limit of the trace's size; writing stops when it is exceeded */
	struct rs_sliced_region *regions; /* indexed by region; filled by rs_slices_write() */
	const struct rs_run_process *process; /* process of the latest call; NULL: none */
};

/* Define the names, and write all tracks and slices. Return false if the trace became too large. */
bool rs_slices_write(struct rs_slices *slices);

/* ---- lanes.c: tracks on which slices nest ---- */

/* The first function converts a point of time from ticks of the segment's clock to ns of
 * CLOCK_MONOTONIC. The second function converts a length from ticks to ns. */
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

/* A track, with its slices that have begun but not ended. */
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

/* End all slices. The next calls begin new tracks. */
void rs_lanes_end(struct rs_lanes *lanes);

#endif
