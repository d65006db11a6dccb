/* SPDX-License-Identifier: MIT */
/*
 * How markers find, open and close the frames of calls. overlap.c handles calls that do not nest.
 */
#ifndef RS_RUNTIME_CALLS_FRAME_H
#define RS_RUNTIME_CALLS_FRAME_H

#include "runtime/calls/calls.h"

/* Each use of a frame adds this to its ticket, whose lower 48 bits are the frame's address. 65 is
 * odd, so a frame has 65,536 different tickets. The upper 16 bits overflow once in about 1,008 uses
 * (65,536 / 65). The region's next call is then a probe (probe.h). */
#define RS_TICKET_STEP (UINT64_C(65) << 48)
RS_INLINE struct rs_frame *rs_frame_of(uint64_t ticket)
{
	return (struct rs_frame *)(uintptr_t)(ticket << 16 >> 16);
}

/* Return the thread's state of a site's region. For a new site it is an element that is never
 * ready. */
RS_INLINE struct rs_thread_region *rs_site_region(
	const struct rs_thread *thread, const struct regionstat_site_ *site)
{
	/* Relaxed is enough: every thread stores the same mark. */
	return (struct rs_thread_region *)(void *)(thread->marked + rs_load_32(&site->region_));
}

/* Return true if calls of the region can begin on this thread. It then has an accumulator here. */
RS_INLINE bool rs_region_is_ready(const struct rs_thread_region *region)
{
	return region->n_until_measured != 0;
}

/* Return the control word. Relaxed is enough: a thread need not see a pause at once. */
RS_INLINE uint64_t rs_control(const struct rs_thread *thread)
{
	return atomic_load_explicit(thread->control, memory_order_relaxed);
}

/* Add n to the region's open calls, for readers of the accumulator. */
RS_INLINE void rs_accumulator_add_open(struct rs_accumulator *accumulator, uint32_t n)
{
	rs_add_32((uint32_t *)(void *)&accumulator->open, n);
}

/* Return true if a BEGIN may use a free frame. The last free frame always stays free. */
static inline bool rs_frame_has_room(const struct rs_thread *thread)
{
	return thread->innermost->next->next;
}

/* Send the END of this frame to the slow path. If events are measured, the END first reads the
 * counters, and then checks `flags`. Otherwise, store fast_state first: in the other order, if a
 * handler jumped out between the stores, the fast path could miss the flag. */
RS_INLINE void rs_frame_set_flag(struct rs_frame *frame, enum rs_frame_flag flag)
{
	if (!frame->thread->n_events)
		frame->fast_state = RS_FAST_NEVER;
	atomic_signal_fence(memory_order_seq_cst);
	frame->flags |= flag;
}

/* Let this frame's next marker take the fast path again. The frame was open, so it is not the last
 * free one. */
static inline void rs_frame_clear_flags(const struct rs_thread *thread, struct rs_frame *frame)
{
	frame->flags = 0;
	atomic_signal_fence(memory_order_seq_cst);
	frame->fast_state = thread->expected + (uint32_t)frame->control;
}

/* Prepare a free frame for its next use. The last free one sends its BEGIN to the slow path. */
static inline void rs_frame_renew(const struct rs_thread *thread, struct rs_frame *frame)
{
	frame->flags = 0;
	frame->control = thread->control_seen;
	atomic_signal_fence(memory_order_seq_cst);
	frame->fast_state = frame->next ? thread->fast_state : RS_FAST_NEVER;
}

/* Update thread->control_seen, thread->fast_state and the free frames, after the control word or
 * thread->expected has changed. */
void rs_frames_expect(struct rs_thread *thread) RS_COLD;

/* ---- parents: the regions in which a region's calls begin ---- */

/* The accumulator stores each parent once. rs_thread_region.parent is the parent of the latest
 * call. If the enclosing region differs from it, a BEGIN calls rs_parents_change(). */

/* Return a parent region in the form that accumulators store. */
static inline uint16_t rs_parent_of(
	const struct rs_thread *thread, const struct rs_thread_region *around)
{
	static_assert(RS_PARENT_FIRST + RS_REGION_NONE == RS_PARENT_NONE, "no branch");
	return (uint16_t)(RS_PARENT_FIRST + rs_region_of(thread, around));
}

