/* SPDX-License-Identifier: MIT */
/*
 * The functions of the markers, compiled from the fast paths (path.h). Each number of events from 0
 * to 4 has a set. One more set is for any events; it also serves sampling. The set for runs with
 * sampling handles skipped calls, and passes other calls on. A program gets one set.
 */
#include "runtime/mark/marker.h"
#include "runtime/mark/path.h"

#define RS_PASTE(function, set) function##_##set
#define RS_JOIN(function, set) RS_PASTE(function, set)
#define NAME(function) RS_JOIN(function, SET)

/* A marker with labels can keep the distance of its thread-local variables in a register. */
#define PLACE(is_near) (RS_LABELS ? rs_self_place(is_near) : 0)

/* Before counting pauses or resumes, look up the calling thread's off-CPU time, even without a
 * switch. Each interval between two looks is then counted whole, or not at all. An open leaf first
 * gets a frame, from which its END sees that the call was in the pause. */
static void look(uintptr_t stack)
{
	rs_leaf_make_frame(rs_self, stack);
	struct rs_thread *thread = rs_enter(rs_self, stack);
	if (!thread)
		return;
	rs_switches_expire(thread);
	rs_switches_look(thread, thread->innermost);
	rs_leave(thread);
}

static void pause_program(void)
{
	look(RS_STACK);
	rs_pause();
}

static void resume_program(void)
{
	look(RS_STACK);
	rs_resume();
}

/* ---- sets for a number of events, which are read in user space ---- */

#define SET time
#define N_EVENTS 0
#include "runtime/mark/set.h"

#define SET one
#define N_EVENTS 1
#include "runtime/mark/set.h"

#define SET two
#define N_EVENTS 2
#include "runtime/mark/set.h"

#define SET three
#define N_EVENTS 3
#include "runtime/mark/set.h"

#define SET four
#define N_EVENTS 4
#include "runtime/mark/set.h"

/* ---- other sets ---- */

#define SET traced_time
#define N_EVENTS 0
#define TRACED true
#include "runtime/mark/set.h"

#define SET any
#define N_EVENTS thread->n_events
#define N_GROUPS thread->n_groups
#define SAMPLES rs_load_flag(&rs_state->samples)
#define TRACED rs_load_flag(&rs_state->traces)
#define CLOCK thread->clock
#define IS_NEAR false
#include "runtime/mark/set.h"

/* ---- the set for runs with sampling ---- */

/* The thread has entered the marker of a BEGIN. Skip the call, or pass it on. */
RS_INLINE regionstat_ticket_ begin_or_skip_entered(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack, intptr_t place)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	const struct rs_frame *around = rs_label_innermost(thread, &place);
	const struct rs_label_record *own;
	const struct rs_thread_region *within = rs_label_parent(region, &own);
	rs_label_put(place, rs_label_own(region, own));
	if (!rs_sample_skips(region) || RS_UNLIKELY(rs_state_now(thread) != thread->fast_state) ||
		(RS_UNLIKELY(within != around->region) && !change_parent(region, around->region)))
		return begin_entered_any(site, stack, thread);
	return rs_sample_skip(thread, region, stack);
}

/* Do a BEGIN within a leaf, and give the leaf a frame. */
static RS_ONE_BODY regionstat_ticket_ begin_within_leaf(
	struct regionstat_site_ *site, uintptr_t stack, struct rs_thread *thread)
{
	intptr_t place = PLACE(true);
	if (!rs_leaf_enter_frame(thread, stack))
		return rs_begin_busy(site, stack);
	return begin_or_skip_entered(thread, site, stack, place);
}

RS_INLINE regionstat_ticket_ begin_or_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack)))
		return begin_within_leaf(site, stack, thread);
	return begin_or_skip_entered(thread, site, stack, place);
}

static RS_ONE_BODY regionstat_ticket_ begin_at_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	return begin_or_skip(site, stack);
}

static regionstat_ticket_ begin_skip(struct regionstat_site_ *site)
{
	return begin_or_skip(site, RS_STACK);
}

/* End a skipped call that has a frame and is not special, without a snapshot. */
static RS_ONE_BODY void end_plain_skipped(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_thread_region *region = frame->region;
	rs_sample_end(thread, frame, region->accumulator);
	rs_frame_close(thread, frame, region, region->accumulator);
	/* Do this only now: a jump out of here must not leave an open call that looks measured. */
	atomic_signal_fence(memory_order_seq_cst);
	rs_frame_clear_flags(thread, frame);
	rs_leave(thread);
}

/* End a special skipped call. Most are passed on, to a function that takes a snapshot early. */
static RS_ONE_BODY void end_special_skipped(
	struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	if (frame->flags & ~(uint32_t)(RS_FRAME_SKIPPED | RS_FRAME_NESTED) ||
		!rs_end_skipped(thread, frame, by_name))
		end_entered_any(thread, frame, by_name);
}

/* End the innermost call, which is skipped and has a frame, after the thread has entered the
 * marker. */
RS_INLINE void end_framed(struct rs_thread *thread, struct rs_frame *frame, bool by_name)
{
	if (RS_LIKELY(rs_sample_is_only_skipped(frame)) &&
		RS_LIKELY(frame->control == rs_control(thread)) &&
		RS_LIKELY(!rs_switches_any(thread)))
		end_plain_skipped(thread, frame);
	else
		end_special_skipped(thread, frame, by_name);
}

/* End a leaf, after the thread has entered the marker. */
RS_INLINE void end_leaf(struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack,
	intptr_t place, bool is_shown)
{
	if (RS_UNLIKELY(rs_switches_any(thread))) {
		rs_end_leaf_slow(thread, region, stack);
		return;
	}
	rs_leaf_end(rs_label_innermost(thread, &place), region);
	if (!is_shown)
		rs_label_put(place, region->parent_label);
	rs_leave(thread);
}

