/* SPDX-License-Identifier: MIT */
/*
 * BEGIN, END and NEXT for runs with --sample or --budget. They handle skipped calls
 * (calls/sample.h), and pass all other calls on to the functions of path.h.
 */
#ifndef RS_RUNTIME_MARK_SKIP_H
#define RS_RUNTIME_MARK_SKIP_H

#include "runtime/mark/path.h"

/* The functions for calls that are not skipped. The thread has entered the marker. */
typedef regionstat_ticket_ begin_measured(
	struct rs_thread *, struct regionstat_site_ *, uintptr_t stack);
typedef void end_measured(struct rs_thread *, struct rs_frame *innermost, bool by_name);
typedef void next_measured(struct rs_thread *, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack);

/* ---- BEGIN ---- */

/* Do a BEGIN after the thread has entered the marker. */
RS_INLINE regionstat_ticket_ begin_or_skip(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, begin_measured *measured, intptr_t place)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	const struct rs_frame *around = thread->innermost;
	if (!rs_sample_skips(region) || RS_UNLIKELY(rs_state_now(thread) != around->next->plain) ||
		(RS_UNLIKELY(region->within != around->region) && !turn(region, around->region)))
		return measured(thread, site, stack);
	rs_label_begin(place, region);
	return rs_sample_skip(thread, region, stack);
}

/* Do a BEGIN within a leaf, and give the leaf a frame. */
RS_INLINE regionstat_ticket_ begin_within(struct rs_thread *thread, struct regionstat_site_ *site,
	uintptr_t stack, begin_measured *measured, intptr_t place)
{
	if (!rs_leaf_enter_frame(thread, stack))
		return rs_begin_busy(site, stack);
	return begin_or_skip(thread, site, stack, measured, place);
}

/* ---- END ---- */

/* End a leaf, after the thread has entered the marker. */
RS_INLINE void end_leaf(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack, intptr_t place)
{
	if (RS_UNLIKELY(rs_switches_any(thread))) {
		rs_end_leaf_slow(thread, region, stack);
		return;
	}
	rs_leaf_end(thread, region);
	rs_label_end(place, region);
	rs_leave(thread);
}

/* End the innermost call, which is skipped and has a frame, after the thread has entered the
 * marker. If the call has work or is special in another way, call measured(), which takes its
 * snapshot early. */
static RS_ONE_BODY void end_framed(struct rs_thread *thread, struct rs_frame *frame, bool by_name,
	end_measured *measured, intptr_t place)
{
	struct rs_thread_region *region = frame->region;
	if (!rs_sample_is_plain(frame) || RS_UNLIKELY(frame->control != rs_control(thread)) ||
		RS_UNLIKELY(rs_switches_any(thread))) {
		measured(thread, frame, by_name);
		return;
	}
	rs_sample_end(thread, frame, region->accumulator);
	rs_frame_close(thread, frame, region, region->accumulator);
	rs_label_end(place, region);
	/* Renew the frame only after it is free. Otherwise a handler that jumps out of here would
	 * leave an open call that looks measured. */
	atomic_signal_fence(memory_order_seq_cst);
	rs_frame_renew(thread, frame);
	rs_leave(thread);
}

/* Return true if the innermost call is a skipped call of the region, inside a marker. */
RS_INLINE bool is_framed(const struct rs_frame *innermost, const struct rs_thread_region *region)
{
	return innermost->region == region && innermost->apart & RS_APART_SKIPPED;
}

/* Do the END of a scope with the ticket of a skipped call. */
RS_INLINE void end_leaf_ticket(struct rs_thread *thread, regionstat_ticket_ ticket, uintptr_t stack,
	end_measured *measured, intptr_t place)
{
	struct rs_thread_region *region = (void *)(ticket - RS_LEAF);
	if (RS_LIKELY(rs_leaf_enter(thread, ticket, stack))) {
		end_leaf(thread, region, stack, place);
	} else if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_skipped_slow(region, stack, NULL);
	} else {
		struct rs_frame *frame = thread->innermost;
		if (is_framed(frame, region))
			end_framed(thread, frame, false, measured, place);
		else
			rs_end_skipped_slow(region, stack, thread);
	}
}

RS_INLINE void end_or_skip(struct rs_thread *thread, struct regionstat_site_ *site, uintptr_t stack,
	end_measured *measured, intptr_t place)
{
	struct rs_thread_region *region = rs_site_region(thread, site);
	if (RS_LIKELY(rs_leaf_enter(thread, rs_leaf_of(region), stack))) {
		end_leaf(thread, region, stack, place);
	} else if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_end_site_slow(site, stack, NULL);
	} else {
		struct rs_frame *frame = thread->innermost;
		if (is_framed(frame, region))
			end_framed(thread, frame, true, measured, place);
		else if (RS_UNLIKELY(frame->region != region))
			rs_end_site_slow(site, stack, thread);
		else
			measured(thread, frame, true);
	}
}

/* ---- NEXT ---- */

/* Do a NEXT, unless it ends a skipped call. In that case return false: the caller does an END and a
 * BEGIN, because a skipped call needs no snapshot. */
RS_INLINE bool next_or_skip(struct rs_thread *thread, struct regionstat_site_ *ended,
	struct regionstat_site_ *begun, uintptr_t stack, next_measured *measured)
{
	struct rs_thread_region *region = rs_site_region(thread, ended);
	if (rs_busy(thread) == rs_leaf_of(region))
		return false;
	if (RS_UNLIKELY(!rs_enter_fast(thread, stack))) {
		rs_next_slow(ended, begun, stack, NULL);
	} else if (is_framed(thread->innermost, region)) {
		rs_leave(thread);
		return false;
	} else {
		measured(thread, ended, begun, stack);
	}
	return true;
}

#endif
