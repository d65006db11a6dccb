/* SPDX-License-Identifier: MIT */
/* Writes the file of --trace during a run. */
#ifndef RS_CMD_TRACE_H
#define RS_CMD_TRACE_H

#include "launch/launch.h"
#include "output.h"
#include "stats/interval.h"
#include "trace/timeline.h"

struct rs_one_run;

struct rs_command_trace {
	struct rs_one_run *run; /* belongs to the caller */
	struct rs_timeline *timeline; /* NULL: --trace was not given */
	struct rs_output output;
	bool is_written;
	/* Sum of the intervals that the counters contain so far. */
	struct rs_intervals sum;
	uint64_t interval_ns;
	uint64_t next_ns; /* end of the next interval; CLOCK_MONOTONIC, as are the next two times */
	uint64_t rules_ns; /* the rules do not change before this time */
	uint64_t busy_ns; /* ticks are frequent until this time */
	/* points to the interval of the tick, which rs_command_trace_tick() changes */
	uint32_t *tick_ms;
	size_t most_points; /* with more points than this, intervals are merged in pairs */
};

/* Open the file and begin the trace, if the options of the run request one. The caller releases
 * trace with rs_command_trace_finish(). Return false and set err on failure. */
bool rs_command_trace_init(
	struct rs_command_trace *trace, struct rs_one_run *run, struct rs_err *err);
void rs_command_trace_finish(struct rs_command_trace *trace);

/* Move calls from the segment to the trace, and add up intervals. The launcher calls this function
 * (struct rs_tick), at first every RS_TIMELINE_TICK_MS. */
void rs_command_trace_tick(void *trace, const struct rs_so_far *so_far);

/* Write the trace of a finished run, if there is one. */
bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_summary *summary, struct rs_err *err);

#endif
