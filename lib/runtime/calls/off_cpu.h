/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time of calls. A marker that detects a context switch adds the off-CPU time to all open
 * calls, because the thread lost its CPU since the previous marker. The frames keep it until the
 * calls end and add it to their accumulators. See switches.h and off_cpu.c.
 */
#ifndef RS_RUNTIME_CALLS_OFF_CPU_H
#define RS_RUNTIME_CALLS_OFF_CPU_H

#include "runtime/calls/frame.h"

RS_OWN_WORDS static inline struct rs_frame_off *rs_frame_off(
	const struct rs_thread *thread, struct rs_frame *frame)
{
	return (struct rs_frame_off *)(void *)((char *)frame + thread->shape->work_offset +
					       sizeof(struct rs_frame_work));
}

static inline uint64_t rs_off_sum(const uint64_t *off)
{
	return off[RS_OFF_BLOCKED] + off[RS_OFF_PREEMPTED];
}

/* Add off[RS_OFF_N], in ticks, to the thread's slot and to open calls: `around`, all calls around
 * it, and all asynchronous calls, measured or not. Also add it to the self time of `around`. */
void rs_off_cpu_book(
	struct rs_thread *thread, struct rs_frame *around, const uint64_t *off) RS_COLD;

/* Add off[RS_OFF_N], in ticks, to the thread's slot only. */
void rs_off_cpu_book_slot(struct rs_thread *thread, const uint64_t *off) RS_COLD;

/* Limit the off-CPU time of a call that ends to the time that the call took, `ticks`. */
void rs_off_cpu_end(struct rs_thread *thread, struct rs_frame *frame, uint64_t ticks) RS_COLD;

/* Add the off-CPU time of a call that ends to the sums in a row of its accumulator. Open calls of
 * the same region, around it and within it, note that the region has counted this time. weight is
 * how many calls the call represents, or 0 if it was skipped. */
void rs_off_cpu_add(struct rs_thread *thread, struct rs_frame *frame, struct rs_off_sums *sums,
	uint64_t weight) RS_COLD;

/* Add the off-CPU time of a skipped call to the region's accumulator for calls with a switch. */
void rs_off_cpu_skip(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region) RS_COLD;

/* Do for off-CPU time, multiplied by weights, what share() in overlap.c does for time. `moves` and
 * `stays` say what happens to the gift of `above`, as in share(). *within is *off_within of
 * share(). */
void rs_off_cpu_pass(struct rs_thread *thread, struct rs_frame *above, struct rs_frame *frame,
	bool moves, bool stays, uint64_t *within) RS_COLD;

/* Give the off-CPU self time of the call `above`, which may never end, to the call of `frame`, and
 * that of the calls within it. If is_gift is true, rs_off_cpu_give() can take the former back. */
void rs_off_cpu_share(struct rs_thread *thread, struct rs_frame *above, struct rs_frame *frame,
	bool is_gift) RS_COLD;

/* The region has counted a part of the call `inner`. Count it as a part of the call of `frame`. */
void rs_off_cpu_hand_inner_on(
	struct rs_thread *thread, struct rs_frame *inner, struct rs_frame *frame) RS_COLD;

/* Take this gift back from the region of the call that got it, because `frame` ends after all. */
void rs_off_cpu_give(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region) RS_COLD;

/* Clear the off-CPU time of a frame that becomes free. */
void rs_off_cpu_clear(struct rs_thread *thread, struct rs_frame *frame) RS_COLD;

#endif