/* Return true if the innermost call is a skipped call of the region, inside a marker. */
RS_INLINE bool is_framed(const struct rs_frame *innermost, const struct rs_thread_region *region)
{
	return innermost->region == region && innermost->flags & RS_FRAME_SKIPPED;
}

/* Do the END of a scope with the ticket of a skipped call. */
RS_INLINE void end_leaf_ticket(
	struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack, intptr_t place)
{
	struct rs_thread_region *region = (void *)(ticket - RS_LEAF);
	if (RS_LIKELY(rs_leaf_enter(thread, ticket, stack))) {
		end_leaf(thread, region, stack, place, false);
	} else if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_skipped_slow(region, stack, NULL);
	} else {
		struct rs_frame *frame = rs_label_innermost(thread, &place);
		/* other skipped calls of the region have tickets of their own */
		if (is_framed(frame, region) && RS_LIKELY(!frame->outer)) {
			rs_label_put(place, region->parent_label);
			end_framed(thread, frame, false);
		} else {
			rs_end_skipped_slow(region, stack, thread);
		}
	}
}

RS_INLINE void end_or_skip(
	struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack, intptr_t place)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	if (RS_LIKELY(rs_leaf_enter(thread, rs_leaf_of(region), stack))) {
		end_leaf(thread, region, stack, place, false);
	} else if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_site_slow(site, stack, NULL);
	} else {
		struct rs_frame *frame = rs_label_innermost(thread, &place);
		if (RS_UNLIKELY(frame->region != region)) {
			rs_end_site_slow(site, stack, thread);
			return;
		}
		rs_label_put(place, region->parent_label);
		if (is_framed(frame, region))
			end_framed(thread, frame, true);
		else
			end_entered_any(thread, frame, true);
	}
}

/* Do the END of a scope with the ticket of a frame, whose call may be skipped. */
static RS_ONE_BODY void end_framed_ticket(
	regionstat_ticket_ ticket, uintptr_t stack, struct rs_thread *thread, intptr_t place)
{
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_ticket_slow(ticket, stack, NULL);
		return;
	}
	struct rs_frame *frame = rs_label_innermost(thread, &place);
	if (RS_UNLIKELY(frame != rs_frame_of(ticket)) || RS_UNLIKELY(frame->ticket != ticket)) {
		rs_end_ticket_slow(ticket, stack, thread);
		return;
	}
	rs_label_put(place, frame->region->parent_label);
	if (frame->flags & RS_FRAME_SKIPPED)
		end_framed(thread, frame, false);
	else
		end_entered_any(thread, frame, false);
}

static void end_skip(regionstat_ticket_ ticket)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	if (ticket & RS_LEAF)
		end_leaf_ticket(thread, ticket, RS_STACK, place);
	else
		end_framed_ticket(ticket, RS_STACK, thread, place);
}

static RS_ONE_BODY void end_site_at_skip(struct regionstat_site_ *site, uintptr_t stack)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	end_or_skip(thread, site, stack, place);
}

static void end_site_skip(struct regionstat_site_ *site)
{
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	end_or_skip(thread, site, RS_STACK, place);
}

/* A NEXT that ends a skipped call is an END and a BEGIN, because that call needs no snapshot. */
static void next_skip(struct regionstat_site_ *ended, struct regionstat_site_ *begun)
{
	uintptr_t stack = RS_STACK;
	intptr_t place = PLACE(true);
	struct rs_thread *thread = rs_self_near();
	struct rs_thread_region *region = rs_site_region(thread, ended);
	if (RS_LIKELY(rs_leaf_enter(thread, rs_leaf_of(region), stack))) {
		end_leaf(thread, region, stack, place, true);
	} else if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_next_slow(ended, begun, stack, NULL);
		return;
	} else if (is_framed(thread->innermost, region)) {
		end_framed(thread, thread->innermost, true);
	} else {
		next_entered_any(thread, ended, begun, stack, place);
		return;
	}
	begin_at_skip(begun, stack);
}

#define start_skip start_any
#define stop_skip stop_any
#define SET skip
#include "runtime/mark/set.h"

static_assert(number_skip - number_time < RS_MARKER_SETS, "all sets are counted");

/* ---- choosing a set ---- */

/* The functions of marker.h. In labelled.c, these are the functions for runs with labels. */
#if RS_LABELS
#define ANY rs_labelled_any
#define CHOOSE rs_labelled_choose
#else
#define ANY rs_unlabelled_any
#define CHOOSE rs_unlabelled_choose
#endif

const struct rs_adapter_table *ANY(void)
{
	return &table_any;
}

/* The index is the number of events. */
static const struct rs_adapter_table *const counted[1 + RS_FIXED_EVENTS] = {
	&table_time, &table_one, &table_two, &table_three, &table_four};

const struct rs_adapter_table *CHOOSE(const struct rs_runtime *runtime)
{
	uint32_t n_events = runtime->shape.n_events;
	bool is_one_group = runtime->shape.n_groups == 1 && rs_group_may_be_mapped(runtime, 0);
	bool is_near = rs_self_find_near();
	bool is_fixed = is_near && runtime->clock == RS_CLOCK_COUNTER &&
			n_events <= RS_FIXED_EVENTS && (!n_events || is_one_group);
	if (runtime->samples)
		return is_near ? &table_skip : &table_any;
	if (runtime->traces)
		return is_fixed && !n_events ? &table_traced_time : &table_any;
	return is_fixed ? counted[n_events] : &table_any;
}
