/*
 * BEGIN, END and NEXT where they are not plain: regions that are not ready, pauses, calls that have
 * to be recorded otherwise, pages that have changed.
 */
#include "runtime/mark/marker.h"

/* ---- BEGIN ---- */

/* A region's first call on this thread. False without memory. */
static RS_COLD bool bind(
	struct rs_thread *thread, struct rs_thread_region *region, enum rs_slow_kind kind)
{
	/* a BEGIN with no call around it: nobody is there to pay */
	bool is_charged = kind == RS_SLOW_BIND_NEXT || thread->top != thread->first;
	if (is_charged)
		rs_slow_begin(thread);
	struct rs_cell *cell = rs_cell_bind(thread, rs_region_of(thread, region));
	if (is_charged)
		rs_slow_end(thread, kind);
	return cell != NULL;
}

bool rs_begin_unready(struct rs_thread *thread, struct rs_thread_region *region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller,
	enum rs_slow_kind bind_kind)
{
	if (!region->turn)
		return !bind(thread, region, bind_kind);
	return rs_frame_reenter(thread, region, site, stack, caller);
}

void rs_begin_nothing(struct rs_thread *thread, struct rs_thread_region *region,
	const struct regionstat_site_ *site, uintptr_t stack, uintptr_t caller)
{
	struct rs_frame *frame = thread->top;
	if (frame == thread->last) {
		thread->overflow++;
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
		return;
	}
	*frame = (struct rs_frame){.control = RS_CONTROL_PAUSED,
		.tag = (uintptr_t)region,
		.stack = stack,
		.caller = caller,
		.site = site};
	rs_frame_set_recursion(frame, RS_FRAME_PAUSED, 0);
	region->turn = -region->turn;
	thread->top = rs_frame_above(thread, frame, 1);
}

/* The page of an event has changed: as if this BEGIN had not begun. */
static RS_COLD void begin_renew(struct rs_thread *thread)
{
	struct rs_frame *frame = rs_frame_above(thread, thread->top, -1);
	thread->top = frame;
	rs_frame_region(frame)->turn = 1;
	atomic_store_explicit(&rs_frame_region(frame)->cell->open, 0, memory_order_relaxed);
	rs_snapshot_renew(thread, RS_SLOW_RENEW_BEGIN);
}

/* A group is off the PMU, or not read in user space. False: a page has changed. */
static bool begin_off(struct rs_thread *thread)
{
	struct rs_frame *frame = rs_frame_above(thread, thread->top, -1);
	uint32_t off;
	if (!rs_snapshot_any(thread, frame->values, rs_frame_times(thread, frame), &off))
		return false;
	if (off)
		rs_frame_set_off(thread, frame, off);
	frame->values[0] = rs_ticks(thread->clock) + thread->adjust[0];
	return true;
}

bool rs_begin_otherwise(struct rs_thread *thread, struct rs_begin begin, enum rs_outcome outcome)
{
	bool done = true;
	if (outcome == RS_OUTCOME_UNREADY)
		done = rs_begin_unready(
			thread, begin.region, begin.site, begin.stack, begin.caller, RS_SLOW_BIND);
	else if (outcome == RS_OUTCOME_OFF)
		done = begin_off(thread);
	else if (outcome == RS_OUTCOME_NOTHING)
		rs_begin_nothing(thread, begin.region, begin.site, begin.stack, begin.caller);
	if (outcome == RS_OUTCOME_RENEW || (outcome == RS_OUTCOME_OFF && !done)) {
		begin_renew(thread);
		done = false;
	}
	rs_leave(thread);
	return !done;
}

void rs_begin_whole(struct rs_thread *thread, struct rs_begin begin)
{
	for (;;) {
		enum rs_outcome outcome = rs_begin_region(
			thread, begin, thread->n_events, thread->n_groups, true, thread->clock);
		if (outcome == RS_OUTCOME_DONE || !rs_begin_otherwise(thread, begin, outcome))
			return;
		thread->busy = begin.stack;
	}
}

/* ---- END ---- */

