/* SPDX-License-Identifier: MIT */
/* This file makes the trace of a run: it controls the rings, the rules, the calls in memory and the
 * file (timeline.h). */
#include "trace/timeline.h"

#include <stdlib.h>

#include "base/text.h"
#include "trace/slices.h"

/* Least compressed size in bytes of a slice, which consists of two packets, each with a time. */
#define SLICE_BYTES 16u
/* Recent calls may use 1 / RECENT_PART of the file. */
#define RECENT_PART 8u
/* A tick takes at most this time, so that the launcher can do its other work. */
#define TICK_NS UINT64_C(20000000)
/* Bytes of the file for everything except slices. */
#define OTHER_BYTES UINT64_C(16384)

struct rs_timeline *rs_timeline_create(const struct rs_segment *segment, uint64_t most_bytes,
	const struct rs_trace_condition *condition, struct rs_err *err)
{
	uint32_t n_events = segment->header->n_events;
	struct rs_timeline *timeline = calloc(1, sizeof(*timeline));
	if (!timeline) {
		rs_err_set(err, "cannot make a trace: out of memory");
		return NULL;
	}
	timeline->most_bytes = most_bytes;
	rs_traced_calls_init(&timeline->calls, n_events, (size_t)(most_bytes / SLICE_BYTES));
	rs_traced_calls_init(
		&timeline->recent, n_events, (size_t)(most_bytes / SLICE_BYTES / RECENT_PART));
	timeline->recent.is_ring = true;
	/* Before the first rules, threads keep every call, and do not flag slow calls. These limits
	 * show which of those calls are slow. */
	timeline->calls.slow_from = timeline->selection.highest;
	rs_trace_selection_init(&timeline->selection, segment->fd, condition);
	if (rs_trace_rings_init(
		    &timeline->rings, segment->fd, n_events, (enum rs_clock)segment->header->clock))
		return timeline;
	rs_timeline_destroy(timeline);
	rs_err_set(err, "cannot make a trace: out of memory");
	return NULL;
}

void rs_timeline_destroy(struct rs_timeline *timeline)
{
	if (!timeline)
		return;
	rs_traced_calls_finish(&timeline->calls);
	rs_traced_calls_finish(&timeline->recent);
	rs_trace_counters_finish(&timeline->counters);
	rs_trace_rings_finish(&timeline->rings);
	free(timeline);
}

bool rs_timeline_tick(struct rs_timeline *timeline)
{
	struct rs_trace_selection *selection = &timeline->selection;
	size_t most = timeline->calls.most;
	if (selection->condition.glob)
		rs_trace_selection_judge(selection);
	rs_trace_rings_take(&timeline->rings, &timeline->calls, TICK_NS);
	size_t n = timeline->calls.n;
	if (!selection->condition.glob) {
		selection->is_selective |= timeline->rings.is_behind || n > most / 2;
		if (selection->is_selective)
			timeline->rings.recent = &timeline->recent;
	} else {
		if (selection->n_applied > n)
			selection->n_applied = n;
		if (n > most / 2 && n - selection->n_applied > most / 8)
			rs_trace_selection_apply(selection, &timeline->calls);
	}
	return timeline->rings.is_busy;
}

void rs_timeline_set_rules(struct rs_timeline *timeline, const struct rs_summary *summary)
{
	if (timeline->selection.is_selective)
		rs_trace_selection_update(&timeline->selection, summary);
}

/* ---- the file ---- */

/* Return a time in ticks: all calls of the region that take at least this time are in the trace.
 * Return UINT64_MAX if there is no such time. */
static uint64_t find_complete(
	const struct rs_timeline *timeline, uint32_t region, const struct rs_sliced_region *sliced)
{
	const struct rs_trace_selection *selection = &timeline->selection;
	const struct rs_trace_rings *rings = &timeline->rings;
	uint64_t dropped = rings->longest_dropped < UINT64_MAX ? rings->longest_dropped + 1
							       : UINT64_MAX;
	uint64_t complete_from = selection->highest[region];
	if (timeline->calls.failed || rings->is_refused)
		return UINT64_MAX;
	if (selection->condition.glob)
		complete_from = selection->is_judged[region] ? selection->rules.above[region]
							     : UINT64_MAX;
	if (timeline->calls.complete_from[region] > complete_from)
		complete_from = timeline->calls.complete_from[region];
	if (sliced->complete_from > complete_from)
		complete_from = sliced->complete_from;
	return rings->n_dropped > 0 && dropped > complete_from ? dropped : complete_from;
}

