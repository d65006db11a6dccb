/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of all markers, see slow.h, and WORK.
 *
 * START and STOP begin and end asynchronous calls, which may end in any order and on any thread. If
 * such a call has no frame or another thread stops it, only its time is recorded, no events. A call
 * that is never stopped keeps its frame until frames become scarce.
 *
 * WORK costs nothing in a program that does not use it: the ENDs of calls with work and of others
 * are alike (calls/work.h).
 */
#include "runtime/mark/slow.h"

#include <string.h>

#include "runtime/calls/labels.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/probe.h"
#include "runtime/calls/trace.h"
#include "runtime/calls/work.h"
#include "runtime/mark/marker.h"
#include "runtime/mark/path.h"
#include "runtime/thread/thread.h"

struct rs_thread *rs_enter_slowly(uintptr_t stack)
{
	struct rs_thread *thread;
	while (!(thread = rs_enter(rs_self, stack)))
		if (!rs_thread_admit(stack))
			return NULL;
	return thread;
}

/* Enter a marker of a site, as rs_enter_slowly() does. Also return NULL if the site's region is
 * known to be filtered, so that a thread with only such regions is never attached. */
static __attribute__((noinline)) struct rs_thread *enter_at(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack)
{
	thread = thread ? rs_enter_slow(thread) : rs_enter(rs_self, stack);
	return thread || rs_site_find_filtered(site) || rs_thread_waits() ? thread
									  : rs_enter_slowly(stack);
}

static uint32_t find_region(struct rs_thread *thread, struct regionstat_site_ *site)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t hash = (uintptr_t)site->name_ * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *known = &thread->known.names[hash >> 61], index = *known;
	uint32_t ends = rs_load_32(&site->is_paired_);
	static_assert(RS_KNOWN_NAMES == 1u << (64 - 61), "names are numbered by the highest bits");
	if (ends != RS_SITE_BY_NAME || !index || !rs_region_is_named(runtime, index, site->name_))
		index = rs_region_index(runtime, site->name_);
	if (ends == RS_SITE_BY_NAME) {
		rs_region_end_by_name(runtime, index);
		*known = index < RS_MAX_REGIONS ? index : 0;
	} else if (ends == RS_SITE_BY_API) {
		rs_region_end_by_api(runtime, index);
	}
	/* If an attached process filters the region, its next measurement may measure it. Memory
	 * that is refused now may be there for the next call. */
	if (index < RS_MAX_REGIONS || (index == RS_REGION_FILTERED && !runtime->is_attached))
		__atomic_store_n(&site->region_, rs_region_mark(index), __ATOMIC_RELAXED);
	return index;
}

/* Return the region of a site, with an accumulator, or NULL if it is filtered or memory runs
 * out. */
static __attribute__((noinline)) struct rs_thread_region *ready_site(
	struct rs_thread *thread, struct regionstat_site_ *site)
{
	if (!rs_load_32(&site->region_))
		return rs_ready_region(thread, find_region(thread, site));
	return rs_ready_region(thread, rs_region_of(thread, rs_site_region(thread, site)));
}

/* ---- BEGIN ---- */

/* Count a call for which no frame is free. Return a ticket whose END does nothing. */
static regionstat_ticket_ count_beyond(struct rs_thread *thread)
{
	rs_frame_count_beyond(thread);
	return rs_ticket_beyond(thread);
}

/* Open a frame for a call of a region. While counting is paused, the call is not counted. Set
 * *begun to the frame if it needs a snapshot. Return the call's ticket. */
static regionstat_ticket_ open_frame(struct rs_thread *thread, struct rs_thread_region *region,
	uint64_t control, uintptr_t stack, struct rs_frame **begun)
{
	bool samples = thread->runtime->samples;
	struct rs_frame *frame;
	if (!rs_frame_has_room(thread) && !rs_frame_make_room(thread, stack))
		return count_beyond(thread);
	if (control & RS_CONTROL_PAUSED) {
		if (rs_switches_any(thread))
			rs_switches_look(thread, thread->innermost);
		frame = rs_frame_open_slow(thread, region, RS_FRAME_IGNORED, stack);
		return frame ? frame->ticket : count_beyond(thread);
	}
	if (region->is_uncalled || region->parent != thread->innermost->region)
		rs_parents_note(thread, region);
	if (rs_switches_any(thread)) /* A switch before the call belongs to the enclosing calls. */
		rs_slow_look(thread, thread->innermost);
	if (samples && rs_sample_skips(region))
		return rs_sample_skip_framed(thread, region, stack);
	if (!(frame = rs_frame_open_slow(thread, region, 0, stack)))
		return count_beyond(thread);
	/* If counting was paused since `control` was read, the END counts the call as cut. */
	frame->control = control;
	if (samples)
		rs_sample_begin(thread, frame, region);
	*begun = frame;
	return frame->ticket;
}

regionstat_ticket_ rs_begin_slow(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_frame *begun = NULL;
	if (!(thread = enter_at(thread, site, stack)))
		return 0;
	if (rs_probe_is_due(thread, rs_site_region(thread, site)))
		return rs_probe_begin(thread, rs_site_region(thread, site), site, stack);
	uint64_t control = rs_control(thread);
	bool is_charged = !(control & RS_CONTROL_PAUSED);
	if (is_charged)
		rs_slow_begin(thread);
	struct rs_thread_region *region = ready_site(thread, site);
	regionstat_ticket_ ticket = region ? open_frame(thread, region, control, stack, &begun) : 0;
	rs_label_show(thread);
	/* The END of a measured call charges the overhead of its BEGIN. */
	if (is_charged)
		return rs_slow_leave(thread, rs_slow_own(region, !begun),
			begun ? rs_zeros : thread->cost->inside, begun, ticket);
	rs_leave(thread);
	return ticket;
}

