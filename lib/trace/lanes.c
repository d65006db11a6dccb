/* SPDX-License-Identifier: MIT */
/* This file distributes calls to tracks on which slices nest. Calls that overlap without nesting
 * are on different tracks. */
#include "trace/slices.h"

uint64_t rs_slices_ns_of(const struct rs_run *run, uint64_t ticks)
{
	const struct rs_clock_point *begin = &run->outcome->begin, *end = &run->outcome->end;
	if (end->ticks <= begin->ticks)
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * (end->monotonic_ns - begin->monotonic_ns) /
			  (end->ticks - begin->ticks));
}

uint64_t rs_slices_time_ns(const struct rs_run *run, uint64_t ticks)
{
	const struct rs_clock_point *begin = &run->outcome->begin;
	if (ticks < begin->ticks)
		return begin->monotonic_ns - rs_slices_ns_of(run, begin->ticks - ticks);
	return begin->monotonic_ns + rs_slices_ns_of(run, ticks - begin->ticks);
}

uint64_t rs_slices_uuid(uint32_t kind, uint32_t a, uint32_t b)
{
	uint64_t word = (uint64_t)a << 32 | b;
	for (int i = 0; i < 2; i++) {
		word = (word ^ word >> 31 ^ kind) * UINT64_C(0xff51afd7ed558ccd);
		word ^= word >> 33;
	}
	return word | 1;
}

static void pop(struct rs_slices *slices, struct rs_lane *lane)
{
	uint64_t end = lane->open[--lane->n]->end;
	if (end == UINT64_MAX) /* the call has not ended, so its slice has no end */
		return;
	lane->latest = end > lane->latest ? end : lane->latest;
	rs_perfetto_event(slices->trace, RS_PERFETTO_END, lane->uuid,
		rs_slices_time_ns(slices->run, lane->latest), NULL, NULL);
	rs_perfetto_event_end(slices->trace);
}

void rs_lanes_end(struct rs_lanes *lanes)
{
	for (uint32_t i = 0; i < lanes->n; i++) {
		while (lanes->lanes[i].n > 0)
			pop(lanes->slices, &lanes->lanes[i]);
		lanes->lanes[i].latest = 0;
	}
	lanes->n = 0;
}

/* Begin a slice, but not before the latest event of the track, because the order of events decides
 * which slice contains which. */
static void push(struct rs_lanes *lanes, struct rs_lane *lane, const struct rs_traced_call *call,
	uint64_t *begin)
{
	lane->latest = *begin > lane->latest ? *begin : lane->latest;
	*begin = lane->latest;
	if (lane->n == lane->room) {
		lane->room = 2 * lane->room + 16;
		lane->open = rs_arena_grow(&lanes->slices->trace->scratch, lane->open, lane->n,
			lane->room, sizeof(*lane->open));
	}
	lane->open[lane->n++] = call;
}

/* Return true if the innermost slice of a track ends before a call begins. Because overhead is
 * subtracted from slow markers and from NEXT, a call may seem to begin some ns before the previous
 * call ends. If such a call is not within the innermost slice, set *begin to the end of that slice.
 * The enclosing call of a cut or open call is unknown, but contains the whole cut or open call. */
static bool has_ended(
	const struct rs_lane *lane, const struct rs_traced_call *call, uint64_t *begin)
{
	const struct rs_traced_call *last = lane->open[lane->n - 1];
	bool is_unknown = call->flags & (RS_TRACED_CUT | RS_TRACED_OPEN);
	/* A cut call ends with the last call within it, which may have no length. */
	if (rs_traced_call_has_parent(call) && call->begin - call->from == last->begin &&
		last->end >= call->end)
		return false;
	if (last->end <= *begin)
		return true;
	if (last->end > call->end || (is_unknown && last->end == call->end) ||
		(!is_unknown && (!rs_traced_call_has_parent(call) ||
					call->begin - call->from >= last->begin)))
		return false;
	*begin = last->end;
	return true;
}

/* Add the track with index lanes->n. */
static void add_lane(struct rs_lanes *lanes, const struct rs_traced_call *call)
{
	bool is_async = call->flags & RS_TRACE_ASYNC;
	uint64_t process = rs_slices_uuid(RS_UUID_PROCESS, call->pid, 0);
	uint64_t thread = rs_slices_uuid(RS_UUID_THREAD, call->pid, call->tid);
	uint32_t i = lanes->n++;
	struct rs_lane *lane = &lanes->lanes[i];
	lane->uuid = is_async ? rs_slices_uuid(RS_UUID_ASYNC, call->pid, i)
		     : i == 0 ? thread
			      : rs_slices_uuid(RS_UUID_LANE, call->tid, i);
	if (is_async || i > 0)
		rs_perfetto_track(lanes->slices->trace, lane->uuid, is_async ? process : thread,
			is_async ? "START/STOP calls" : "overlapping calls", NULL);
}

struct rs_lane *rs_lanes_find(
	struct rs_lanes *lanes, const struct rs_traced_call *call, uint64_t *begin)
{
	for (uint32_t i = 0; i < RS_MOST_LANES; i++) {
		struct rs_lane *lane = &lanes->lanes[i];
		*begin = call->begin;
		while (lane->n > 0 && has_ended(lane, call, begin))
			pop(lanes->slices, lane);
		if (lane->n > 0 &&
			(call->flags & RS_TRACE_ASYNC || lane->open[lane->n - 1]->end < call->end))
			continue;
		if (i == lanes->n)
			add_lane(lanes, call);
		push(lanes, lane, call, begin);
		return lane;
	}
	return NULL;
}