/* Return the set of earlier parents that would contain the parent `around`. */
RS_INLINE uint16_t *rs_parents_set(
	const struct rs_thread_region *region, const struct rs_thread_region *around)
{
	const uintptr_t size = RS_PARENT_WAYS * sizeof(uint16_t);
	uintptr_t offset = (uintptr_t)around / (sizeof(*around) / size);
	char *table = (char *)region->table + (offset & (RS_PARENT_SETS - 1) * size);
	/* If two registers contained the address, every BEGIN would have to save a register. */
	__asm__("" : "+r"(table));
	return rs_table_more((struct rs_counts *)(void *)table)->parents[0];
}

/* Return the tag of a region, a number of 16 bits. It is not 0, and no two regions of a thread have
 * the same tag. */
RS_INLINE uint16_t rs_parents_tag(const struct rs_thread_region *around)
{
	static_assert(RS_THREAD_REGIONS < 1u << 15, "regions differ in the lower 15 bits");
	return (uint16_t)((uintptr_t)around / sizeof(*around)) | 0x8000;
}

/* Note that the next call of a region has another parent than the latest call. Return true if the
 * accumulator already stores this parent. */
RS_INLINE bool rs_parents_change(struct rs_thread_region *region, struct rs_thread_region *around)
{
	/* The region is not ready, it is due for a probe, or its accumulator may lack the
	 * parent. */
	if (!region->parent || region->is_uncalled)
		return false;
	const uint16_t *set = rs_parents_set(region, around);
	for (int i = 0; i < RS_PARENT_WAYS; i++) {
		if (set[i] != rs_parents_tag(around))
			continue;
		region->parent = around;
		return true;
	}
	return false;
}

/* ---- opening and closing ---- */

/* Open the first free frame for a call of a region. is_counted is true if accumulator->open
 * includes the call. thread->innermost is stored last: if a handler jumps out before this store,
 * the frame is still free, but `open` may be too high by 1. The caller fills in the snapshot.
 * Return the ticket. */
RS_INLINE regionstat_ticket_ rs_frame_open(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, uintptr_t stack, bool is_counted, uint32_t n_events)
{
	frame->region = region;
	frame->stack = stack;
	if (RS_UNLIKELY(region->innermost)) {
		rs_frame_set_flag(frame, RS_FRAME_RECURSIVE);
		frame->outer = region->innermost;
	}
	if (RS_UNLIKELY(__builtin_add_overflow(frame->ticket, RS_TICKET_STEP, &frame->ticket)) &&
		!n_events)
		region->parent = NULL; /* The region's next BEGIN is a probe. */
	regionstat_ticket_ ticket = frame->ticket;
	atomic_signal_fence(memory_order_seq_cst);
	region->innermost = frame;
	if (is_counted)
		rs_accumulator_add_open(region->accumulator, 1);
	thread->innermost = frame;
	return ticket;
}

/* Open a frame even if counting is paused. flags is 0 or the reasons why the END must take the slow
 * path. Return NULL if only the last free frame is left. If rs_frame_has_room() has returned true,
 * this happens only if two kernel tasks share the thread's state. */
static inline struct rs_frame *rs_frame_open_slow(
	struct rs_thread *thread, struct rs_thread_region *region, uint32_t flags, uintptr_t stack)
{
	if (rs_control(thread) != thread->control_seen)
		rs_frames_expect(thread);
	struct rs_frame *frame = thread->innermost->next;
	if (!frame->next)
		return NULL;
	/* If this frame was open when rs_frames_expect() ran, that function skipped it. */
	rs_frame_renew(thread, frame);
	if (flags)
		rs_frame_set_flag(frame, flags);
	rs_frame_open(thread, frame, region, stack, !(flags & RS_FRAME_IGNORED), thread->n_events);
	return frame;
}

/* Free the innermost frame, whose END took the fast path, and return the enclosing frame. `open` is
 * stored last: if a handler jumps out, `open` may be too high by 1, but never falls below 0. */
RS_INLINE struct rs_frame *rs_frame_close(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_thread_region *region, struct rs_accumulator *accumulator)
{
	struct rs_frame *below = frame->below;
	/* A call that takes the fast path has no outer call of its region. */
	region->innermost = NULL;
	thread->innermost = below;
	rs_accumulator_add_open(accumulator, UINT32_MAX);
	return below;
}