regionstat_ticket_ rs_begin_busy(struct regionstat_site_ *site, uintptr_t stack)
{
	/* Read rs_self once: after a fork in a handler, it points to a state without a runtime. */
	struct rs_thread *thread = rs_self;
	if (rs_leaf_make_frame(thread, stack))
		return rs_markers_of(thread->runtime)->begin_at(site, stack);
	return rs_begin_slow(site, stack, NULL);
}

/* Return true if the fast path failed only because its marker was not compiled for read(). */
static bool is_only_read(const struct rs_thread *thread)
{
	return thread->counters.n_reads && !thread->counters.n_users;
}

/* Undo a BEGIN on a thread that only uses read(), and begin with the markers for any events. */
static regionstat_ticket_ begin_by_read(struct rs_thread *thread, struct rs_frame *frame)
{
	struct regionstat_site_ site = {NULL, rs_region_mark(rs_region_of(thread, frame->region))};
	uintptr_t stack = frame->stack;
	rs_frame_free(thread, frame);
	rs_leave(thread);
	return rs_markers_any(thread->runtime)->begin_at(&site, stack);
}

regionstat_ticket_ rs_begin_continue(struct rs_thread *thread)
{
	struct rs_frame *frame = thread->innermost;
	if (is_only_read(thread))
		return begin_by_read(thread, frame);
	/* Off-CPU time so far belongs to the enclosing calls. */
	rs_slow_begin_again(thread, frame->below);
	return rs_slow_leave(
		thread, rs_slow_own(frame->region, false), rs_zeros, frame, frame->ticket);
}

/* ---- END ---- */

static void count_recursive(const struct rs_frame *frame)
{
	if (frame->flags & RS_FRAME_INNER)
		rs_accumulator_add(
			frame->region->accumulator, RS_ACCUMULATOR_DIAG_RECURSIVE, frame->n_inner);
}

/* Add to the row the values that the region has already counted within a skipped call, so that they
 * are not counted twice. */
static void pass_inner(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_rare *rare = rs_accumulator_row_now(frame->region->accumulator, thread->shape);
	struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	const uint64_t *inner = rs_frame_vector(frame, RS_VECTOR_INNER, thread->n_events);
	for (uint32_t m = 0; frame->flags & RS_FRAME_INNER && m <= thread->n_events; m++)
		extremes[m].inner += inner[m];
}

/* Do what end_ordinary() does. For a thread without events n_events is the constant 0, so the time
 * is on the stack. Another kernel task that shares the thread's state cannot change it there. */
RS_INLINE bool record_ordinary(struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events)
{
	struct rs_thread_region *region = frame->region;
	uint64_t fixed[1], *deltas = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	bool samples = thread->runtime->samples;
	bool is_next = thread->snapshot.inside == thread->cost->inside_next;
	uint64_t weight = samples ? frame->weight : 1;
	if (frame != thread->innermost || frame->control != rs_control(thread) ||
		frame->flags | rs_record_differs(thread, frame, thread->snapshot.off,
				       thread->sequence, thread->n_groups))
		return false;
	rs_record_used(frame, thread->snapshot.values, deltas, n_events);
	if (!rs_record(thread, region, frame, deltas, is_next, rs_frame_has_nested(frame, samples),
		    0, deltas, n_events, samples))
		return false;
	rs_trace_note_plain(thread, frame);
	rs_frame_close(thread, frame, region, region->accumulator);
	frame->below->direct += 2 * weight;
	rs_frame_hand_over(thread, frame);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_frame_children(thread, frame->below)[m] += weight * deltas[m];
	return true;
}

/* Record the END of the innermost frame as the fast path does, if only the lookup by name has sent
 * it to the slow path. If the call is special, change nothing and return false. */
static __attribute__((noinline)) bool end_ordinary(struct rs_thread *thread, struct rs_frame *frame)
{
	return thread->n_events ? record_ordinary(thread, frame, thread->n_events)
				: record_ordinary(thread, frame, 0);
}

/* End the call of any frame with the snapshot in thread->snapshot.values, and free the frame. */
static void end_frame(struct rs_thread *thread, struct rs_frame *frame)
{
	frame->flags &= ~(uint32_t)RS_FRAME_PROBE;
	if (end_ordinary(thread, frame))
		return;
	rs_work_withdraw(thread, frame->region);
	struct rs_accumulator *accumulator = frame->region->accumulator;
	uint64_t *deltas = thread->scratch.deltas;
	bool is_ignored = frame->flags & RS_FRAME_IGNORED;
	bool is_cut = !is_ignored && rs_control(thread) != frame->control;
	bool is_measured = rs_frame_is_measured(frame) && !is_cut;
	if (is_measured)
		rs_record_deltas(thread, frame, deltas);
	/* Find the region here. Inside rs_frame_tell(), nested stack frames would need more
	 * stack. */
	bool is_call = !is_ignored && !is_cut;
	struct rs_thread_region *region = is_call ? rs_work_region(thread, frame) : NULL;
	rs_frame_tell(thread, frame, is_measured ? deltas : NULL, region);
	if (is_measured) {
		rs_record_slow(thread, frame, deltas);
		rs_trace_note_other(thread, frame);
	} else if (is_cut) {
		rs_accumulator_count(accumulator, RS_ACCUMULATOR_DIAG_CUT);
	} else if (is_call) {
		rs_work_record(thread, region, frame);
		rs_count(&region->accumulator->skipped, 1);
		pass_inner(thread, frame);
		rs_sample_pass_children(thread, frame, accumulator);
		if (frame->flags & RS_FRAME_SWITCHED)
			rs_off_cpu_skip(thread, frame, region);
	}
	if (!is_ignored)
		count_recursive(frame);
	rs_frame_leave(thread, frame, is_measured ? deltas : NULL, is_call);
	rs_frame_free(thread, frame);
}

