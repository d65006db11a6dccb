/* SPDX-License-Identifier: MIT */
/* The trace of a run, see timeline.h. */
#include "trace/timeline.h"

#include <stdlib.h>

#include "base/text.h"
#include "trace/counters.h"
#include "trace/lanes.h"
#include "trace/rules.h"
#include "trace/slices.h"

/* The least size of a slice in the file, compressed: two packets with their times. */
#define SLICE_BYTES 16u
/* A tick takes not much longer, so that the launcher does its other work. */
#define TICK_NS UINT64_C(20000000)
/* So many later calls are searched for the end of a call without a record. */
#define LATER_CALLS 4096u
/* What the file needs beside slices. */
#define OTHER_BYTES UINT64_C(16384)

struct rs_timeline {
	enum rs_clock clock;
	uint64_t most_bytes;
	struct rs_trace_rings rings;
	struct rs_trace_selection selection;
	struct rs_traced_calls calls;
	size_t n_applied; /* calls that the condition left the last time */
	struct rs_trace_counters counters;
};

struct rs_timeline *rs_timeline_create(const struct rs_segment *segment, uint64_t most_bytes,
	const struct rs_trace_condition *condition, struct rs_err *err)
{
	uint32_t n_events = segment->header->n_events;
	struct rs_timeline *timeline = calloc(1, sizeof(*timeline));
	if (!timeline) {
		rs_err_set(err, "cannot make a trace: out of memory");
		return NULL;
	}
	timeline->clock = (enum rs_clock)segment->header->clock;
	timeline->most_bytes = most_bytes;
	rs_traced_calls_init(&timeline->calls, n_events, (size_t)(most_bytes / SLICE_BYTES));
	rs_trace_selection_init(&timeline->selection, segment->fd, n_events, condition);
	if (rs_trace_rings_init(&timeline->rings, segment->fd, n_events, timeline->clock))
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
	rs_trace_counters_finish(&timeline->counters);
	rs_trace_rings_finish(&timeline->rings);
	rs_trace_selection_finish(&timeline->selection);
	free(timeline);
}

bool rs_timeline_add_interval(struct rs_timeline *timeline, const struct rs_interval *interval)
{
	return rs_trace_counters_add(&timeline->counters, interval);
}

bool rs_timeline_double_intervals(struct rs_timeline *timeline)
{
	return rs_trace_counters_double(&timeline->counters);
}

size_t rs_timeline_points(const struct rs_timeline *timeline)
{
	return timeline->counters.n;
}

/* ---- the condition ---- */

/* A call that meets the condition. */
struct match {
	uint32_t tid;
	uint64_t begin, end;
};
struct matches {
	struct match *items;
	size_t n;
};

static int compare_matches(const void *first, const void *second)
{
	const struct match *a = first, *b = second;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Return true if a call meets the condition, or lies in one that does. */
static bool is_in_match(const struct rs_traced_call *call, void *context)
{
	const struct matches *matches = context;
	size_t low = 0, high = matches->n;
	while (low <
		high) { /* Find the first match of the thread that does not end before the call. */
		size_t middle = low + (high - low) / 2;
		const struct match *match = &matches->items[middle];
		if (match->tid < call->tid || (match->tid == call->tid && match->end < call->end))
			low = middle + 1;
		else
			high = middle;
	}
	/* Matches that nest end one after the other. */
	for (; low < matches->n && matches->items[low].tid == call->tid; low++) {
		if (matches->items[low].begin <= call->begin)
			return true;
		if (matches->items[low].begin > call->end)
			break;
	}
	return false;
}

/* Remove the calls that are neither around nor within one that meets the condition. */
static void apply_condition(struct rs_timeline *timeline)
{
	struct rs_traced_calls *calls = &timeline->calls;
	struct matches matches = {calloc(calls->n + 1, sizeof(*matches.items)), 0};
	if (!matches.items)
		return;
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (!(call->flags & RS_TRACE_OFF) && rs_trace_selection_meets(&timeline->selection,
							     call->region, call->time >> 1))
			matches.items[matches.n++] = (struct match){
				call->tid, call->begin, call->end};
	}
	qsort(matches.items, matches.n, sizeof(*matches.items), compare_matches);
	rs_traced_calls_filter(calls, is_in_match, &matches);
	free(matches.items);
	timeline->n_applied = calls->n;
}

