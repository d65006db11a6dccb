/* SPDX-License-Identifier: MIT */
/*
 * Calls as slices of a timeline: one track per thread, one for the thread's off-CPU time, and
 * tracks of a process for its START/STOP calls.
 */
#ifndef RS_TRACE_SLICES_H
#define RS_TRACE_SLICES_H

#include "stats/run.h"
#include "trace/perfetto.h"
#include "trace/rings.h"

/* The numbers of names in the trace. Regions are RS_NAME_REGION + index, events of the plan
 * RS_ARGUMENT_EVENT + index. */
enum rs_slice_name {
	RS_NAME_BLOCKED = 1,
	RS_NAME_PREEMPTED,
	RS_NAME_CONTENTS,
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
	RS_ARGUMENT_DAMAGED,
	RS_ARGUMENT_EVENT,
};

/* What is in the trace of a region. */
struct rs_sliced_region {
	uint64_t n; /* calls that have ended */
	uint64_t complete_from; /* the trace has a track for each call of at least so many ticks */
};

struct rs_slices {
	struct rs_perfetto *trace;
	const struct rs_run *run;
	const struct rs_traced_calls *calls; /* sorted */
	const struct rs_trace_rings *rings; /* the names of threads */
	size_t most_bytes; /* stop when the trace is larger */
	struct rs_sliced_region *regions; /* by the index of the region, zeroed; filled */
	const struct rs_run_process *process; /* that of the last call; NULL: none */
};

/* Define the names, and write all tracks and slices. Return false if the trace became too large or
 * memory ran out. */
bool rs_slices_write(struct rs_slices *slices);

#endif