/* A call has ended: charge the overhead of its BEGIN to the enclosing call. flags comes from its
 * frame. A NEXT leaves this to the END of the call that it begins. */
static void charge_begin(struct rs_thread *thread, uint32_t flags, bool is_next)
{
	if (flags & RS_FRAME_SKIPPED)
		rs_slow_charge(thread, rs_skip_cost(thread), 2);
	else if (!is_next && !(flags & RS_FRAME_IGNORED))
		rs_slow_charge(thread, thread->cost->begin, 1);
}

/* Return true if an END without a BEGIN may belong to a call from before regionstat attached, or to
 * one whose BEGIN got no memory. */
static bool may_be_earlier(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	bool may_be = thread->runtime->is_attached || thread->frames.lacks_regions;
	return may_be && region->is_uncalled;
}

/* End the call of `frame`, or count an END without a BEGIN. frame is NULL if no call is open;
 * region is NULL if it is unknown. The snapshot is in thread->snapshot.values. */
static void end_found(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_frame *frame)
{
	if (frame)
		end_frame(thread, frame);
	else if (region && thread->frames.overflow)
		thread->frames.overflow--;
	else if (region && !may_be_earlier(thread, region))
		rs_accumulator_count(region->accumulator, RS_ACCUMULATOR_DIAG_UNMATCHED);
}

/* Do an END or NEXT with the snapshot in thread->snapshot.values. following is the region of the
 * call that a NEXT begins, or NULL. */
static void end_slow(struct rs_thread *thread, struct rs_thread_region *region,
	struct rs_frame *frame, bool is_next, struct rs_thread_region *following)
{
	const struct rs_cost *cost = thread->cost;
	struct rs_frame *begun = NULL;
	uint32_t flags = frame ? frame->flags : RS_FRAME_IGNORED;
	_Atomic uint64_t *own = rs_slow_own(region, flags & RS_FRAME_SKIPPED);
	bool is_measured = !(flags & (RS_FRAME_IGNORED | RS_FRAME_SKIPPED));
	const uint64_t *outside = is_next && is_measured ? cost->inside_next : cost->inside;
	uint32_t waiting = frame ? rs_groups_waiting(thread, frame) : 0;
	thread->snapshot.inside = is_next ? cost->inside_next : cost->inside;
	end_found(thread, region, frame);
	thread->snapshot.off |= waiting;
	if (!(rs_control(thread) & RS_CONTROL_PAUSED))
		charge_begin(thread, flags, is_next);
	if (following)
		open_frame(thread, following, rs_control(thread), rs_busy(thread), &begun);
	rs_label_show(thread);
	/* With RS_SEGMENT_RAW one snapshot serves both calls, so that there is no gap. */
	if (begun && thread->runtime->raw) {
		rs_slow_end(thread, own, outside, begun);
		memcpy(begun->values, thread->snapshot.values,
			(1 + thread->n_events) * sizeof(uint64_t));
		rs_leave(thread);
	} else if (!begun && rs_control(thread) & RS_CONTROL_PAUSED) {
		thread->snapshot.lost_ticks = 0; /* Counting is paused, so nothing is charged. */
		rs_leave(thread);
	} else {
		rs_slow_leave(thread, own, outside, begun, 0);
	}
}

/* Return the frame that an END ends: the innermost frame. If a recursive call ends by name, it is
 * the frame that began in the END's stack frame. A probe runs the usual END within its own. */
static struct rs_frame *ended_by(
	const struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	uintptr_t stack = rs_busy(thread), outer = thread->probe.stack;
	bool is_sure = !by_name || frame->stack == stack || !(frame->flags & RS_FRAME_RECURSIVE) ||
		       (stack < outer && frame->stack == outer);
	struct rs_frame *found = is_sure ? frame : rs_frame_find(frame->region, stack);
	/* It is NULL if another kernel task with the same state has just ended the call. */
	return found ? found : frame;
}

/* Return true if the markers of a call are measured. Such a call may be recursive. */
static bool is_probe(const struct rs_frame *frame)
{
	const uint32_t others = ~(uint32_t)(RS_FRAME_PROBE | RS_FRAME_NESTED);
	return frame->flags & RS_FRAME_PROBE && !(frame->flags & others);
}

static void end_probe(struct rs_thread *thread, struct rs_frame *frame)
{
	bool is_its = frame->ticket == thread->probe.ticket;
	frame->flags &= ~(uint32_t)RS_FRAME_PROBE;
	if (!frame->flags)
		rs_frame_clear_flags(thread, frame);
	rs_slow_look(thread, thread->innermost);
	if (is_its)
		rs_probe_end(thread, frame);
	else
		end_slow(thread, frame->region, frame, false, NULL);
}

/* Remove the innermost frame, whose call may be recursive, and free it. If shows is true, show the
 * label of the enclosing call. */
