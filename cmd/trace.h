/* SPDX-License-Identifier: MIT */
/* The file of --trace during a run, and what happens at each tick of a run. */
#ifndef RS_CMD_TRACE_H
#define RS_CMD_TRACE_H

#include "launch/launch.h"
#include "launch/slow_log.h"
#include "options.h"
#include "trace/timeline.h"

struct rs_command_trace {
	struct rs_timeline *timeline; /* NULL: no trace is asked for */
	const char *path;
	int fd;
	struct rs_slow_log *slow_log; /* NULL: no slow calls are asked for */
	uint32_t n_ticks;
};

/* Open the file and begin the trace, if the options ask for one. slow_log may be NULL. Release
 * trace with rs_command_trace_finish(). */
bool rs_command_trace_init(struct rs_command_trace *trace, const struct rs_options *options,
	const struct rs_segment *segment, struct rs_slow_log *slow_log, struct rs_err *err);
void rs_command_trace_finish(struct rs_command_trace *trace);

/* Return what to do while the program runs. */
struct rs_tick rs_command_trace_tick(struct rs_command_trace *trace);

/* Write the trace, if there is one. */
bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_run *run, struct rs_err *err);

#endif
