/* SPDX-License-Identifier: MIT */
/*
 * WORK: bytes and operations of an open call. WORK adds them to the call's frame, and makes its END
 * leave the usual fast path. So WORK costs nothing in a program that does not use it.
 */
#include "runtime/calls/sample.h"
#include "runtime/calls/work.h"
#include "runtime/mark/slow.h"
#include "runtime/process/self.h"

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

/* The slow path excludes the lookup and the first use of memory as overhead. */
void rs_work_slow(struct regionstat_site_ *site, uint64_t bytes, uint64_t flops, uintptr_t stack,
	struct rs_thread *thread)
{
	if (!thread && rs_leaf_make_frame(rs_self, stack)) {
		rs_work_site(site, bytes, flops);
		return;
	}
	if (!(thread = rs_enter_at(thread, site, stack)))
		return;
	rs_slow_begin(thread);
	struct rs_thread_region *region = rs_ready_site(thread, site);
	struct rs_frame *frame = region ? region->innermost : NULL;
	if (region && !frame)
		frame = find_async(thread, region);
	if (frame)
		rs_frame_work_add(thread, frame, bytes, flops);
	else if (region && !(rs_control(thread) & RS_CONTROL_PAUSED))
		rs_work_count_unmatched(thread, region);
	rs_slow_leave(thread, region ? region->accumulator : NULL, thread->cost->inside, NULL, 0);
}

void rs_work_site(struct regionstat_site_ *site, unsigned long long bytes, unsigned long long flops)
{
	uintptr_t stack = RS_STACK;
	if (rs_site_is_known_filtered(site))
		return;
	struct rs_thread *thread = rs_enter(rs_self, stack);
	struct rs_frame *frame = thread ? rs_site_region(thread, site)->innermost : NULL;
	if (RS_UNLIKELY(!frame)) {
		rs_work_slow(site, bytes, flops, stack, thread);
		return;
	}
	rs_frame_work_add(thread, frame, bytes, flops);
	rs_leave(thread);
}