RS_INLINE void remove_recursive(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, bool shows)
{
	region->innermost = frame->outer;
	thread->innermost = frame->below;
	if (shows && RS_UNLIKELY(thread->runtime->labels))
		rs_locals.label = frame->below->region->label;
	rs_accumulator_add_open(region->accumulator, UINT32_MAX);
	/* Do this only now: a jump out of here must not leave an open call that looks measured. */
	atomic_signal_fence(memory_order_seq_cst);
	frame->outer = NULL;
	rs_frame_renew(thread, frame);
}

/* Record the END of the innermost frame like the fast path, although its call is recursive or the
 * frame has work. n_events is the constant 0 for a thread without events. */
RS_INLINE bool record_recursive_or_work(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events)
{
	uint64_t fixed[1], *deltas = RS_SCRATCH(n_events, fixed, thread->scratch.deltas);
	bool samples = thread->runtime->samples, has_nested = rs_frame_has_nested(frame, samples);
	bool has_work = frame->flags & RS_FRAME_WORK;
	const uint64_t *cost = has_work			       ? thread->cost->work
			       : frame->flags & RS_FRAME_INNER ? thread->cost->recursive_outer
							       : thread->cost->recursive;
	struct rs_thread_region *own = frame->region, *region = rs_work_region(thread, frame);
	uint64_t weight = samples ? frame->weight : 1, row = rs_record_inner(thread, frame);
	rs_work_withdraw_outer(thread, frame);
	rs_work_record(thread, region, frame);
	rs_record_used(frame, thread->snapshot.values, deltas, n_events);
	if (!rs_record(thread, region, frame, deltas, false, has_nested, row, deltas, n_events,
		    samples)) {
		/* Remove the call's work: if another thread pauses counting now, the call does not
		 * count. */
		if (has_work)
			rs_work_withdraw(thread, region);
		return false;
	}
	if (thread->tracer.is_used)
		rs_trace_note(thread, frame, region, region->accumulator, 0, false);
	count_recursive(frame);
	rs_frame_tell_outer(frame, deltas, thread->cost->inside, weight, n_events);
	/* For a call with work, the END has already shown the label. */
	remove_recursive(thread, frame, own, !has_work);
	hand_over(thread, frame, frame->below, own, deltas, false, has_nested, n_events, samples);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_frame_charge(thread, frame->below, m, cost[m]);
	rs_count(&region->accumulator->own_ticks, cost[0]);
	rs_leave(thread);
	return true;
}

/* Record a recursive call, or work in a frame, almost as fast as the fast path does. If the call is
 * special in another way, return false. This is not inlined, so that its stack is free when the
 * caller goes on. */
static __attribute__((noinline)) bool end_recursive_or_work(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	bool is_nested = !(frame->flags & ~(uint32_t)RS_FRAME_NESTED);
	if (!(is_nested || frame->flags == RS_FRAME_WORK) || thread->counters.n_reads ||
		ended_by(thread, frame, by_name) != frame || frame->control != rs_control(thread) ||
		rs_record_differs(
			thread, frame, thread->snapshot.off, thread->sequence, thread->n_groups))
		return false;
	return thread->n_events ? record_recursive_or_work(thread, frame, thread->n_events)
				: record_recursive_or_work(thread, frame, 0);
}

bool rs_end_skipped(struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	struct rs_thread_region *region = frame->region;
	if (ended_by(thread, frame, by_name) != frame || rs_frame_is_moved(thread, frame) ||
		frame->control != rs_control(thread) || rs_switches_any(thread))
		return false;
	rs_work_withdraw_outer(thread, frame);
	rs_count(&region->accumulator->skipped, 1);
	pass_inner(thread, frame);
	count_recursive(frame);
	rs_frame_tell_outer(frame, NULL, NULL, 0, thread->n_events);
	rs_sample_hand_over(thread, frame, region->accumulator, thread->cost->skip_recursive);
	frame->below->skips++;
	remove_recursive(thread, frame, region, true);
	rs_leave(thread);
	return true;
}

/* Return how much of the snapshot is valid. If a page has changed since, its counters are not. */
static enum rs_reached less_if_stale(const struct rs_thread *thread, enum rs_reached reached)
{
	bool is_stale = reached == RS_REACHED_ALL && thread->counters.n_users &&
			thread->snapshot.locks != thread->sequence;
	return is_stale ? RS_REACHED_CHANGE : reached;
}

/* Take the missing part of a marker's snapshot into thread->snapshot.values. `time` is the marker's
 * clock reading. A context switch from now on does not belong to this call; the next marker finds
 * it. After an earlier switch, the events of enclosing calls are counted too. */
static __attribute__((noinline)) void take_rest(
	struct rs_thread *thread, uint64_t time, enum rs_reached reached)
{
	if (reached == RS_REACHED_CLOCK || (reached == RS_REACHED_CHANGE && is_only_read(thread)))
		rs_slow_begin(thread);
	else if (reached == RS_REACHED_CHANGE)
		rs_slow_begin_again(thread, thread->innermost);
	thread->snapshot.values[0] = time;
	/* The functions above have already looked for a context switch. */
	if (reached != RS_REACHED_ALL) {
		rs_slow_note_off(thread);
		return;
	}
	rs_snapshot_complete(thread);
	rs_slow_look(thread, thread->innermost);
}