/*
 * END of a call that need not be plain, nor the topmost; its snapshot is in thread->now.
 *
 * After a context switch most often all groups turn out to have been on the PMU while the thread
 * ran: then the regions around are counted, too. And a group that was not leaves others that were.
 * So nobody is to pay for what happens here, unless that would take more system calls.
 */
static RS_COLD void end_frame(struct rs_thread *thread, struct rs_frame *frame)
{
	bool is_next = thread->now_edge == RS_EDGE_NEXT;
	enum rs_slow_kind kind = is_next ? RS_SLOW_RECORD_NEXT : RS_SLOW_RECORD;
	/* the only call that is open: nobody is there to pay */
	bool is_only = frame == thread->first && thread->top == rs_frame_above(thread, frame, 1);
	bool is_charged = thread->is_charged && (is_next || !is_only);
	struct rs_thread_region *region = rs_frame_region(frame);
	struct rs_cell *cell = region->cell;
	if (is_charged)
		rs_slow_begin(thread);
	if (rs_control(thread) == frame->control)
		rs_record_other(thread, frame);
	else
		rs_cell_count(cell, RS_CELL_DIAG_CUT);
	atomic_store_explicit(&cell->open, 0, memory_order_relaxed);
	if (region->sample_calls > 1)
		region->turn = rs_draw_turn(thread, region->sample_calls);
	rs_frame_remove(thread, frame);
	if (is_charged)
		rs_slow_end(thread, kind);
}

void rs_take_end(struct rs_thread *thread)
{
	do {
		rs_snapshot_fence(thread, thread->n_events);
		thread->now[0] = rs_ticks(thread->clock) + thread->adjust[0];
		if (rs_snapshot_any(thread, thread->now, thread->now_times, &thread->now_off))
			return;
		rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
	} while (true);
}

void rs_end_whole(struct rs_thread *thread, struct rs_thread_region *region, bool has_snapshot)
{
	const struct rs_frame *top = rs_frame_above(thread, thread->top, -1);
	if (!has_snapshot && !(rs_frame_region(top) == region && rs_frame_recursion(top)))
		rs_take_end(thread);
	thread->now_edge = RS_EDGE_PLAIN;
	struct rs_frame *frame = rs_frame_find_end(thread, region);
	if (frame) {
		uint32_t off = thread->now_off | rs_groups_waiting(thread, frame);
		end_frame(thread, frame);
		rs_charge(thread, thread->cost->pair, off);
	}
}

bool rs_end_otherwise(
	struct rs_thread *thread, struct rs_thread_region *region, enum rs_outcome outcome)
{
	if (outcome == RS_OUTCOME_RENEW)
		rs_snapshot_renew(thread, RS_SLOW_RENEW_END);
	else
		rs_end_whole(thread, region, outcome == RS_OUTCOME_OTHER);
	rs_leave(thread);
	return outcome == RS_OUTCOME_RENEW;
}

/* ---- NEXT ---- */

/* This marker will be charged for what was counted only; the call that it begins will be taken to
 * have paid already. */
static void spare_uncounted(struct rs_thread *thread)
{
	const uint64_t *cost = thread->cost->next;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!rs_is_off(thread, thread->now_off, m))
			continue;
		thread->now[m] += cost[m];
		thread->adjust[m] += cost[m];
	}
}

void rs_next_other(struct rs_thread *thread, struct rs_thread_region *ended)
{
	thread->now_edge = RS_EDGE_NEXT;
	struct rs_frame *frame = rs_frame_find_end(thread, ended);
	if (frame) {
		uint32_t waiting = rs_groups_waiting(thread, frame);
		end_frame(thread, frame);
		thread->now_off |= waiting;
	}
	if (thread->now_off)
		spare_uncounted(thread);
}

bool rs_next_otherwise(struct rs_thread *thread, struct rs_thread_region *ended,
	struct rs_begin begin, enum rs_outcome outcome)
{
	if (outcome == RS_OUTCOME_APART) {
		rs_end_whole(thread, ended, false);
		rs_begin_whole(thread, begin);
		return false;
	}
	rs_snapshot_renew(thread, RS_SLOW_RENEW_NEXT);
	rs_leave(thread);
	return true;
}
