/* SPDX-License-Identifier: MIT */
/*
 * Memory for frames, calls that never end, and calls that a forked child inherits. overlap.c
 * handles ENDs that come in another order than the BEGINs.
 */
#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/off_cpu.h"
#include "runtime/calls/work.h"

/* ---- memory ---- */

/* Append n free frames to the last one. memory is zeroed. */
static void link_frames(struct rs_thread *thread, struct rs_frame *last, char *memory, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rs_frame *frame = (void *)(memory + (size_t)i * thread->shape->frame_bytes);
		/* Tickets of different measurements are hardly ever equal. */
		frame->ticket = (uintptr_t)frame +
				thread->runtime->n_attach * UINT64_C(509) * RS_TICKET_STEP;
		frame->thread = thread;
		frame->below = last;
		frame->control = thread->control_seen;
		/* set before a handler can find the frame in the list */
		frame->fast_state = RS_FAST_NEVER;
		atomic_signal_fence(memory_order_seq_cst);
		last->next = frame;
		if (last != thread->ground)
			rs_frame_renew(thread, last);
		last = frame;
	}
	last->fast_state = RS_FAST_NEVER;
	thread->frames.n += n;
}

void rs_frames_init(struct rs_thread *thread, char *memory, uint32_t n)
{
	thread->ground = (void *)memory;
	thread->ground->below = thread->ground;
	thread->ground->thread = thread;
	thread->ground->region = &thread->regions[RS_REGION_NONE];
	thread->asyncs.ring = (void *)(memory + thread->shape->frame_bytes);
	link_frames(thread, thread->ground, memory + 2 * (size_t)thread->shape->frame_bytes, n);
	thread->innermost = thread->ground;
	thread->asyncs.ring->next = thread->asyncs.ring->below = thread->asyncs.free =
		thread->asyncs.ring;
}

/* Signs that a call can no longer end, the most reliable first. */
enum proof {
	/* Its scope ended on another thread. Or its stack frame is gone, and a call that began
	 * earlier has ended. */
	PROOF_PASSED,
	PROOF_STACK, /* its stack frame is gone */
	/* A later call of its region began in the same stack frame, as in loops with missing ENDs
	 * and in functions of an interpreter after errors. Deep recursion in one stack frame looks
	 * the same, but no memory is left for its calls either. */
	PROOF_AGAIN,
	PROOF_N
};

static bool is_dead(
	struct rs_thread *thread, struct rs_frame *frame, uintptr_t stack, enum proof proof)
{
	const struct rs_frame *latest = frame->region->innermost;
	if (proof == PROOF_PASSED)
		return rs_frame_is_gone(thread, frame, stack);
	if (rs_frame_ends_by_api(thread, frame))
		return false;
	if (proof == PROOF_AGAIN)
		return latest != frame && latest->stack == frame->stack;
	return frame->stack < stack;
}

/* The region has counted calls within a dropped call, and its outer call also contains them. */
static void hand_inner_on(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_frame *outer = frame->outer;
	uint32_t n_events = thread->n_events, n_inner = frame->n_inner;
	uint64_t *counted = rs_frame_vector(frame, RS_VECTOR_INNER, n_events);
	const uint64_t *crossed = rs_frame_vector(frame, RS_VECTOR_CROSSED, n_events);
	if (!outer || !(frame->flags & RS_FRAME_INNER))
		return;
	rs_frame_keep_inner(outer, n_events);
	frame->n_inner = 0;
	outer->n_inner += n_inner;
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t more = counted[m] - rs_frame_weight(thread, frame) * crossed[m];
		counted[m] -= more;
		atomic_signal_fence(memory_order_seq_cst);
		rs_frame_vector(outer, RS_VECTOR_INNER, n_events)[m] += more;
	}
	if (frame->flags & outer->flags & RS_FRAME_SWITCHED)
		rs_off_cpu_hand_inner_on(thread, frame, outer);
}

static void drop(struct rs_thread *thread, struct rs_frame *frame)
{
	if (!(frame->flags & (RS_FRAME_PASSED | RS_FRAME_IGNORED)) &&
		!rs_frame_is_moved(thread, frame))
		rs_accumulator_add(frame->region->accumulator, RS_ACCUMULATOR_DIAG_LOST, 1);
	/* The calls that ended within it were in the call around it. */
	hand_inner_on(thread, frame);
	rs_frame_settle_children(thread, frame);
	rs_frame_leave(thread, frame, NULL, false);
	rs_off_cpu_share(thread, frame, frame->below, false);
	rs_work_withdraw(thread, frame->region);
	rs_frame_free(thread, frame);
}

/* After a search that found no dead call, this many later attempts skip the search. */
#define ATTEMPTS_SPARED 1024