void rs_end_continue(uint64_t time, struct rs_frame *frame, bool by_name, struct rs_thread *thread,
	enum rs_reached reached)
{
	reached = less_if_stale(thread, reached);
	if (reached == RS_REACHED_ALL && is_probe(frame) &&
		ended_by(thread, frame, by_name) == frame) {
		end_probe(thread, frame);
		return;
	}
	if (reached == RS_REACHED_ALL && end_recursive_or_work(thread, frame, by_name))
		return;
	frame = ended_by(thread, frame, by_name);
	regionstat_ticket_ ticket = frame->ticket;
	uintptr_t stack = rs_busy(thread);
	if (reached == RS_REACHED_CHANGE && is_only_read(thread)) {
		rs_leave(thread);
		rs_markers_any(thread->runtime)->markers.end_(ticket);
	} else if (reached == RS_REACHED_CLOCK && !rs_enter_slow(thread)) {
		rs_end_ticket_slow(ticket, stack, NULL);
	} else {
		take_rest(thread, time, reached);
		end_slow(thread, frame->region, frame, false, NULL);
	}
}

/* Return true if the ticket belongs to an open frame of this thread. */
static bool is_open(
	const struct rs_thread *thread, const struct rs_frame *frame, regionstat_ticket_ ticket)
{
	return frame->ticket == ticket && frame->region && rs_frame_is_chained(thread, frame);
}

/* Count a scope that began on thread owner and ends on this one. Its call is not recorded. */
static void count_moved(struct rs_thread *thread, const struct rs_thread *owner,
	struct rs_frame *frame, regionstat_ticket_ ticket)
{
	/* owner is an earlier state of the same thread, which has counted the call as open. */
	if (owner->life.is_given_up)
		return;
	/* The other thread may use the frame for another call now, or may have ended. */
	const struct rs_thread_region *there = __atomic_load_n(&frame->region, __ATOMIC_RELAXED);
	if (!there || __atomic_load_n(&frame->ticket, __ATOMIC_RELAXED) != ticket)
		return;
	struct rs_thread_region *here = rs_ready_region(thread, rs_region_of(owner, there));
	if (!here)
		return;
	atomic_store_explicit(&frame->is_moved, 1, memory_order_relaxed);
	/* Readers subtract this from the open calls of the other thread. */
	rs_accumulator_count(here->accumulator, RS_ACCUMULATOR_DIAG_MOVED);
}

/* Return the thread that has the frame of a ticket. Return NULL if the ticket may be from an
 * earlier measurement, whose frames may be gone. */
static __attribute__((noinline)) struct rs_thread *find_owner(
	struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_runtime *runtime = thread->runtime;
	uint64_t mask;
	if (!runtime->n_attach)
		return frame->thread;
	if (rs_thread_has(thread, frame, sizeof(*frame)))
		return thread;
	rs_lock(runtime, &mask);
	struct rs_thread *owner = runtime->live->attached;
	while (owner && !rs_thread_has(owner, frame, sizeof(*frame)))
		owner = owner->life.next_attached;
	rs_unlock(runtime, &mask);
	return owner;
}

void rs_end_ticket_slow(regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_frame *frame = rs_frame_of(ticket);
	thread = thread ? rs_enter_slow(thread) : NULL;
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread *owner = find_owner(thread, frame);
	if (owner == thread && is_open(thread, frame, ticket)) {
		end_slow(thread, frame->region, frame, false, NULL);
		return;
	}
	if (owner && ticket == rs_ticket_beyond(owner)) {
		if (thread->frames.overflow)
			thread->frames.overflow--;
	} else if (owner && owner != thread) {
		count_moved(thread, owner, frame, ticket);
	} else if (owner && frame->ticket == ticket && frame->region &&
		   frame->region->accumulator) {
		/* The call was dropped, or an END by name has ended it. */
		rs_accumulator_count(frame->region->accumulator, RS_ACCUMULATOR_DIAG_UNMATCHED);
	}
	rs_slow_leave(thread, NULL, thread->cost->inside, NULL, 0);
}