/* From now on, the frame stores what its region has already counted of the call. */
RS_INLINE void rs_frame_keep_inner(struct rs_frame *frame, uint32_t n_events)
{
	uint64_t *inner = rs_frame_vector(frame, RS_VECTOR_INNER, n_events);
	uint64_t *crossed = rs_frame_vector(frame, RS_VECTOR_CROSSED, n_events);
	if (frame->flags & RS_FRAME_INNER)
		return;
	for (uint32_t m = 0; m <= n_events; m++)
		inner[m] = crossed[m] = 0;
	frame->n_inner = 0;
	rs_frame_set_flag(frame, RS_FRAME_INNER);
}

/* Count the call `inner` as recursive within `frame`, but only once. It is a call of the same
 * region that ended within `frame` or was open when `frame` ended. */
RS_INLINE void rs_frame_count_inner(struct rs_frame *frame, struct rs_frame *inner)
{
	if (inner->flags & RS_FRAME_COUNTED)
		return;
	rs_frame_set_flag(inner, RS_FRAME_COUNTED);
	frame->n_inner++;
}

/* Note in the outer call of the same region that the region has counted the call of `frame`.
 * deltas[1 + n_events] include the overhead inside the call. deltas is NULL if the call was not
 * measured. */
RS_INLINE void rs_frame_tell_outer(struct rs_frame *frame, const uint64_t *deltas,
	const uint64_t *inside, uint64_t weight, uint32_t n_events)
{
	struct rs_frame *outer = frame->outer;
	if (!outer)
		return;
	rs_frame_keep_inner(outer, n_events);
	rs_frame_count_inner(outer, frame);
	bool has_inner = frame->flags & RS_FRAME_INNER;
	uint64_t *counted = rs_frame_vector(outer, RS_VECTOR_INNER, n_events);
	const uint64_t *crossed = rs_frame_vector(frame, RS_VECTOR_CROSSED, n_events);
	for (uint32_t m = 0; deltas && m <= n_events; m++)
		counted[m] += weight * (deltas[m] - inside[m] - (has_inner ? crossed[m] : 0));
}

/* Return the ticket of a BEGIN that got no frame. No open frame ever has this ticket. */
static inline regionstat_ticket_ rs_ticket_beyond(const struct rs_thread *thread)
{
	return (uintptr_t)thread->ground;
}

/* Return the weight of a measured call, or 0 if it was skipped. */
static inline uint64_t rs_frame_weight(const struct rs_thread *thread, const struct rs_frame *frame)
{
	if (!rs_frame_is_measured(frame))
		return 0;
	return thread->runtime->samples ? frame->weight : 1;
}

/* ---- asynchronous calls: a ring of open frames ---- */

/* Move the first free frame to the end of the ring. A handler may jump out after any store. So the
 * list along `next` is complete at every point, and rs_frames_mend() rebuilds `below` from it. */
RS_INLINE struct rs_frame *rs_call_take_frame(struct rs_thread *thread)
{
	struct rs_frame *frame = thread->asyncs.free, *ring = thread->asyncs.ring,
			*last = ring->below;
	thread->asyncs.free = frame->next;
	atomic_signal_fence(memory_order_seq_cst);
	frame->next = ring;
	frame->below = last;
	atomic_signal_fence(memory_order_seq_cst);
	last->next = frame;
	ring->below = frame;
	return frame;
}

/* Move a frame from the ring back to the free ones. */
RS_INLINE void rs_call_free_frame(struct rs_thread *thread, struct rs_frame *frame)
{
	frame->flags = 0;
	frame->below->next = frame->next;
	frame->next->below = frame->below;
	/* So far the frame still links to the ring: a walk that has come to this frame ends. */
	atomic_signal_fence(memory_order_seq_cst);
	frame->next = thread->asyncs.free;
	atomic_signal_fence(memory_order_seq_cst);
	thread->asyncs.free = frame;
}

/* ---- frame.c ---- */

/* Make one more frame free: allocate memory, or drop calls that can no longer end. If that fails,
 * return false; open calls can still end. stack is the marker's stack frame. */
bool rs_frame_make_room(struct rs_thread *thread, uintptr_t stack) RS_COLD;

/* Count a call for which no frame is free: too many are open, or memory ran out. */
void rs_frame_count_beyond(struct rs_thread *thread) RS_COLD;

/* Store that calls of the region end through another API. Such calls are never dropped. */
static inline void rs_region_end_by_api(struct rs_runtime *runtime, uint32_t index)
{
	if (index < RS_MAX_REGIONS)
		atomic_fetch_or_explicit(&runtime->by_api[index / 64], UINT64_C(1) << index % 64,
			memory_order_relaxed);
}

