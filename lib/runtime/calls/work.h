/* SPDX-License-Identifier: MIT */
/*
 * Work that calls report (REGIONSTAT_WORK).
 *
 * WORK writes the sums with the open call's work into the copy of struct rs_work that is not
 * current. Its stamp is one more than the number of ENDs so far. So the END of the call makes this
 * copy current, without an instruction for it. For this, the region's next counted call must be the
 * open one. Before a slow path counts another call, or drops this one, rs_work_withdraw() moves the
 * work to the call's frame.
 *
 * The END of a call records the work in its frame. Recursive and asynchronous calls keep all their
 * work there. So do calls that had a context switch before, and all calls with --by-work or
 * --trace.
 */
#ifndef RS_RUNTIME_CALLS_WORK_H
#define RS_RUNTIME_CALLS_WORK_H

#include "runtime/calls/frame.h"

static inline struct rs_frame_work *rs_frame_work(
	const struct rs_thread *thread, struct rs_frame *frame)
{
	return (struct rs_frame_work *)(void *)((char *)frame + thread->shape->work_offset);
}

/* Set the work of a free frame to 0, because a STOP on another thread reads it in any case. */
static inline void rs_frame_work_clear(const struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_frame_work *work = rs_frame_work(thread, frame);
	__atomic_store_n(&work->bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&work->flops, 0, __ATOMIC_RELAXED);
}

/* Return how many ENDs an accumulator has counted. */
RS_INLINE uint64_t rs_work_ends(const struct rs_accumulator *accumulator)
{
	return rs_accumulator_calls(rs_accumulator_word(accumulator)) +
	       atomic_load_explicit(&accumulator->skipped, memory_order_relaxed);
}

/* Return true if the call of `frame` is the only open one of its region, and its END is the
 * region's next counted END if nothing special happens. */
RS_INLINE bool rs_work_is_simple(const struct rs_frame *frame)
{
	return !(frame->flags & ~(uint32_t)(RS_FRAME_SKIPPED | RS_FRAME_PROBE));
}

/* Add work to such a call. region->worked must not be NULL. The copies are aligned, so one bit of
 * the address distinguishes them. */
RS_INLINE void rs_work_note(struct rs_thread_region *region, uint64_t bytes, uint64_t flops)
{
	struct rs_work_sums *latest = region->worked;
	struct rs_work_sums *next = (void *)((uintptr_t)latest ^ sizeof(*latest));
	uint64_t ends = rs_work_ends(region->accumulator);
	if (RS_UNLIKELY(latest->stamp > ends)) { /* It has work of this call already. */
		latest->bytes = rs_work_add(latest->bytes, bytes);
		latest->flops = rs_work_add(latest->flops, flops);
		return;
	}
	next->calls = latest->calls + 1;
	next->bytes = rs_work_add(latest->bytes, bytes);
	next->flops = rs_work_add(latest->flops, flops);
	atomic_signal_fence(memory_order_seq_cst);
	next->stamp = ends + 1;
	/* rs_work_withdraw() relies on this order, if a handler jumps out in between. */
	atomic_signal_fence(memory_order_seq_cst);
	region->worked = next;
}

/* Add work to any open call. Return false, without adding it, if this takes memory. Then
 * rs_work_put_first() allocates it, and adds the work unless memory runs out. */
bool rs_work_put(struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops);
void rs_work_put_first(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops) RS_COLD;

/* If WORK has written work of an open call of the region, and that call has not ended, move the
 * work to the call's frame. Also remove work that an END wrote for a call that it did not count. */
void rs_work_withdraw(struct rs_thread *thread, struct rs_thread_region *region);

/* The same, before a recursive call is counted. */
RS_INLINE void rs_work_withdraw_outer(struct rs_thread *thread, struct rs_frame *frame)
{
	if (frame->outer)
		rs_work_withdraw(thread, frame->region);
}

/* Add work to the frame of an open call. */
RS_INLINE void rs_frame_work_add(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops)
{
	struct rs_frame_work *work = rs_frame_work(thread, frame);
	bool is_first = !(frame->flags & RS_FRAME_WORK);
	if (is_first)
		rs_frame_set_flag(frame, RS_FRAME_WORK);
	/* This is atomic, because another thread may stop an asynchronous call and read its
	 * work. */
	__atomic_store_n(
		&work->bytes, rs_work_add(is_first ? 0 : work->bytes, bytes), __ATOMIC_RELAXED);
	__atomic_store_n(
		&work->flops, rs_work_add(is_first ? 0 : work->flops, flops), __ATOMIC_RELAXED);
}

/* Return the region that records the call of `frame`: the call's own region, or with --by-work the
 * one for calls with this work, which rs_work_apart() finds. */
struct rs_thread_region *rs_work_apart(struct rs_thread *thread, struct rs_frame *frame);
RS_INLINE struct rs_thread_region *rs_work_region(struct rs_thread *thread, struct rs_frame *frame)
{
	bool is_apart = frame->flags & RS_FRAME_WORK && thread->runtime->by_work;
	return is_apart ? rs_work_apart(thread, frame) : frame->region;
}

/* Record the work in the frame of a call, if there is any, in the accumulator of a region. The
 * caller counts the call afterwards. After a kill, both the work and the call count, or neither
 * does. */
void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_frame *frame);

/* Count a WORK for a region that has no open call. */
void rs_work_count_unmatched(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
