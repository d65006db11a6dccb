/* SPDX-License-Identifier: MIT */
/* The file of --trace, see trace.h. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define DEFAULT_BYTES (UINT64_C(50) << 20)
static_assert(
	RS_SLOW_TICK_MS % RS_TIMELINE_TICK_MS == 0, "one interval is a multiple of the other");

bool rs_command_trace_init(struct rs_command_trace *trace, const struct rs_options *options,
	const struct rs_segment *segment, struct rs_slow_log *slow_log, struct rs_err *err)
{
	*trace = (struct rs_command_trace){.fd = -1, .path = options->trace, .slow_log = slow_log};
	if (!options->trace)
		return true;
	trace->fd = strcmp(options->trace, "-") == 0
			    ? dup(STDOUT_FILENO)
			    : open(options->trace, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (trace->fd < 0)
		return rs_err_set_errno(err, errno, "cannot write the trace to %s",
			rs_text_shown(options->trace).text);
	trace->timeline = rs_timeline_create(
		segment, options->trace_bytes ? options->trace_bytes : DEFAULT_BYTES, err);
	return trace->timeline;
}

void rs_command_trace_finish(struct rs_command_trace *trace)
{
	rs_timeline_destroy(trace->timeline);
	if (trace->fd >= 0)
		close(trace->fd);
	*trace = (struct rs_command_trace){.fd = -1};
}

static void tick(void *context)
{
	struct rs_command_trace *trace = context;
	if (trace->timeline)
		rs_timeline_tick(trace->timeline);
	if (trace->slow_log && trace->n_ticks++ % (RS_SLOW_TICK_MS / RS_TIMELINE_TICK_MS) == 0)
		rs_slow_log_tick(trace->slow_log);
}

struct rs_tick rs_command_trace_tick(struct rs_command_trace *trace)
{
	struct rs_tick ticks = {0};
	if (trace->timeline)
		ticks = (struct rs_tick){RS_TIMELINE_TICK_MS, tick, trace};
	else if (trace->slow_log)
		ticks = (struct rs_tick){RS_SLOW_TICK_MS, rs_slow_log_tick, trace->slow_log};
	return ticks;
}

bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_run *run, struct rs_err *err)
{
	return !trace->timeline ||
	       rs_timeline_write(trace->timeline, run, trace->fd, trace->path, err);
}
