/* SPDX-License-Identifier: MIT */
/* This file collects the trace of --trace in memory during the run, and writes it to a file after
 * the run. */
#include "one_run.h"

#include <string.h>

#include "base/now.h"
#include "base/text.h"
#include "command.h"
#include "report/format.h"

#define DEFAULT_BYTES (UINT64_C(50) << 20)
#define INTERVAL_NS UINT64_C(250000000)
/* The rules that select calls change at most every 50 ms. Each change needs a snapshot. These
 * snapshots use at most 1 / RULES_REST of the time. */
#define RULES_NS UINT64_C(50000000)
#define RULES_REST 20u
/* If no thread has filled its ring quickly for this time, ticks become less frequent. */
#define BUSY_NS UINT64_C(1000000000)
#define QUIET_TICK_MS 5u
/* The trace may have one point of a counter for each BYTES_A_POINT bytes of the file's limit. A
 * point takes about 12 bytes, so counters take about a tenth of the file. */
#define BYTES_A_POINT 128u

/* A message of rs_output_init() or rs_output_write() suggests a remedy for -o. Change the message
 * so that it names --trace. */
static bool refuse_file(struct rs_err *err)
{
	err->text[strcspn(err->text, "\n")] = '\0';
	rs_err_prefix(err, "--trace");
	return rs_err_add_line(err, "try: --trace with another file");
}

bool rs_command_trace_init(
	struct rs_command_trace *trace, struct rs_one_run *run, struct rs_err *err)
{
	const struct rs_options *options = run->options;
	const char *path = options->trace;
	uint64_t bytes = options->trace_bytes ? options->trace_bytes : DEFAULT_BYTES;
	*trace = (struct rs_command_trace){.run = run,
		.output = {.fd = -1},
		.interval_ns = INTERVAL_NS,
		.next_ns = rs_monotonic_ns() + INTERVAL_NS,
		.busy_ns = rs_monotonic_ns() + BUSY_NS,
		.most_points = (size_t)(bytes / BYTES_A_POINT)};
	if (!path)
		return true;
	if (!rs_output_init(&trace->output, path, false, err))
		return refuse_file(err);
	/* Times of calls in the segment are in ticks. */
	struct rs_trace_condition condition = {.glob = options->trace_if};
	if (options->trace_if)
		condition.above = 1 + (uint64_t)((double)options->trace_if_ns /
						 rs_clock_tick_ns(run->segment.header->clock));
	trace->timeline = rs_timeline_create(&run->segment, bytes, &condition, err);
	return trace->timeline;
}

void rs_command_trace_finish(struct rs_command_trace *trace)
{
	rs_intervals_finish(&trace->sum);
	rs_timeline_destroy(trace->timeline);
	rs_output_finish(&trace->output, trace->is_written);
	*trace = (struct rs_command_trace){.output = {.fd = -1}};
}

/* Add the interval that ends with this summary to the counters of the trace. */
static bool add_interval(
	struct rs_command_trace *trace, const struct rs_summary *summary, bool is_last)
{
	struct rs_interval interval;
	if (!rs_interval_make(&interval, &trace->sum, summary, is_last))
		return false;
	bool done = rs_trace_counters_add(&trace->timeline->counters, &interval);
	rs_interval_finish(&interval);
	return done;
}

void rs_command_trace_tick(void *context, const struct rs_so_far *so_far)
{
	struct rs_command_trace *trace = context;
	bool is_busy = rs_timeline_tick(trace->timeline);
	uint64_t begin_ns = rs_monotonic_ns();
	if (is_busy)
		trace->busy_ns = begin_ns + BUSY_NS;
	*trace->tick_ms = begin_ns < trace->busy_ns ? RS_TIMELINE_TICK_MS : QUIET_TICK_MS;
	bool has_ended = begin_ns >= trace->next_ns;
	if (!has_ended && (begin_ns < trace->rules_ns || !trace->timeline->selection.is_selective))
		return;
	/* If memory for a snapshot runs out, the interval continues until the next tick. */
	const struct rs_snapshot *snapshot = rs_snapshot_next(trace->run, so_far, false);
	bool is_measured = !snapshot || snapshot->run.is_measured;
	if (snapshot && is_measured && has_ended)
		add_interval(trace, &snapshot->summary, false);
	if (snapshot && is_measured)
		rs_timeline_set_rules(trace->timeline, &snapshot->summary);
	struct rs_trace_counters *counters = &trace->timeline->counters;
	if (has_ended && counters->n >= trace->most_points) {
		rs_trace_counters_double(counters);
		trace->interval_ns *= 2;
	}
	uint64_t end_ns = rs_monotonic_ns(), rest_ns = (end_ns - begin_ns) * RULES_REST;
	if (has_ended)
		trace->next_ns = is_measured ? end_ns + trace->interval_ns : UINT64_MAX;
	trace->rules_ns = is_measured ? end_ns + (rest_ns > RULES_NS ? rest_ns : RULES_NS)
				      : UINT64_MAX;
}

/* Print a message if the trace lacks slow calls. */
static void warn_of_dropped(const struct rs_command_trace *trace)
{
	uint64_t n = trace->timeline->rings.n_dropped_slow;
	struct rs_err err;
	if (n == 0)
		return;
	rs_err_set(&err, "--trace: %s lacks %s slow call%s, because regionstat waited for a CPU",
		rs_text_shown(trace->run->options->trace).text, rs_format_integer(n).text,
		n == 1 ? "" : "s");
	rs_err_add_line(&err, "try: fewer busy threads, or larger regions");
	rs_command_complain(&err);
}

bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_summary *summary, struct rs_err *err)
{
	struct rs_protobuf file = {0};
	if (!trace->timeline)
		return true;
	if (summary->run->is_measured && !add_interval(trace, summary, true))
		return rs_err_set(err, "cannot make the trace: out of memory");
	trace->is_written =
		rs_timeline_make(
			trace->timeline, summary->run, trace->run->options->trace, &file, err) &&
		(rs_output_write(&trace->output, (const char *)file.bytes, file.n, err) ||
			refuse_file(err));
	rs_protobuf_finish(&file);
	if (trace->is_written)
		warn_of_dropped(trace);
	return trace->is_written;
}
