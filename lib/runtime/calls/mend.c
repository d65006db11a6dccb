/* SPDX-License-Identifier: MIT */
/*
 * Repairing the frames of a thread after a signal handler has jumped out of a marker, which may
 * have left a frame in only some of its lists. After the repair, all lists are complete, and each
 * open call is in the list of its region.
 */
#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/off_cpu.h"

/* Rebuild the `below` links from `next`, which is complete at every point. first is the ring, or
 * the ground. Return the last frame. */
static struct rs_frame *mend_below(const struct rs_thread *thread, struct rs_frame *first)
{
	struct rs_frame *last = first, *frame = first->next;
	for (uint32_t n = rs_most_steps(thread); frame && frame != first && n--;
		frame = last->next) {
		frame->below = last;
		last = frame;
	}
	return last;
}

/* Clear a free frame that a marker may have left half filled. */
static void clean(struct rs_thread *thread, struct rs_frame *frame)
{
	if (frame->flags & RS_FRAME_SWITCHED)
		rs_off_cpu_clear(thread, frame);
	rs_frame_forget_children(thread, frame);
	memset(rs_frame_vector(frame, RS_VECTOR_CHARGED, thread->n_events), 0,
		(1 + thread->n_events) * sizeof(uint64_t));
	atomic_store_explicit(&frame->is_moved, 0, memory_order_relaxed);
	frame->pairs = frame->skips = 0;
	frame->off = 0;
	frame->passed_by = 0;
	frame->passed_region = NULL;
	frame->outer = NULL;
	rs_frame_renew(thread, frame);
}

void rs_frames_mend(struct rs_thread *thread)
{
	thread->asyncs.ring->below = mend_below(thread, thread->asyncs.ring);
	mend_below(thread, thread->ground);
	struct rs_frame *last = thread->innermost, *half = last->next;
	if (half->region && half->region->innermost == half)
		half->region->innermost = half->outer;
	clean(thread, half);
	if (last == thread->ground)
		return;
	if (!rs_frame_is_chained(thread, last)) {
		/* The marker was closing this call, which is already recorded. A handler may jump
		 * out of here too, so `open` is corrected at most once. */
		bool is_open = rs_frame_counts_as_open(last);
		thread->innermost = last->below;
		atomic_signal_fence(memory_order_seq_cst);
		if (is_open)
			rs_accumulator_add_open(last->region->accumulator, UINT32_MAX);
		clean(thread, last);
	}
	/* Rebuild the regions' lists of open calls. A frame in no such list has ended, but is still
	 * among the open ones if it was not the innermost. */
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below) {
		struct rs_frame *chained = frame->region->innermost;
		uint32_t rest = rs_most_steps(thread);
		frame->region->innermost = NULL;
		for (; chained && rest--; chained = chained->outer)
			rs_frame_set_flag(chained, RS_FRAME_CHAINED);
	}
	n = rs_most_steps(thread);
	for (struct rs_frame *frame = thread->ground->next;
		frame && frame != thread->innermost->next && n--; frame = frame->next) {
		if (!(frame->flags & RS_FRAME_CHAINED)) {
			bool is_open = rs_frame_counts_as_open(frame);
			rs_frame_set_flag(frame, RS_FRAME_IGNORED);
			atomic_signal_fence(memory_order_seq_cst);
			if (is_open)
				rs_accumulator_add_open(frame->region->accumulator, UINT32_MAX);
		}
		frame->flags &= ~(uint32_t)RS_FRAME_CHAINED;
		frame->outer = frame->region->innermost;
		frame->region->innermost = frame;
	}
}