/* Write a track that says which calls are in the trace and which are missing. */
static void write_contents(const struct rs_timeline *timeline, const struct rs_slices *slices)
{
	const struct rs_run *run = slices->run;
	struct rs_perfetto *trace = slices->trace;
	uint64_t uuid = rs_slices_uuid(RS_UUID_OTHER, 0, 0), begin = run->outcome->begin.ticks;
	uint64_t *calls = rs_arena_array(&trace->scratch, run->n_regions, sizeof(*calls));
	for (size_t i = 0; i < run->n_results; i++)
		calls[run->results[i].region] += run->results[i].measured;
	rs_perfetto_track(trace, uuid, 0, "regionstat: what the trace contains", NULL);
	for (uint32_t r = 0; r < run->n_regions; r++) {
		if (calls[r] == 0)
			continue;
		rs_perfetto_event(trace, RS_PERFETTO_INSTANT, uuid, rs_slices_time_ns(run, begin),
			NULL, "contents");
		rs_perfetto_argument_text(trace, "region", slices->regions[r].name);
		rs_perfetto_argument(trace, "calls", calls[r]);
		const struct rs_sliced_region *sliced = &slices->regions[r];
		rs_perfetto_argument(trace, "in_trace", sliced->n);
		uint64_t complete_from = sliced->n == calls[r] ? 0
							       : find_complete(timeline, r, sliced);
		if (complete_from < UINT64_MAX)
			rs_perfetto_argument(
				trace, "complete_from_ns", rs_slices_ns_of(run, complete_from));
		rs_perfetto_event_end(trace);
	}
	rs_perfetto_event(
		trace, RS_PERFETTO_INSTANT, uuid, rs_slices_time_ns(run, begin), NULL, "contents");
	rs_perfetto_argument(trace, "dropped", timeline->rings.n_dropped);
	rs_perfetto_argument(trace, "dropped_slow", timeline->rings.n_dropped_slow);
	rs_perfetto_argument(trace, "damaged", timeline->rings.n_damaged);
	rs_perfetto_event_end(trace);
}

/* What rs_timeline_make() makes, and from what. */
struct making {
	struct rs_timeline *timeline;
	const struct rs_run *run;
	const char *path;
	struct rs_err *err;
	struct rs_perfetto trace;
	bool done;
};

/* Make the file in memory. If it is too large, remove calls and try again. */
static bool make_file(struct making *making)
{
	struct rs_timeline *timeline = making->timeline;
	struct rs_traced_calls *calls = &timeline->calls;
	for (;;) {
		struct rs_slices slices = {
			.trace = &making->trace,
			.run = making->run,
			.calls = calls,
			.rings = &timeline->rings,
			.most_bytes = timeline->most_bytes - OTHER_BYTES,
		};
		rs_perfetto_init(slices.trace, slices.run->machine.host);
		bool done = rs_slices_write(&slices);
		rs_trace_counters_write(&timeline->counters, slices.run, slices.trace);
		write_contents(timeline, &slices);
		rs_perfetto_complete(slices.trace);
		if (done && rs_perfetto_bytes(slices.trace) <= timeline->most_bytes)
			return true;
		if (calls->n == 0) {
			rs_err_set(making->err,
				"cannot make the trace %s: the counters of %zu regions do not fit",
				rs_text_shown(making->path).text, (size_t)slices.run->n_regions);
			return rs_err_add_line(making->err, "try: a larger --trace-size");
		}
		rs_perfetto_finish(slices.trace);
		rs_traced_calls_thin(calls, calls->n / 4 * 3);
	}
}

static void make(void *context)
{
	struct making *making = context;
	struct rs_timeline *timeline = making->timeline;
	struct rs_traced_calls *calls = &timeline->calls;
	size_t most = calls->most;
	rs_trace_rings_take(&timeline->rings, calls, UINT64_MAX);
	calls->most = SIZE_MAX; /* do not remove calls before they are sorted */
	if (timeline->selection.condition.glob) {
		rs_trace_selection_judge(&timeline->selection);
		rs_trace_selection_apply(&timeline->selection, calls);
	} else {
		rs_traced_calls_append(calls, &timeline->recent);
		rs_trace_rings_copy_last(&timeline->rings, calls, most / RECENT_PART);
	}
	rs_traced_calls_sort(calls);
	rs_traced_calls_add_missing(calls, making->run);
	rs_trace_end_open(&timeline->rings, calls, making->run->outcome->end.ticks);
	calls->most = most;
	rs_traced_calls_thin(calls, most);
	making->done = make_file(making);
}

bool rs_timeline_make(struct rs_timeline *timeline, const struct rs_run *run, const char *path,
	struct rs_protobuf *file, struct rs_err *err)
{
	struct making making = {.timeline = timeline, .run = run, .path = path, .err = err};
	if (!rs_arena_guard(make, &making))
		rs_err_set(
			err, "cannot make the trace %s: out of memory", rs_text_shown(path).text);
	*file = making.trace.file;
	making.trace.file = (struct rs_protobuf){0};
	rs_perfetto_finish(&making.trace);
	return making.done;
}
