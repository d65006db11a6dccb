/* SPDX-License-Identifier: MIT */
/* This file writes calls as slices of a timeline (slices.h). */
#include "trace/slices.h"

#include <stdlib.h>

#include "base/text.h"

/* Return the process with a pid. The calls of a process follow each other, so cache the last
 * process. */
static const struct rs_run_process *find_process(struct rs_slices *slices, uint32_t pid)
{
	const struct rs_run *run = slices->run;
	for (size_t i = 0;
		i < run->n_processes && !(slices->process && slices->process->pid == pid); i++)
		if (run->processes[i].pid == pid)
			slices->process = &run->processes[i];
	return slices->process && slices->process->pid == pid ? slices->process : NULL;
}

/* Return the latest name of a thread, or "" if it ended so soon that it has no name. */
static const char *find_name(const struct rs_trace_rings *rings, uint32_t pid, uint32_t tid)
{
	/* find the first thread after this one; threads are sorted by pid and tid */
	size_t low = 0, high = rings->n_threads;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct rs_traced_thread *thread = &rings->threads[middle];
		if (thread->pid < pid || (thread->pid == pid && thread->tid <= tid))
			low = middle + 1;
		else
			high = middle;
	}
	const struct rs_traced_thread *found = low > 0 ? &rings->threads[low - 1] : NULL;
	return found && found->pid == pid && found->tid == tid ? found->name : "";
}

static void define_thread(
	struct rs_slices *slices, struct rs_begin_set *known, uint32_t pid, uint32_t tid)
{
	uint64_t process = rs_slices_uuid(RS_UUID_PROCESS, pid, 0);
	if (rs_begin_set_has(known, tid, pid))
		return;
	if (!rs_begin_set_has(known, 0, pid)) {
		const struct rs_run_process *found = find_process(slices, pid);
		rs_perfetto_process(
			slices->trace, process, pid, rs_text_shown(found ? found->name : "").text);
		rs_begin_set_add(known, 0, pid);
	}
	rs_perfetto_thread(slices->trace, rs_slices_uuid(RS_UUID_THREAD, pid, tid), process, pid,
		tid, rs_text_shown(find_name(slices->rings, pid, tid)).text);
	rs_begin_set_add(known, tid, pid);
}

/* Define the tracks of all threads with calls. */
static void define_threads(struct rs_slices *slices)
{
	struct rs_begin_set known = {0};
	for (size_t i = 0; i < slices->calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(slices->calls, i);
		define_thread(slices, &known, call->pid, call->tid);
		if (call->flags & RS_TRACE_ASYNC && (uint32_t)call->from != 0)
			define_thread(slices, &known, call->pid, (uint32_t)call->from);
	}
	bool failed = known.failed;
	rs_begin_set_finish(&known);
	if (failed)
		rs_arena_refuse();
}

/* ---- slices ---- */

/* Return the category of a slice, which is the reason why the call is in the trace. */
static const char *category_of(const struct rs_traced_call *call)
{
	return call->flags & RS_TRACED_OPEN	? "open"
	       : call->flags & RS_TRACED_CUT	? "cut"
	       : call->flags & RS_TRACE_SLOW	? "slow"
	       : call->flags & RS_TRACE_AROUND	? "around"
	       : call->flags & RS_TRACE_SAMPLE	? "sample"
	       : call->flags & RS_TRACED_RECENT ? "recent"
						: "all";
}

static void add_off_cpu(struct rs_slices *slices, const struct rs_traced_call *call)
{
	rs_perfetto_argument(slices->trace, "blocked_ns",
		rs_slices_ns_of(slices->run, call->more[RS_TRACE_BLOCKED]));
	rs_perfetto_argument(slices->trace, "preempted_ns",
		rs_slices_ns_of(slices->run, call->more[RS_TRACE_PREEMPTED]));
}

