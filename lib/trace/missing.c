/* SPDX-License-Identifier: MIT */
/*
 * Calls without a record. This file finds them by the calls within them, whose records say when the
 * call around them began. Such a call has not ended, or its record was dropped.
 */
#include <stdlib.h>

#include "trace/calls.h"

/* Number of later calls that are searched for the end of a call without a record. */
#define LATER_CALLS 4096u

/* Return the time at which the call around a call began, 0 if there is none, or UINT64_MAX if it is
 * unknown. */
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

/* For each call, find the least parent_begin() of the later calls of its thread. The calls must be
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

/* Return the end of the last call within the parent of call i, which began at `begin`. Search at
 * most LATER_CALLS calls. The first n calls must be sorted. */
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

/* Add the parent of a call, which began at `begin` and has no record. */
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

/* Add calls without a record. Such a call has ended if the parent of a later call of the thread
 * began before it. */
void rs_traced_calls_add_missing(struct rs_traced_calls *calls)
{
	struct rs_begin_set begun;
	size_t n = calls->n;
	uint64_t *outermost = find_outermost(calls);
	if (!outermost || !rs_begin_set_init(&begun, 2 * n)) {
		free(outermost);
		return;
	}
	calls->most = 2 * n + 1024; /* no call may be removed during this function */
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
	rs_traced_calls_sort(calls);
}