void rs_end_site_slow(struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	if (!(thread = enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = ready_site(thread, site);
	struct rs_frame *frame = region ? rs_frame_find(region, stack) : NULL;
	end_slow(thread, region, frame, false, NULL);
}

/* Return the call of a region that began as a leaf, or NULL. No other call of the region was open
 * at that time, so it is the outermost one. */
static struct rs_frame *find_leaf(const struct rs_thread_region *region)
{
	struct rs_frame *frame = region->innermost;
	for (uint32_t n = RS_MAX_FRAMES; frame && frame->outer && n; n--)
		frame = frame->outer;
	return frame && frame->flags & RS_FRAME_SKIPPED ? frame : NULL;
}

void rs_end_leaf_slow(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	/* The process has forked: the call is still open in the child. */
	if (!rs_load_64((const uint64_t *)(const void *)thread->is_here)) {
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = rs_leaf_of(region);
		rs_end_skipped_slow(region, stack, NULL);
		return;
	}
	/* Open the frame first, because off-CPU time is added to it. */
	bool has_frame = rs_leaf_open(thread, region);
	rs_slow_begin(thread);
	if (has_frame) {
		end_slow(thread, region, thread->innermost, false, NULL);
	} else {
		rs_leaf_end(thread->innermost, region);
		rs_label_show(thread);
		rs_slow_leave(thread, rs_slow_own(region, true), thread->cost->inside, NULL, 0);
	}
}

/* Return true if a skipped call of the region may be open on another thread. */
static bool may_be_open(const struct rs_thread *there, const struct rs_thread_region *region)
{
	return __atomic_load_n(&there->busy, __ATOMIC_RELAXED) == rs_leaf_of(region) ||
	       __atomic_load_n(&region->innermost, __ATOMIC_RELAXED);
}

/* Count a skipped scope that began on another thread. region, from the ticket, belongs to that
 * thread. */
static void count_moved_skipped(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint32_t index = RS_MAX_REGIONS;
	uint64_t mask;
	rs_lock(thread->runtime, &mask);
	for (struct rs_thread *there = thread->runtime->live->attached; there;
		there = there->life.next_attached) {
		uintptr_t place = (uintptr_t)region - (uintptr_t)there->regions;
		if (place >= RS_MAX_REGIONS * sizeof(*region) || there->life.is_given_up ||
			!may_be_open(there, region))
			continue;
		index = rs_region_of(there, region);
		uint64_t moved = atomic_load_explicit(&there->moved_skipped, memory_order_relaxed);
		uint64_t more;
		do
			more = RS_MOVED_REGION(moved) == index ? moved + 1 : RS_MOVED(index, 1);
		while (!atomic_compare_exchange_weak_explicit(&there->moved_skipped, &moved, more,
			memory_order_relaxed, memory_order_relaxed));
		break;
	}
	rs_unlock(thread->runtime, &mask);
	struct rs_thread_region *here = index < RS_MAX_REGIONS ? rs_ready_region(thread, index)
							       : NULL;
	if (here)
		rs_accumulator_count(here->accumulator, RS_ACCUMULATOR_DIAG_MOVED);
}

void rs_end_skipped_slow(struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread)
{
	thread = thread ? rs_enter_slow(thread) : NULL;
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	uintptr_t place = (uintptr_t)region - (uintptr_t)thread->regions;
	bool is_own = place < RS_MAX_REGIONS * sizeof(*region);
	if (!is_own)
		count_moved_skipped(thread, region);
	region = is_own ? rs_ready_region(thread, rs_region_of(thread, region)) : NULL;
	end_slow(thread, region, region ? find_leaf(region) : NULL, false, NULL);
}

/* ---- NEXT ---- */

void rs_next_continue(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *begun, enum rs_reached reached)
{
	take_rest(thread, thread->snapshot.values[0], less_if_stale(thread, reached));
	end_slow(thread, frame->region, ended_by(thread, frame, true), true, begun);
}

void rs_next_slow(struct regionstat_site_ *ended, struct regionstat_site_ *begun, uintptr_t stack,
	struct rs_thread *thread)
{
	thread = enter_at(thread, ended, stack);
	if (!thread && rs_site_is_known_filtered(ended))
		thread = enter_at(NULL, begun, stack);
	if (!thread)
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = ready_site(thread, ended);
	struct rs_thread_region *following = ready_site(thread, begun);
	struct rs_frame *frame = region ? rs_frame_find(region, stack) : NULL;
	end_slow(thread, region, frame, true, following);
}

/* ---- START ---- */

/* Free the frames of calls that other threads have stopped, if there are many such calls. */
static void sweep(struct rs_thread *thread)
{
	struct rs_frame *next, *ring = thread->asyncs.ring;
	if (atomic_load_explicit(&thread->asyncs.n_stopped_elsewhere, memory_order_relaxed) <
		thread->frames.n / 16)
		return;
	atomic_store_explicit(&thread->asyncs.n_stopped_elsewhere, 0, memory_order_relaxed);
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = ring->next; frame != ring && n--; frame = next) {
		next = frame->next;
		if (!atomic_load_explicit(&frame->unstopped, memory_order_relaxed))
			rs_frame_drop_async(thread, frame);
	}
}

/* Make a frame free for a call, if necessary by dropping the oldest call. Return false if that
 * fails. */
static bool make_async_room(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_frame *ring = thread->asyncs.ring;
	if (thread->asyncs.free == ring)
		sweep(thread);
	if (thread->asyncs.free == ring && !rs_frame_has_room(thread) &&
		thread->frames.n >= RS_MAX_FRAMES && ring->next != ring)
		rs_frame_drop_async(thread, ring->next);
	if (thread->asyncs.free != ring)
		return true;
	if (!rs_frame_has_room(thread) && !rs_frame_make_room(thread, stack))
		return false;
	return rs_frame_give_async(thread);
}

/* Begin a call at the end of its START. frame is NULL if there is no frame; word is NULL if there
 * is no call. */
static void begin_call(struct rs_thread *thread, _Atomic uint64_t *own, struct rs_frame *frame,
	uint64_t *word, uint64_t mix)
{
	rs_slow_end(thread, own, thread->cost->inside, frame);
	/* The context switch came before the call. */
	if (frame && frame->flags & RS_FRAME_SWITCHED) {
		frame->flags &= ~(uint32_t)RS_FRAME_SWITCHED;
		rs_off_cpu_clear(thread, frame);
	}
	if (word)
		rs_call_seal(word, mix, rs_slow_ended(thread));
	rs_leave(thread);
}

void rs_start_slow(struct regionstat_call *call, struct regionstat_site_ *site, uintptr_t stack,
	struct rs_thread *thread)
{
	uint64_t *word = (uint64_t *)call->word_;
	struct rs_frame *frame = NULL;
	/* Read rs_self again: a handler may have forked, as in rs_begin_busy(). */
	struct rs_thread *self = rs_self;
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->start_(call, site);
		return;
	}
	if (!(thread = enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = ready_site(thread, site);
	uint64_t control = rs_control(thread), mix = 0;
	bool is_call = region && !(control & RS_CONTROL_PAUSED);
	if (is_call) {
		if (make_async_room(thread, stack))
			frame = rs_call_take_frame(thread);
		mix = rs_call_open(thread, frame, region,
			rs_region_mark(rs_region_of(thread, region)), control,
			rs_call_draw(thread, region, thread->runtime->samples), word);
	}
	begin_call(thread, rs_slow_own(region, false), frame, is_call ? word : NULL, mix);
}

void rs_start_continue(struct rs_thread *thread, struct rs_frame *frame,
	struct regionstat_call *call, uint64_t mix)
{
	rs_slow_begin_again(thread, thread->innermost);
	begin_call(thread, rs_slow_own(frame->region, false), frame, (uint64_t *)call->word_, mix);
}

/* ---- STOP ---- */

/* Subtract a call from n_forgotten. Return false if there is none. */
static bool take_forgotten(struct rs_thread *thread)
{
	_Atomic uint32_t *forgotten = &thread->asyncs.n_forgotten;
	uint32_t n = atomic_load_explicit(forgotten, memory_order_relaxed);
	while (n && !atomic_compare_exchange_weak_explicit(
			    forgotten, &n, n - 1, memory_order_relaxed, memory_order_relaxed))
		;
	return n;
}

/* Return true if this is the call's first STOP on any thread. If another call has taken the frame,
 * this is a guess. Fill reported with the call's work, or with 0 if that is unknown. */
static bool is_first_stop(
	struct rs_thread *thread, const uint64_t *word, struct rs_frame_work *reported)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	*reported = (struct rs_frame_work){0};
	if (!frame)
		return true;
	/* Read the work first: once the call is claimed, the frame may be used for another call. */
	const struct rs_frame_work *work = rs_frame_work(thread, frame);
	struct rs_frame_work seen = {__atomic_load_n(&work->bytes, __ATOMIC_RELAXED),
		__atomic_load_n(&work->flops, __ATOMIC_RELAXED)};
	/* The frame keeps its ticket until another call takes it. The frame's thread may be writing
	 * the ticket. */
	if (!rs_call_claim(frame, word[RS_CALL_TICKET]))
		return __atomic_load_n(&frame->ticket, __ATOMIC_RELAXED) != word[RS_CALL_TICKET] &&
		       take_forgotten(frame->thread);
	*reported = seen;
	if (frame->thread != thread)
		atomic_fetch_add_explicit(
			&frame->thread->asyncs.n_stopped_elsewhere, 1, memory_order_relaxed);
	return true;
}

/* Return the call's frame, or NULL if another thread started the call or the frame has been used
 * again. */
static struct rs_frame *find_frame(const struct rs_thread *thread, const uint64_t *word)
{
	struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	bool is_its = frame && frame->thread == thread && frame->ticket == word[RS_CALL_TICKET];
	return is_its && frame->flags & RS_FRAME_ASYNC ? frame : NULL;
}

/* Return the tid of the thread that started a call, or 0 if the call has no frame. Frames stay with
 * their thread. */
static uint32_t find_starter(const uint64_t *word)
{
	const struct rs_frame *frame = rs_frame_of(word[RS_CALL_TICKET]);
	return frame ? frame->thread->part.tid : 0;
}

/* Lend the first free frame to a call without a frame during this STOP. Its events are unknown. */
static struct rs_frame *borrow_frame(struct rs_thread *thread)
{
	struct rs_frame *frame = thread->innermost->next;
	frame->flags = RS_FRAME_ASYNC | RS_FRAME_COUNTERS;
	frame->off = 0;
	for (uint32_t g = 0; g < thread->n_groups; g++)
		frame->off |= RS_GROUP_NOT_COUNTED(g) | RS_GROUP_OFF(g);
	return frame;
}

/* End a call with the snapshot in thread->snapshot.values. */
static void stop_call(struct rs_thread *thread, const uint64_t *word,
	struct rs_thread_region *region, const struct rs_frame_work *reported)
{
	struct rs_accumulator *accumulator = region->accumulator;
	uint64_t *deltas = thread->scratch.deltas;
	struct rs_frame *events = find_frame(thread, word);
	struct rs_frame *frame = events ? events : borrow_frame(thread);
	rs_work_withdraw(thread, region);
	rs_accumulator_count_thread(region);
	rs_count(&accumulator->pending, UINT64_MAX);
	frame->region = region;
	frame->weight = (uint32_t)word[RS_CALL_WEIGHT];
	if (!events && (reported->bytes | reported->flops))
		rs_frame_work_add(thread, frame, reported->bytes, reported->flops);
	if (word[RS_CALL_CONTROL] != rs_control(thread)) {
		rs_accumulator_count(accumulator, RS_ACCUMULATOR_DIAG_CUT);
	} else if (!word[RS_CALL_WEIGHT]) {
		struct rs_thread_region *by_work = rs_work_region(thread, frame);
		accumulator = by_work->accumulator;
		rs_work_record(thread, by_work, frame);
		if (frame->flags & RS_FRAME_SWITCHED)
			rs_off_cpu_skip(thread, frame, by_work);
		else if (!events)
			rs_accumulator_set_unwatched(accumulator);
		rs_count(&accumulator->skipped, 1);
	} else {
		/* The time includes the overhead of markers, perhaps on other threads. */
		frame->values[0] = word[RS_CALL_TICKS];
		if (!events) /* The off-CPU time of the call is unknown. */
			rs_accumulator_set_unwatched(accumulator);
		rs_record_deltas(thread, frame, deltas);
		thread->tracer.started_by = find_starter(word);
		rs_record_slow(thread, frame, deltas);
		rs_trace_note_other(thread, frame);
	}
	if (events)
		rs_frame_drop_async(thread, events);
	else
		rs_frame_renew(thread, frame);
	frame->off = 0;
}

/* End a call, or count a STOP without a START. The snapshot is in thread->snapshot.values.
 * is_claimed is true if this is certainly the call's first STOP. */
static void stop_slow(struct rs_thread *thread, const struct regionstat_call *call, bool is_claimed)
{
	struct rs_thread_region *region = NULL;
	uint64_t *word = thread->scratch.call;
	memcpy(word, call->word_, sizeof(thread->scratch.call));
	if (!rs_call_is_sealed(word)) {
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_NO_CALL);
	} else if (word[RS_CALL_PROCESS] == thread->runtime->process_id) {
		/* Otherwise the call is the parent process's, and this STOP is ignored. */
		struct regionstat_site_ site = {NULL, (uint32_t)word[RS_CALL_MARK]};
		struct rs_frame_work reported = {0};
		region = ready_site(thread, &site);
		if (region && (is_claimed || is_first_stop(thread, word, &reported)))
			stop_call(thread, word, region, &reported);
		else if (region)
			rs_accumulator_count(region->accumulator, RS_ACCUMULATOR_DIAG_UNMATCHED);
	}
	rs_slow_leave(thread, rs_slow_own(region, false), thread->cost->inside, NULL, 0);
}

