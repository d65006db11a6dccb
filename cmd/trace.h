/* SPDX-License-Identifier: MIT */
/* The file of --trace during a run. */
#ifndef RS_CMD_TRACE_H
#define RS_CMD_TRACE_H

#include "launch/launch.h"
#include "output.h"
#include "stats/interval.h"
#include "trace/timeline.h"

struct rs_one_run;

struct rs_command_trace {
	struct rs_one_run *run; /* borrowed */
	struct rs_timeline *timeline; /* NULL: no trace is asked for */
	struct rs_output output;
	bool is_written;
	/* What the counters of the trace have so far. */
	struct rs_intervals sum;
	uint64_t interval_ns;
	uint64_t next_ns; /* when the next interval ends, by CLOCK_MONOTONIC as the others */
	uint64_t rules_ns; /* when the rules may change again */
	uint64_t busy_ns; /* until when ticks are frequent */
	uint32_t *tick_ms; /* the interval of rs_command_trace_tick() */
	size_t most_points; /* the intervals double when there are more points */
};

/* Open the file and begin the trace, if the run's options ask for one. Release trace with
 * rs_command_trace_finish(). */
bool rs_command_trace_init(
	struct rs_command_trace *trace, struct rs_one_run *run, struct rs_err *err);
void rs_command_trace_finish(struct rs_command_trace *trace);

/* Take calls, and sum up intervals. It is the `call` of struct rs_tick, at first every
 * RS_TIMELINE_TICK_MS. */
void rs_command_trace_tick(void *trace, const struct rs_so_far *so_far);

/* Write the trace of a finished run, if there is one. */
bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_summary *summary, struct rs_err *err);

#endif