static void add_values(struct rs_slices *slices, const struct rs_traced_call *call)
{
	const struct rs_run *run = slices->run;
	struct rs_perfetto *trace = slices->trace;
	const struct rs_run_process *process = find_process(slices, call->pid);
	double inside_ns = process && !run->how.raw ? process->inside_ns : 0;
	uint64_t time_ns = rs_slices_ns_of(run, call->time >> 1);
	if (inside_ns > 0)
		time_ns = inside_ns < (double)time_ns ? time_ns - (uint64_t)inside_ns : 0;
	uint64_t off_ns = rs_slices_ns_of(run, call->more[RS_TRACE_BLOCKED]) +
			  rs_slices_ns_of(run, call->more[RS_TRACE_PREEMPTED]);
	rs_perfetto_argument(trace, "time_ns", time_ns);
	if (off_ns > 0) {
		rs_perfetto_argument(trace, "cpu_time_ns", off_ns < time_ns ? time_ns - off_ns : 0);
		add_off_cpu(slices, call);
	}
	if (call->more[RS_TRACE_BYTES])
		rs_perfetto_argument(trace, "bytes", call->more[RS_TRACE_BYTES]);
	if (call->more[RS_TRACE_FLOPS])
		rs_perfetto_argument(trace, "flops", call->more[RS_TRACE_FLOPS]);
	for (uint32_t e = 0; e < run->plan->n_events; e++) {
		uint32_t counter = run->plan->events[e].counter;
		if (counter > 0 && counter <= slices->calls->n_events &&
			call->events[counter - 1] != UINT64_MAX)
			rs_perfetto_argument(
				trace, run->plan->events[e].name, call->events[counter - 1]);
	}
}

/* Add an instant to a thread's track where an asynchronous call starts or stops. */
static void add_end_of_flow(struct rs_slices *slices, const struct rs_traced_call *call,
	uint32_t tid, uint64_t ticks, uint64_t flow, bool is_last)
{
	rs_perfetto_event(slices->trace, RS_PERFETTO_INSTANT,
		rs_slices_uuid(RS_UUID_THREAD, call->pid, tid),
		rs_slices_time_ns(slices->run, ticks), category_of(call),
		slices->regions[call->region].name);
	rs_perfetto_flow(slices->trace, flow, is_last);
	rs_perfetto_event_end(slices->trace);
}

static void add_call(struct rs_lanes *lanes, const struct rs_traced_call *call)
{
	struct rs_slices *slices = lanes->slices;
	uint64_t begin;
	if (call->region >= slices->run->n_regions)
		return;
	struct rs_lane *lane = rs_lanes_find(lanes, call, &begin);
	struct rs_sliced_region *region = &slices->regions[call->region];
	if (!lane) {
		if (call->time >> 1 >= region->complete_from)
			region->complete_from = (call->time >> 1) + 1;
		return;
	}
	bool has_ended = !(call->flags & (RS_TRACED_OPEN | RS_TRACED_CUT));
	region->n += has_ended;
	/* If the call ends on another thread, a flow connects the tracks of both threads with the
	 * call's track. */
	uint32_t starter = call->flags & RS_TRACE_ASYNC ? (uint32_t)call->from : call->tid;
	uint64_t flow = rs_slices_uuid(RS_UUID_OTHER, call->tid, (uint32_t)call->number);
	bool crosses = starter != 0 && starter != call->tid;
	if (crosses)
		add_end_of_flow(slices, call, starter, call->begin, flow, false);
	rs_perfetto_event(slices->trace, RS_PERFETTO_BEGIN, lane->uuid,
		rs_slices_time_ns(slices->run, begin), category_of(call),
		slices->regions[call->region].name);
	if (has_ended)
		add_values(slices, call);
	if (crosses)
		rs_perfetto_flow(slices->trace, flow, false);
	rs_perfetto_event_end(slices->trace);
	if (crosses)
		add_end_of_flow(slices, call, call->tid, call->end, flow, true);
}

/* Add off-CPU time or a gap on a separate track. The slice of off-CPU time covers all the time in
 * which the thread may have been off the CPU. The slice does not begin before the end of the
 * previous slice on its track. ends: the end of the previous slice in ticks, first on the track of
 * off-CPU time, then on that of gaps; 0: no previous slice. */
