/* SPDX-License-Identifier: MIT */
/* Work that calls report (REGIONSTAT_WORK). The frame of a call sums it up until the END records it
 * in the accumulator. See work.c. */
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

/* Add work to an open call. */
RS_INLINE void rs_frame_work_add(
	struct rs_thread *thread, struct rs_frame *frame, uint64_t bytes, uint64_t flops)
{
	struct rs_frame_work *work = rs_frame_work(thread, frame);
	bool is_first = !(frame->apart & RS_APART_WORK);
	if (is_first)
		rs_frame_set_apart(frame, RS_APART_WORK);
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
	bool is_apart = frame->apart & RS_APART_WORK && thread->runtime->by_work;
	return is_apart ? rs_work_apart(thread, frame) : frame->region;
}

/* Record the work of the call of `frame`, if it has any, in the accumulator of a region. The caller
 * counts the call afterwards. After a kill, both the work and the call count, or neither does. */
void rs_work_record(
	struct rs_thread *thread, struct rs_thread_region *region, struct rs_frame *frame);

/* Remove work of a call that was never counted, after a kill or a jump out of a marker. */
void rs_work_repair(const struct rs_thread *thread, const struct rs_thread_region *region);

/* Count a WORK for a region that has no open call. */
void rs_work_count_unmatched(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
