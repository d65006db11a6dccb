/* SPDX-License-Identifier: MIT */
/*
 * Sampling: of n consecutive calls, one is drawn at random. It is measured and represents all n
 * calls. The others are skipped: they are only counted. So every call is equally likely to be
 * measured, even if the program behaves periodically.
 *
 * A skipped call that is not recursive begins without a frame; it is called a leaf. Only one word
 * represents it: the thread's `busy` names its region, as if a marker were in progress while the
 * call is open. Its END finds this word and counts the call. Every other marker finds the thread
 * busy and takes the slow path, which gives the call a frame (rs_leaf_make_frame()). So the fast
 * path needs no check for leaves, and a skipped call with nested calls is like one with a frame.
 * A skipped call within another call of its region gets a frame, and that frame's ticket.
 *
 * BEGIN stores the word last, in place of the 0 that ends other markers. END replaces the word by
 * its own stack address in one step that no signal can interrupt. So after every instruction `busy`
 * says either that a marker is in progress, or that the call is open. It follows:
 * - A handler with a marker, while the call is open, gives the call a frame, which the END then
 *   finds.
 * - A handler that jumps out leaves the call open, like a call whose END is missing.
 * - A child that is forked while the call is open inherits the call as a frame (rs_leaf_inherit()).
 *   A child that is forked in BEGIN or END finishes that marker on a copy, like any marker.
 * - If END finds a context switch, the call gets a frame first, for its off-CPU time.
 * - A PAUSE on the same thread gives the call a frame. END does not notice a PAUSE of another
 *   thread, so the call counts.
 * - If a scope ends on another thread, its ticket names its region (rs_frame_is_moved()).
 * - The accumulator's `open` does not include the call, and is too small after a kill.
 */
#ifndef RS_RUNTIME_CALLS_SAMPLE_H
#define RS_RUNTIME_CALLS_SAMPLE_H

#include "runtime/calls/frame.h"
#include "runtime/calls/switches.h"
#include "runtime/process/self.h"

/* Return a random number from 1 to n, all equally likely: xorshift64, Marsaglia 2003. */
static inline uint32_t rs_sample_draw(struct rs_thread *thread, uint32_t n)
{
	uint64_t x = thread->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thread->random = x;
	return 1 + (uint32_t)((x >> 32) * n >> 32);
}

RS_INLINE bool rs_sample_skips(const struct rs_thread_region *region)
{
	return region->n_until_measured > 1;
}

/* At a measured call, choose the next call to measure. After n_until_choice measured calls the
 * region becomes unready like a new one, and its next BEGIN chooses a new weight. There is no
 * branch, so each call executes the same instructions. */
RS_INLINE void rs_sample_next(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t turn = rs_sample_draw(thread, region->weight);
	uint32_t rest = region->rest, next = region->weight - turn;
	uint32_t goes_on = -(uint32_t)(--region->n_until_choice != 0);
	region->n_until_measured = (rest + turn) & goes_on;
	region->rest = rest ^ ((rest ^ next) & goes_on);
	region->parent = (void *)((uintptr_t)region->parent &
				  (uintptr_t)(intptr_t)(int32_t)goes_on);
}

/* At the BEGIN of a measured call, set the call's weight and choose the next measured call. */
RS_INLINE void rs_sample_begin(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region)
{
	frame->weight = region->weight;
	rs_sample_next(thread, region);
}

/* While a leaf is open, `busy` is its region's address plus this number. The sum is also the call's
 * ticket. Bit 0 distinguishes it from a stack address. */
#define RS_LEAF 1u
/* While a marker gives a leaf its frame, `busy` is the marker's stack address minus this number.
 * Bit 1 distinguishes it from a stack address, and no other stack frame is in between. */
#define RS_FRAMING 2u
RS_INLINE uintptr_t rs_leaf_of(const struct rs_thread_region *region)
{
	return (uintptr_t)region + RS_LEAF;
}

/* Begin a skipped call with a frame, inside a marker. Return its ticket. */
regionstat_ticket_ rs_sample_skip_framed(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack);

/* Do what rs_sample_skip_framed() does, and leave the marker. */
regionstat_ticket_ rs_sample_skip_recursive(
	struct rs_thread_region *region, uintptr_t stack, struct rs_thread *thread);

/* Begin a skipped call inside a marker, leave the marker, and return the ticket. `busy` is stored
 * last: before this store, a kill or a signal finds a marker in progress; after it, an open
 * call. */
RS_INLINE regionstat_ticket_ rs_sample_skip(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (RS_UNLIKELY(region->innermost))
		return rs_sample_skip_recursive(region, stack, thread);
	rs_add_32(&region->n_until_measured, UINT32_MAX);
	thread->leaf_stack = stack;
	atomic_signal_fence(memory_order_seq_cst);
	rs_store_last(&thread->busy, rs_leaf_of(region));
	return rs_leaf_of(region);
}

/* If thread->busy is `leaf`, replace it by `busy`. Otherwise return false: that call is not open,
 * or has a frame. */
