/* SPDX-License-Identifier: MIT */
/*
 * Calls as slices of a timeline. Each thread has a track for its calls and a track for its off-CPU
 * time. Each process has tracks for its START/STOP calls.
 */
#ifndef RS_TRACE_SLICES_H
#define RS_TRACE_SLICES_H

#include "stats/run.h"
#include "trace/perfetto.h"
#include "trace/rings.h"

/* The ids of names in the trace. A region has RS_NAME_REGION + its index, and an event of the plan
 * has RS_ARGUMENT_EVENT + its index. */
enum rs_slice_name {
	RS_NAME_BLOCKED = 1,
	RS_NAME_PREEMPTED,
	RS_NAME_CONTENTS,
	RS_NAME_GAP,
	RS_NAME_REGION,
};
enum rs_slice_argument {
	RS_ARGUMENT_TIME = 1,
	RS_ARGUMENT_CPU_TIME,
	RS_ARGUMENT_BLOCKED,
	RS_ARGUMENT_PREEMPTED,
	RS_ARGUMENT_BYTES,
	RS_ARGUMENT_FLOPS,
	RS_ARGUMENT_PARENT,
	RS_ARGUMENT_REGION,
	RS_ARGUMENT_CALLS,
	RS_ARGUMENT_IN_TRACE,
	RS_ARGUMENT_COMPLETE_FROM,
	RS_ARGUMENT_DROPPED,
	RS_ARGUMENT_DROPPED_SLOW,
	RS_ARGUMENT_DAMAGED,
	RS_ARGUMENT_EVENT,
};

/* The calls of a region that are in the trace. */
struct rs_sliced_region {
	uint64_t n; /* how many slices of ended calls there are */
	uint64_t complete_from; /* all calls of at least this many ticks have found a track */
};

struct rs_slices {
	struct rs_perfetto *trace;
	const struct rs_run *run;
	const struct rs_traced_calls *calls; /* sorted */
	const struct rs_trace_rings *rings; /* for the names of threads */
	size_t most_bytes; /* limit of the trace's size; writing stops when it is exceeded */
	/* indexed by region; zeroed by the caller, filled by rs_slices_write() */
	struct rs_sliced_region *regions;
	const struct rs_run_process *process; /* process of the latest call; NULL: none */
};

/* Define the names, and write all tracks and slices. Return false if the trace became too large or
 * memory ran out. */
bool rs_slices_write(struct rs_slices *slices);

#endif