static void add_off(struct rs_slices *slices, const struct rs_traced_call *call, uint64_t ends[2])
{
	bool is_gap = call->flags & RS_TRACED_GAP;
	uint64_t *end = &ends[is_gap], begin = call->begin > *end ? call->begin : *end;
	uint64_t uuid = rs_slices_uuid(is_gap ? RS_UUID_GAP : RS_UUID_OFF, call->pid, call->tid);
	bool is_blocked = call->more[RS_TRACE_BLOCKED] >= call->more[RS_TRACE_PREEMPTED];
	if (*end == 0)
		rs_perfetto_track(slices->trace, uuid,
			rs_slices_uuid(RS_UUID_THREAD, call->pid, call->tid),
			is_gap ? "calls not kept" : "off-CPU within", NULL);
	*end = call->end > begin ? call->end : begin;
	rs_perfetto_event(slices->trace, RS_PERFETTO_BEGIN, uuid,
		rs_slices_time_ns(slices->run, begin), category_of(call),
		is_gap	     ? "calls not kept"
		: is_blocked ? "blocked"
			     : "preempted");
	if (!is_gap)
		add_off_cpu(slices, call);
	rs_perfetto_event_end(slices->trace);
	rs_perfetto_event(slices->trace, RS_PERFETTO_END, uuid,
		rs_slices_time_ns(slices->run, *end), NULL, NULL);
	rs_perfetto_event_end(slices->trace);
}

static bool is_full(struct rs_slices *slices)
{
	return rs_perfetto_bytes(slices->trace) > slices->most_bytes;
}

static void write_threads(struct rs_slices *slices, struct rs_lanes *lanes)
{
	const struct rs_traced_calls *calls = slices->calls;
	uint32_t pid = 0, tid = 0;
	uint64_t off_ends[2] = {0};
	for (size_t i = 0; i < calls->n && !is_full(slices); i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (call->tid != tid || call->pid != pid) {
			rs_lanes_end(lanes);
			off_ends[0] = off_ends[1] = 0;
			tid = call->tid;
			pid = call->pid;
		}
		if (call->flags & RS_TRACE_OFF)
			add_off(slices, call, off_ends);
		else if (!(call->flags & RS_TRACE_ASYNC))
			add_call(lanes, call);
	}
	rs_lanes_end(lanes);
}

static int compare_asyncs(const void *first, const void *second)
{
	const struct rs_traced_call *a = *(const struct rs_traced_call *const *)first;
	const struct rs_traced_call *b = *(const struct rs_traced_call *const *)second;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

static void write_asyncs(struct rs_slices *slices, struct rs_lanes *lanes)
{
	const struct rs_traced_calls *calls = slices->calls;
	size_t n = 0;
	const struct rs_traced_call **asyncs = rs_arena_array(
		&slices->trace->scratch, calls->n, sizeof(*asyncs));
	for (size_t i = 0; i < calls->n; i++)
		if (rs_traced_call_at(calls, i)->flags & RS_TRACE_ASYNC)
			asyncs[n++] = rs_traced_call_at(calls, i);
	qsort(asyncs, n, sizeof(*asyncs), compare_asyncs);
	for (size_t i = 0; i < n && !is_full(slices); i++) {
		if (i > 0 && asyncs[i]->pid != asyncs[i - 1]->pid)
			rs_lanes_end(lanes);
		add_call(lanes, asyncs[i]);
	}
	rs_lanes_end(lanes);
}

bool rs_slices_write(struct rs_slices *slices)
{
	struct rs_lanes lanes = {.slices = slices};
	slices->regions = rs_arena_array(
		&slices->trace->scratch, slices->run->n_regions, sizeof(*slices->regions));
	for (uint32_t r = 0; r < slices->run->n_regions; r++)
		rs_text_name(slices->regions[r].name, sizeof(slices->regions[r].name),
			slices->run->regions[r].name);
	define_threads(slices);
	write_threads(slices, &lanes);
	write_asyncs(slices, &lanes);
	return !is_full(slices);
}