/* Drop all calls with the most reliable sign that any call has. Return false if no call has one. */
static bool drop_dead(struct rs_thread *thread, uintptr_t stack)
{
	if (stack <= thread->frames.stack && thread->frames.n_spared++ < ATTEMPTS_SPARED)
		return false;
	thread->frames.n_spared = 0;
	thread->frames.stack = 0;
	for (enum proof proof = 0; proof < PROOF_N; proof++) {
		bool any = false;
		/* Walk from the innermost frame outwards, so that each dropped call is the
		 * innermost call of its region, unless calls within it stay. */
		uint32_t n = rs_most_steps(thread);
		for (struct rs_frame *below, *frame = thread->innermost;
			frame != thread->ground && n--; frame = below) {
			below = frame->below;
			if (!is_dead(thread, frame, stack, proof)) {
				frame->region->kept = frame;
				continue;
			}
			drop(thread, frame);
			any = true;
		}
		if (any)
			return true;
	}
	thread->frames.stack = stack;
	return false;
}

/* Move a free frame for asynchronous calls to the end of the free frames for nested calls. Return
 * false if there is none. */
static bool take_back_async(struct rs_thread *thread, struct rs_frame *last)
{
	struct rs_frame *frame = thread->asyncs.free;
	if (frame == thread->asyncs.ring)
		return false;
	thread->asyncs.free = frame->next;
	memset(rs_frame_vector(frame, RS_VECTOR_CHARGED, thread->n_events), 0,
		(1 + thread->n_events) * sizeof(uint64_t));
	frame->next = NULL;
	frame->below = last;
	rs_frame_renew(thread, frame);
	last->next = frame;
	rs_frame_renew(thread, last);
	return true;
}

bool rs_frame_make_room(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_frame *last = thread->innermost->next;
	uint32_t n = RS_MAX_FRAMES + 1 - thread->frames.n; /* One frame is always free. */
	n = n < RS_CHUNK_FRAMES ? n : RS_CHUNK_FRAMES;
	if (thread->frames.n < RS_MAX_FRAMES) {
		char *memory = rs_chunk_allocate(thread->runtime, &thread->life.chunks,
			(uint64_t)n * thread->shape->frame_bytes, true);
		if (memory) {
			link_frames(thread, last, memory, n);
			return true;
		}
	}
	return take_back_async(thread, last) || drop_dead(thread, stack);
}

void rs_frame_count_beyond(struct rs_thread *thread)
{
	thread->frames.overflow++;
	if (thread->probe.is_calibrating)
		thread->probe.lacks_frames = true;
	else if (thread->frames.n < RS_MAX_FRAMES)
		rs_memory_refuse(thread->runtime);
	else
		rs_process_count(thread->runtime, RS_PROCESS_DIAG_DEPTH);
}

void rs_frames_expect(struct rs_thread *thread)
{
	uint64_t control = rs_control(thread);
	thread->control_seen = control;
	thread->fast_state = control & RS_CONTROL_PAUSED ? RS_FAST_NEVER
							 : thread->expected + (uint32_t)control;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = thread->innermost->next; frame && n--; frame = frame->next)
		rs_frame_renew(thread, frame);
}

/* ---- finding and freeing frames ---- */

struct rs_frame *rs_frame_find(const struct rs_thread_region *region, uintptr_t stack)
{
	uint32_t n = RS_MAX_FRAMES;
	for (struct rs_frame *frame = region->innermost; frame && n--; frame = frame->outer)
		if (frame->stack == stack)
			return frame;
	return region->innermost;
}

/* Subtract a call of the frame's region from moved_skipped. Return false if there is none. The
 * other thread that ended the skipped call knew only its region. */
static bool take_moved(struct rs_thread *thread, const struct rs_frame *frame)
{
	uint64_t moved = atomic_load_explicit(&thread->moved_skipped, memory_order_relaxed);
	uint32_t region = rs_region_of(thread, frame->region);
	do {
		if (!RS_MOVED_CALLS(moved) || RS_MOVED_REGION(moved) != region)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&thread->moved_skipped, &moved, moved - 1,
		memory_order_relaxed, memory_order_relaxed));
	return true;
}

bool rs_frame_is_moved(struct rs_thread *thread, struct rs_frame *frame)
{
	if (atomic_load_explicit(&frame->is_moved, memory_order_relaxed))
		return true;
	/* only the outermost call can be a leaf, whose ticket names its region */
	if (!(frame->flags & RS_FRAME_SKIPPED) || frame->outer || !take_moved(thread, frame))
		return false;
	atomic_store_explicit(&frame->is_moved, 1, memory_order_relaxed);
	return true;
}

bool rs_frame_is_chained(const struct rs_thread *thread, const struct rs_frame *frame)
{
	const struct rs_frame *other = frame->region->innermost;
	uint32_t n = rs_most_steps(thread);
	while (other && other != frame && n--)
		other = other->outer;
	return other == frame;
}

/* Return the next frame of the same region within `frame`, or NULL. If drop_dead() frees `frame`,
 * it has just kept the next one. Without this short way, all drops would take quadratic time. */
static struct rs_frame *find_inner(const struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_frame *inner = frame->region->innermost, *kept = frame->region->kept;
	uint32_t n = rs_most_steps(thread);
	if (inner == frame)
		return NULL;
	if (kept && kept->outer == frame)
		return kept;
	while (inner && inner->outer != frame && n--)
		inner = inner->outer;
	return inner;
}