void rs_stop_slow(const struct regionstat_call *call, uintptr_t stack, struct rs_thread *thread)
{
	struct rs_thread *self = rs_self;
	if (!thread && rs_leaf_make_frame(self, stack)) {
		self->runtime->table->stop_(call);
		return;
	}
	if (!thread && !(thread = rs_enter_slowly(stack)))
		return;
	rs_slow_begin(thread);
	stop_slow(thread, call, false);
}

void rs_stop_continue(struct rs_thread *thread, const struct regionstat_call *call, uint64_t ticks,
	bool is_claimed, enum rs_reached reached)
{
	take_rest(thread, ticks, reached);
	stop_slow(thread, call, is_claimed);
}

/* ---- WORK ---- */

/* Return this thread's latest asynchronous call of a region that has not been stopped. */
static struct rs_frame *find_async(struct rs_thread *thread, const struct rs_thread_region *region)
{
	struct rs_frame *ring = thread->asyncs.ring;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = ring->below; frame != ring && n--; frame = frame->below)
		if (frame->region == region &&
			atomic_load_explicit(&frame->unstopped, memory_order_relaxed))
			return frame;
	return NULL;
}

/* Return the open call that a WORK belongs to, or NULL. A jump may have left the region's innermost
 * call without its END. */
static struct rs_frame *find_working(const struct rs_thread_region *region, uintptr_t stack)
{
	struct rs_frame *innermost = region ? region->innermost : NULL;
	return innermost && innermost->stack < stack ? rs_frame_find(region, stack) : innermost;
}