RS_INLINE bool rs_leaf_enter(struct rs_thread *thread, uintptr_t leaf, uintptr_t busy)
{
	if (!rs_claim(&thread->busy, leaf, busy))
		return false;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

/* End a leaf: count it for its region, and its overhead for the enclosing call. */
RS_INLINE void rs_leaf_end(struct rs_frame *around, const struct rs_thread_region *region)
{
	around->skips++;
	rs_count(&region->accumulator->skipped, 1);
}

/* Enter a marker inside a leaf, to give the leaf a frame. Return false if that call is not open or
 * has a frame. Until `busy` changes, a handler that jumps out leaves the call to rs_leaf_mend(). */
RS_INLINE bool rs_leaf_claim(struct rs_thread *thread, uintptr_t leaf, uintptr_t stack)
{
	thread->interrupted.framed = (void *)(leaf - RS_LEAF);
	atomic_signal_fence(memory_order_seq_cst);
	return rs_leaf_enter(thread, leaf, stack - RS_FRAMING);
}

/* Leave the marker that rs_leaf_claim() entered. The leaf stays open without a frame. */
RS_INLINE void rs_leaf_give_back(struct rs_thread *thread, uintptr_t leaf)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = leaf;
}

/* Enter a marker inside a leaf, and give the leaf a frame. Return false if the slow path must do
 * this. stack is the marker's stack frame. */
RS_INLINE bool rs_leaf_enter_frame(struct rs_thread *thread, uintptr_t stack)
{
	uintptr_t leaf = rs_busy(thread);
	struct rs_frame *frame;
	if (!(leaf & RS_LEAF) || !rs_leaf_claim(thread, leaf, stack))
		return false;
	frame = thread->innermost->next;
	if (RS_UNLIKELY(rs_state_now(thread) != frame->fast_state)) {
		rs_leaf_give_back(thread, leaf);
		return false;
	}
	frame->fast_state = RS_FAST_NEVER;
	frame->flags = RS_FRAME_SKIPPED;
	rs_frame_open(thread, frame, (void *)(leaf - RS_LEAF), thread->leaf_stack, true,
		thread->n_events);
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = stack;
	return true;
}

/* Return true if the frame's call is skipped and not special in any other way. */
RS_INLINE bool rs_sample_is_only_skipped(const struct rs_frame *frame)
{
	return frame->flags == RS_FRAME_SKIPPED;
}

/* Subtract the calls within a skipped call from its region's self time. The added number is even,
 * so the sum keeps its parity. */
RS_INLINE void rs_sample_pass_children(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_accumulator *accumulator)
{
	uint32_t n_events = thread->n_events;
	const uint64_t *inside = thread->cost->inside;
	uint64_t *children = rs_frame_vector(frame, RS_VECTOR_CHILDREN, n_events);
	struct rs_accumulator_children *into = rs_accumulator_children(accumulator, n_events);
	uint64_t n = frame->direct >> 1;
	for (uint32_t m = 0; m <= n_events; m++) {
		rs_add_64(&into[m].sum, 2 * (children[m] - n * inside[m]));
		children[m] = 0;
	}
	frame->direct = 0;
}

/* Charge to the enclosing call the markers within a skipped call, and the call's own overhead,
 * `more`. */
RS_INLINE void rs_sample_hand_over(struct rs_thread *thread, struct rs_frame *frame,
	struct rs_accumulator *accumulator, const uint64_t *more)
{
	uint32_t n_events = thread->n_events;
	struct rs_frame *below = frame->below;
	uint64_t *charged = rs_frame_vector(frame, RS_VECTOR_CHARGED, n_events);
	uint64_t *around = rs_frame_vector(below, RS_VECTOR_CHARGED, n_events);
	rs_sample_pass_children(thread, frame, accumulator);
	for (uint32_t m = 0; m <= n_events; m++) {
		around[m] += charged[m] + more[m];
		charged[m] = 0;
	}
	rs_count(&accumulator->skip_own_ticks, more[0]);
	below->direct |= 1;
	below->skips += frame->skips;
	frame->skips = 0;
	below->pairs += frame->pairs;
	frame->pairs = 0;
}

/* Count a skipped call that has a frame and nests. The caller then closes and renews the frame. */
RS_INLINE void rs_sample_end(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_accumulator *accumulator)
{
	rs_count(&accumulator->skipped, 1);
	if (rs_frame_has_nested(frame, true))
		rs_sample_hand_over(thread, frame, accumulator, thread->cost->skip_outer);
	frame->below->skips++;
}

/* ---- sample.c ---- */

/* Give a frame to the thread's open leaf. Return false if there is none. stack is the calling
 * marker's stack frame. */
bool rs_leaf_make_frame(struct rs_thread *thread, uintptr_t stack);
/* Give a frame to the leaf of a claimed thread, which can no longer enter a marker
 * (thread.c). Any thread may call this; it holds the lock. */
void rs_leaf_open_claimed(struct rs_thread *thread);

/* Give a leaf its frame, inside a marker. Return false if no frame is free. */
bool rs_leaf_open(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Give a leaf its frame after a handler has jumped out of the marker that was doing so. */
void rs_leaf_mend(struct rs_thread *thread) RS_COLD;

/* In a forked child, give the open leaf a frame. */
void rs_leaf_inherit(struct rs_thread *thread) RS_COLD;

/* Make a region ready and return it: it has an accumulator, and its next measured call is drawn.
 * Return NULL if the region is filtered or memory runs out. */
struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index);

#endif