void rs_timeline_tick(struct rs_timeline *timeline)
{
	if (timeline->selection.condition.glob)
		rs_trace_selection_judge(&timeline->selection);
	rs_trace_rings_take(&timeline->rings, &timeline->calls, TICK_NS);
	if (timeline->selection.condition.glob) {
		size_t n = timeline->calls.n, most = timeline->calls.most;
		if (timeline->n_applied > n)
			timeline->n_applied = n;
		if (n > most / 2 && n - timeline->n_applied > most / 8)
			apply_condition(timeline);
	} else if (timeline->selection.is_selective || timeline->rings.is_behind ||
		   timeline->calls.n > timeline->calls.most / 2) {
		rs_trace_selection_update(&timeline->selection);
	}
}

/* ---- the file ---- */

/* Return when the call around a call began. 0: it has none. UINT64_MAX: unknown. */
static uint64_t parent_begin(const struct rs_traced_call *call)
{
	if (call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF))
		return UINT64_MAX;
	if (call->parent >= RS_MAX_REGIONS)
		return 0;
	return call->from > 0 ? call->begin - call->from : UINT64_MAX;
}

static bool is_same_thread(const struct rs_traced_call *a, const struct rs_traced_call *b)
{
	return a->tid == b->tid && a->pid == b->pid;
}

/* For each call: find the least parent_begin() of the later calls of its thread. The calls are
 * sorted. Return NULL if memory runs out. */
static uint64_t *find_outermost(const struct rs_traced_calls *calls)
{
	uint64_t *outermost = calloc(calls->n + 1, sizeof(*outermost));
	for (size_t i = calls->n; outermost && i-- > 0;) {
		outermost[i] = UINT64_MAX;
		if (i + 1 == calls->n || !is_same_thread(rs_traced_call_at(calls, i),
						 rs_traced_call_at(calls, i + 1)))
			continue;
		uint64_t next = parent_begin(rs_traced_call_at(calls, i + 1));
		outermost[i] = next < outermost[i + 1] ? next : outermost[i + 1];
	}
	return outermost;
}

/* Return the end of the last call in the one around call i, which began at `begin`. Not more than
 * LATER_CALLS are looked at. The calls are sorted up to n. */
static uint64_t find_end(const struct rs_traced_calls *calls, size_t n, size_t i, uint64_t begin)
{
	const struct rs_traced_call *inner = rs_traced_call_at(calls, i);
	uint64_t end = inner->end;
	n = n - i > LATER_CALLS ? i + LATER_CALLS : n;
	for (size_t later = i + 1; later < n; later++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, later);
		if (!is_same_thread(call, inner) || parent_begin(call) < begin)
			break;
		if (!(call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF)) && call->end > end)
			end = call->end;
	}
	return end;
}

/* Add a call without a record of its own. It is the parent of a call, and began at `begin`. */
static void add_missing(struct rs_traced_calls *calls, struct rs_traced_call inner, uint64_t begin,
	uint64_t end, bool is_open)
{
	struct rs_traced_call *missing = rs_traced_calls_add(calls);
	if (!missing)
		return;
	*missing = (struct rs_traced_call){
		.begin = begin,
		.end = is_open ? UINT64_MAX : end,
		.number = UINT64_MAX,
		.tid = inner.tid,
		.pid = inner.pid,
		.region = inner.parent,
		.parent = RS_TRACE_NO_REGION,
		.flags = is_open ? RS_TRACED_OPEN : RS_TRACED_CUT,
	};
}

/* Add the calls of which only calls within them are known: they have not ended, or their records
 * were dropped. Such a call has ended if a later one of the thread began in an earlier one. */
static void add_missing_calls(struct rs_traced_calls *calls)
{
	struct rs_begin_set begun;
	size_t n = calls->n;
	uint64_t *outermost = find_outermost(calls);
	if (!outermost || !rs_begin_set_init(&begun, 2 * n)) {
		free(outermost);
		return;
	}
	calls->most = 2 * n + 1024; /* Nothing may be removed meanwhile. */
	for (size_t i = 0; i < n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (!(call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF)))
			rs_begin_set_add(&begun, call->tid, call->begin);
	}
	for (size_t i = 0; i < n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		uint64_t begin = call->begin - call->from;
		uint32_t tid = call->tid;
		if (!rs_traced_call_has_parent(call) || rs_begin_set_has(&begun, tid, begin))
			continue;
		add_missing(
			calls, *call, begin, find_end(calls, n, i, begin), outermost[i] >= begin);
		rs_begin_set_add(&begun, tid, begin);
	}
	rs_begin_set_finish(&begun);
	free(outermost);
}

/* Return a time in ticks from which on all calls of a region are in the trace. UINT64_MAX: none. */
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