/* Move a frame from its place in the list to the front of the free frames. The links in `next` are
 * valid after every store. If a signal handler leaves this function by a jump, only this frame is
 * lost. */
static void move_to_free(struct rs_thread *thread, struct rs_frame *frame)
{
	frame->below->next = frame->next;
	frame->next->below = frame->below;
	atomic_signal_fence(memory_order_seq_cst);
	frame->below = thread->innermost;
	frame->next = frame->below->next;
	atomic_signal_fence(memory_order_seq_cst);
	frame->below->next = frame;
	frame->next->below = frame;
}

/* rs_frames_mend() relies on this order: accumulator->open changes only after the frame is free. If
 * a handler jumps out in between, `open` stays too high by 1. */
void rs_frame_free(struct rs_thread *thread, struct rs_frame *frame)
{
	struct rs_frame *inner = frame->region->innermost ? find_inner(thread, frame) : NULL;
	if (inner)
		inner->outer = frame->outer;
	else
		frame->region->innermost = frame->outer;
	if (frame->flags & RS_FRAME_SWITCHED)
		rs_off_cpu_clear(thread, frame);
	rs_frame_hand_over(thread, frame);
	frame->passed_by = 0;
	frame->passed_region = NULL;
	if (frame != thread->innermost)
		move_to_free(thread, frame);
	thread->innermost = frame->below;
	atomic_signal_fence(memory_order_seq_cst);
	if (rs_frame_counts_as_open(frame))
		rs_accumulator_add_open(frame->region->accumulator, UINT32_MAX);
	atomic_store_explicit(&frame->is_moved, 0, memory_order_relaxed);
	frame->off = 0;
	frame->outer = NULL;
	rs_frame_renew(thread, frame);
}

void rs_frame_drop_async(struct rs_thread *thread, struct rs_frame *frame)
{
	if (frame->flags & RS_FRAME_SWITCHED)
		rs_off_cpu_clear(thread, frame);
	if (frame->flags & RS_FRAME_WORK)
		rs_frame_work_clear(thread, frame);
	frame->off = 0;
	rs_call_free_frame(thread, frame);
}

bool rs_frame_give_async(struct rs_thread *thread)
{
	struct rs_frame *last = thread->innermost, *frame = last->next, *next = frame->next;
	if (!next)
		return false;
	rs_frame_work_clear(thread, frame);
	next->below = last;
	last->next = next;
	/* Remove the frame from the first list before adding it to the second. A jump in between
	 * then only wastes it. Otherwise it would be in both lists. */
	atomic_signal_fence(memory_order_seq_cst);
	frame->next = thread->asyncs.free;
	thread->asyncs.free = frame;
	return true;
}

/* ---- frames of a thread that ends, and of a forked child ---- */

void rs_frames_end(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	while (thread->innermost != thread->ground && n--) {
		struct rs_frame *frame = thread->innermost;
		struct rs_accumulator *accumulator = frame->region->accumulator;
		rs_frame_forget_children(thread, frame);
		if (!(frame->flags & RS_FRAME_IGNORED) && !(frame->flags & RS_FRAME_PASSED) &&
			!rs_frame_is_moved(thread, frame))
			rs_accumulator_count(accumulator, RS_ACCUMULATOR_DIAG_OPEN);
		rs_work_withdraw(thread, frame->region);
		rs_frame_free(thread, frame);
	}
	for (n = rs_most_steps(thread); thread->asyncs.ring->next != thread->asyncs.ring && n--;)
		rs_frame_drop_async(thread, thread->asyncs.ring->next);
	rs_frame_forget_children(thread, thread->ground);
}

void rs_frames_inherit(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below) {
		rs_frame_set_flag(frame, RS_FRAME_IGNORED);
		/* The parent process has recorded the call that passed this one. */
		frame->passed_region = NULL;
	}
	for (n = rs_most_steps(thread); thread->asyncs.ring->next != thread->asyncs.ring && n--;) {
		atomic_store_explicit(
			&thread->asyncs.ring->next->unstopped, 0, memory_order_relaxed);
		rs_frame_drop_async(thread, thread->asyncs.ring->next);
	}
}

void rs_frames_copy(struct rs_thread *thread, const struct rs_thread *other)
{
	uint32_t n = rs_most_steps(other);
	for (const struct rs_frame *frame = other->ground->next;
		frame != other->innermost->next && n--; frame = frame->next) {
		struct rs_thread_region *region =
			&thread->regions[rs_region_of(other, frame->region)];
		if (!rs_frame_has_room(thread) && !rs_frame_make_room(thread, 0))
			return;
		/* An END uses the region's table and accumulator before it checks the frame. */
		if (!region->accumulator) {
			if (!rs_accumulator_make_table(thread, region))
				return;
			region->accumulator = thread->runtime->no_accumulator;
		}
		rs_frame_open_slow(thread, region, RS_FRAME_IGNORED, frame->stack);
	}
}