/* The slow path excludes the lookup and the first use of memory as overhead. */
void rs_work_slow(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops, uintptr_t stack,
	struct rs_thread *thread)
{
	struct rs_frame *frame = find_working(thread ? rs_site_region(thread, site) : NULL, stack);
	bool is_filtered = rs_site_is_known_filtered(site);
	if (is_filtered || (frame && rs_work_put(thread, frame, bytes, flops))) {
		if (thread)
			rs_leave(thread);
		return;
	}
	if (!thread && rs_leaf_make_frame(rs_self, stack)) {
		rs_work_site(site, bytes, flops);
		return;
	}
	if (!(thread = enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = ready_site(thread, site);
	frame = find_working(region, stack);
	if (region && !frame)
		frame = find_async(thread, region);
	if (frame)
		rs_work_put_first(thread, frame, bytes, flops);
	else if (region && !may_be_earlier(thread, region) &&
		 !(rs_control(thread) & RS_CONTROL_PAUSED))
		rs_work_count_unmatched(thread, region);
	rs_slow_leave(thread, rs_slow_own(region, false), thread->cost->inside, NULL, 0);
}

RS_INLINE void add_work(struct rs_thread *self, struct regionstat_site_ *site, uint64_t bytes,
	uint64_t flops, uintptr_t stack)
{
	struct rs_thread *thread = rs_enter(self, stack);
	struct rs_thread_region *region = thread ? rs_site_region(thread, site) : NULL;
	const struct rs_frame *frame = thread ? region->innermost : NULL;
	if (RS_UNLIKELY(!frame) || RS_UNLIKELY(!rs_work_is_simple(frame)) ||
		RS_UNLIKELY(!region->worked)) {
		rs_work_slow(site, bytes, flops, stack, thread);
		return;
	}
	rs_work_note(region, bytes, flops);
	rs_leave(thread);
}

void rs_work_site(struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops)
{
	add_work(rs_self, site, bytes, flops, RS_STACK);
}

void rs_work_near(struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops)
{
	add_work(rs_self_near(), site, bytes, flops, RS_STACK);
}

/* ---- names made at run time ---- */

/* A site whose name is still to be looked up. */
#define SITE_OF(name)                                        \
	{                                                    \
		.name_ = name, .is_paired_ = RS_SITE_BY_NAME \
	}

regionstat_ticket_ rs_begin_name(const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	return rs_begin_slow(&site, RS_STACK, NULL);
}

void rs_end_name(const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_end_site_slow(&site, RS_STACK, NULL);
}

void rs_next_name(const char *ended, const char *begun)
{
	struct regionstat_site_ first = SITE_OF(ended), second = SITE_OF(begun);
	rs_next_slow(&first, &second, RS_STACK, NULL);
}

void rs_start_name(struct regionstat_call *call, const char *name)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_start_slow(call, &site, RS_STACK, NULL);
}

void rs_work_name(const char *name, unsigned long long bytes, unsigned long long flops)
{
	struct regionstat_site_ site = SITE_OF(name);
	rs_work_slow(&site, bytes, flops, RS_STACK, NULL);
}
