/* SPDX-License-Identifier: MIT */
/*
 * This file finds calls that have no record, either because they have not ended, or because their
 * record is missing. The record of a call within such a call says when the enclosing call began.
 * The end of the enclosing call is unknown, but it is not before the ends of the calls within it.
 */
#include "trace/calls.h"

/* Return the time at which the enclosing call of a call began. Return 0 if there is no enclosing
 * call, or UINT64_MAX if the time is unknown. */
static uint64_t parent_begin(const struct rs_traced_call *call)
{
	if (call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF | RS_TRACED_CUT | RS_TRACED_OPEN))
		return UINT64_MAX;
	if (call->parent >= RS_MAX_REGIONS)
		return 0;
	return call->from > 0 ? call->begin - call->from : UINT64_MAX;
}

/* Add the enclosing call of `inner`. This enclosing call began at `begin` and has no record. If it
 * was already added, rs_traced_calls_sort() merges both. */
static void add_parent(struct rs_traced_calls *calls, struct rs_traced_call inner, uint64_t begin)
{
	struct rs_traced_call *last = rs_traced_call_at(calls, calls->n - 1);
	if (!(last->flags & RS_TRACED_CUT) || last->begin != begin || last->tid != inner.tid) {
		last = rs_traced_calls_add(calls);
		if (!last)
			return;
		*last = (struct rs_traced_call){.begin = begin,
			.number = UINT64_MAX,
			.tid = inner.tid,
			.pid = inner.pid,
			.region = inner.parent,
			.parent = RS_TRACE_NO_REGION,
			.flags = RS_TRACED_CUT};
	}
	last->end = inner.end > last->end ? inner.end : last->end;
	last->flags |= inner.flags & RS_TRACED_LAST;
}

static void find_open(struct rs_begin_set *open, const struct rs_run *run)
{
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		if (result->diag[RS_ACCUMULATOR_DIAG_OPEN] > 0 && result->thread < run->n_threads)
			rs_begin_set_add(open, run->threads[result->thread].tid, result->region);
	}
}

/*
 * Among the calls without a record, find those that have not ended. A call has ended if a later
 * call of the thread is not within it. Otherwise the call is open if all later calls of the thread
 * are known. If some later calls are missing, two conditions must be met for the call to be open.
 * The thread has an open call of the region, and no later call of the region is known.
 */
static void find_ends(struct rs_traced_calls *calls, const struct rs_begin_set *open)
{
	/* for each region: tid of the thread of a later call */
	uint32_t later[RS_MAX_REGIONS] = {0};
	uint64_t outermost = UINT64_MAX; /* the least parent_begin() of the later calls */
	uint32_t tid = 0, pid = 0;
	for (size_t i = calls->n; i-- > 0;) {
		struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF))
			continue;
		if (call->tid != tid || call->pid != pid)
			outermost = UINT64_MAX;
		tid = call->tid;
		pid = call->pid;
		if (call->flags & RS_TRACED_CUT && outermost >= call->begin &&
			(call->flags & RS_TRACED_LAST ||
				(later[call->region] != tid &&
					rs_begin_set_has(open, tid, call->region)))) {
			call->flags = RS_TRACED_OPEN;
			call->end = UINT64_MAX;
		}
		later[call->region] = tid;
		uint64_t begin = parent_begin(call);
		outermost = begin < outermost ? begin : outermost;
	}
}

void rs_traced_calls_add_missing(struct rs_traced_calls *calls, const struct rs_run *run)
{
	struct rs_begin_set begun = {0}, open = {0};
	size_t n = calls->n;
	find_open(&open, run);
	for (size_t i = 0; i < n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (!(call->flags & (RS_TRACE_ASYNC | RS_TRACE_OFF)))
			rs_begin_set_add(&begun, call->tid, call->begin);
	}
	for (size_t i = 0; i < n && !begun.failed; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		uint64_t begin = call->begin - call->from;
		if (rs_traced_call_has_parent(call) && !rs_begin_set_has(&begun, call->tid, begin))
			add_parent(calls, *call, begin);
	}
	rs_traced_calls_sort(calls);
	if (!begun.failed && !open.failed)
		find_ends(calls, &open);
	rs_begin_set_finish(&begun);
	rs_begin_set_finish(&open);
}