/* Return true if another API ends the call. Such a call may outlive its stack frame. */
static inline bool rs_frame_ends_by_api(
	const struct rs_thread *thread, const struct rs_frame *frame)
{
	const _Atomic uint64_t *bits = thread->runtime->by_api;
	uint32_t index = rs_region_of(thread, frame->region);
	return index < RS_MAX_REGIONS &&
	       atomic_load_explicit(&bits[index / 64], memory_order_relaxed) >> index % 64 & 1;
}

/* Return true if the scope of the frame's call has ended on another thread. */
bool rs_frame_is_moved(struct rs_thread *thread, struct rs_frame *frame);

/* Return true if a call most likely never ends. Either its scope has ended on another thread, or a
 * call that began earlier has ended and this call's stack frame is gone. `stack` is the stack frame
 * of the current marker. */
static inline bool rs_frame_is_gone(
	struct rs_thread *thread, struct rs_frame *frame, uintptr_t stack)
{
	bool is_passed = frame->flags & RS_FRAME_PASSED;
	return rs_frame_is_moved(thread, frame) ||
	       (is_passed && frame->stack < stack && !rs_frame_ends_by_api(thread, frame));
}

/* Find the call that an END by name ends: the region's innermost call that began in the END's stack
 * frame. If there is none, it is the region's innermost call. Return NULL if no call is open. The
 * same is the call of a WORK, if the innermost call began in a stack frame that is gone. */
struct rs_frame *rs_frame_find(const struct rs_thread_region *region, uintptr_t stack) RS_COLD;

/* Return true if a frame of this thread is in its region's list of open calls. */
bool rs_frame_is_chained(const struct rs_thread *thread, const struct rs_frame *frame);

/* Return the size of the memory for a thread's first n frames, its ground and its ring's head. The
 * caller zeroes it and aligns it to 64 bytes. */
static inline uint64_t rs_frames_bytes(const struct rs_shape *shape, uint32_t n)
{
	return (2 + (uint64_t)n) * shape->frame_bytes;
}
void rs_frames_init(struct rs_thread *thread, char *memory, uint32_t n);

/* Return true if the accumulator's `open` includes the frame's call. */
static inline bool rs_frame_counts_as_open(const struct rs_frame *frame)
{
	return !(frame->flags & (RS_FRAME_PASSED | RS_FRAME_IGNORED)) &&
	       !atomic_load_explicit(&frame->is_moved, memory_order_relaxed);
}

/* Remove a frame from anywhere among the open ones, and free it. Its call is not open any more. */
void rs_frame_free(struct rs_thread *thread, struct rs_frame *frame);

/* rs_frame_drop_async() frees the frame of an asynchronous call. rs_frame_give_async() moves the
 * first free frame to those for asynchronous calls, or returns false if it is the last free one. */
void rs_frame_drop_async(struct rs_thread *thread, struct rs_frame *frame);
bool rs_frame_give_async(struct rs_thread *thread);

/* rs_frames_end() frees the frames of a thread that has ended. In a forked child,
 * rs_frames_inherit() marks the open ones as the parent's, so their ENDs are ignored. */
void rs_frames_end(struct rs_thread *thread);
void rs_frames_inherit(struct rs_thread *thread);

/* Copy the open calls of `other` to a new state of the thread, where they count as the parent's. */
void rs_frames_copy(struct rs_thread *thread, const struct rs_thread *other);

/* ---- mend.c ---- */

/* Repair the frames after a marker was left in the middle of opening or closing a frame. */
void rs_frames_mend(struct rs_thread *thread);

/* ---- overlap.c ---- */

/* The call of `frame` ends with the snapshot in thread->snapshot.values. Update the open calls of
 * its region around it, and all open calls within it. deltas[1 + n_events] is the call's time and
 * events, or NULL if it was not measured. region is the region that records the call, or NULL if
 * the call is not counted: it was neither measured nor skipped. The frame stays open. */
void rs_frame_tell(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas,
	struct rs_thread_region *region);

/* Add the values of the call to the children of the enclosing call. If other calls passed this
 * call, exclude the part that they contain already. Forget the call's own children. deltas is as in
 * rs_frame_tell(); is_call is true if the call is counted. Call this after the call is recorded,
 * because recording clears its children. In the other order, if a handler jumped out in between,
 * the enclosing call would get the children twice. */
void rs_frame_leave(
	struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas, bool is_call);

#endif