/* Say on a track of its own what is in the trace, and what is not. */
static void write_contents(const struct rs_timeline *timeline, const struct rs_slices *slices)
{
	const struct rs_run *run = slices->run;
	struct rs_perfetto *trace = slices->trace;
	uint64_t uuid = rs_slices_uuid(RS_UUID_OTHER, 0, 0), begin = run->outcome->begin.ticks;
	uint64_t *calls = calloc(run->n_regions + 1, sizeof(*calls));
	if (!calls)
		return;
	for (size_t i = 0; i < run->n_results; i++)
		calls[run->results[i].region] += run->results[i].measured;
	rs_perfetto_track(trace, uuid, 0, "regionstat: what the trace contains", NULL);
	for (uint32_t r = 0; r < run->n_regions; r++) {
		if (calls[r] == 0)
			continue;
		rs_perfetto_event(trace, RS_PERFETTO_INSTANT, uuid, rs_slices_time_ns(run, begin),
			0, RS_NAME_CONTENTS);
		rs_perfetto_argument_text(
			trace, RS_ARGUMENT_REGION, rs_text_shown(run->regions[r].name).text);
		rs_perfetto_argument(trace, RS_ARGUMENT_CALLS, calls[r]);
		const struct rs_sliced_region *sliced = &slices->regions[r];
		rs_perfetto_argument(trace, RS_ARGUMENT_IN_TRACE, sliced->n);
		uint64_t complete_from = sliced->n == calls[r] ? 0
							       : find_complete(timeline, r, sliced);
		if (complete_from < UINT64_MAX)
			rs_perfetto_argument(trace, RS_ARGUMENT_COMPLETE_FROM,
				rs_slices_ns_of(run, complete_from));
		rs_perfetto_event_end(trace);
	}
	rs_perfetto_event(trace, RS_PERFETTO_INSTANT, uuid, rs_slices_time_ns(run, begin), 0,
		RS_NAME_CONTENTS);
	rs_perfetto_argument(trace, RS_ARGUMENT_DROPPED, timeline->rings.n_dropped);
	rs_perfetto_argument(trace, RS_ARGUMENT_DAMAGED, timeline->rings.n_damaged);
	rs_perfetto_event_end(trace);
	free(calls);
}

/* Make the file in memory once. */
static bool make_once(const struct rs_timeline *timeline, struct rs_slices *slices)
{
	slices->regions = calloc(slices->run->n_regions + 1, sizeof(*slices->regions));
	if (!slices->regions)
		return false;
	rs_perfetto_init(slices->trace, slices->run->machine.host);
	bool done = rs_slices_write(slices);
	rs_trace_counters_write(&timeline->counters, slices->run, slices->trace);
	write_contents(timeline, slices);
	free(slices->regions);
	return rs_perfetto_complete(slices->trace) && done;
}

/* Make the file in memory. If it is too large, remove calls and try again. */
static bool make_file(struct rs_timeline *timeline, const struct rs_run *run,
	struct rs_perfetto *trace, const char *path, struct rs_err *err)
{
	struct rs_traced_calls *calls = &timeline->calls;
	for (;;) {
		struct rs_slices slices = {
			.trace = trace,
			.run = run,
			.calls = calls,
			.rings = &timeline->rings,
			.most_bytes = timeline->most_bytes - OTHER_BYTES,
		};
		bool done = make_once(timeline, &slices);
		bool fits = rs_perfetto_bytes(trace) <= timeline->most_bytes;
		if (done && fits)
			return true;
		if (trace->file.failed || (!done && rs_perfetto_bytes(trace) <= slices.most_bytes))
			return rs_err_set(err, "cannot make the trace %s: out of memory",
				rs_text_shown(path).text);
		if (calls->n == 0) {
			rs_err_set(err,
				"cannot make the trace %s: the counters of %zu regions do not fit",
				rs_text_shown(path).text, (size_t)run->n_regions);
			return rs_err_add_line(err, "try: a larger --trace-size");
		}
		rs_perfetto_finish(trace);
		rs_traced_calls_thin(calls, calls->n / 4 * 3);
	}
}

bool rs_timeline_make(struct rs_timeline *timeline, const struct rs_run *run, const char *path,
	struct rs_protobuf *file, struct rs_err *err)
{
	struct rs_perfetto trace = {0};
	rs_trace_rings_take(&timeline->rings, &timeline->calls, UINT64_MAX);
	if (timeline->selection.condition.glob) {
		rs_trace_selection_judge(&timeline->selection);
		apply_condition(timeline);
	} else {
		rs_trace_rings_copy_recent(&timeline->rings, &timeline->calls);
	}
	rs_traced_calls_sort(&timeline->calls);
	add_missing_calls(&timeline->calls);
	rs_traced_calls_sort(&timeline->calls);
	bool done = make_file(timeline, run, &trace, path, err);
	*file = trace.file;
	trace.file = (struct rs_protobuf){0};
	rs_perfetto_finish(&trace);
	return done;
}
