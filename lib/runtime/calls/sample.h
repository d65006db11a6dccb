/* SPDX-License-Identifier: MIT */
/*
 * Sampling: of each so many calls that follow each other one is drawn at random, measured, and
 * represents all of them. So every call is as likely to be measured as any other, whatever the
 * program does periodically. The others are only counted.
 *
 * A skipped call that is not recursive begins as a leaf, without a frame. All of it is one word: `busy`
 * of its thread names its region, as if a marker were in progress for as long as the call is open. Its
 * END finds that word and counts the call. Every other marker finds the thread busy and leaves the fast path; there the call gets
 * its frame (rs_leaf_make_frame()), and the marker goes its usual way. So a fast path has no check for
 * leaves, and a call that holds others is what it would have been with a frame from the beginning.
 *
 * BEGIN stores the word last, where another marker stores the 0 that ends it. END makes the word
 * that of a marker in one step that no signal divides. So at every instruction `busy` says either
 * that a marker is in progress or that the call is open, and:
 * - A handler that marks while the call is open gives it a frame, which its END then finds.
 * - A handler that jumps out leaves it open. The next marker gives it a frame, as any call has that lacks
 *   its END.
 * - A child that is forked while the call is open gets it as a frame of the parent's (rs_leaf_inherit());
 *   one that is forked in BEGIN or END finishes that marker in a copy, as every marker.
 * - A context switch is looked for by BEGIN and by END. Where END finds one the call gets its frame first, so
 *   that its off-CPU time is booked there.
 * - A PAUSE on the same thread gives it a frame. One on another thread, during the call, is not seen by
 *   END: the call counts.
 * - A scope that ends on another thread tells the thread of its region (rs_entry_is_moved()).
 * - The accumulator's `open` does not include it. A process that is killed or exits then has one call less
 *   there for each other thread in such a call.
 */
#ifndef RS_RUNTIME_CALLS_SAMPLE_H
#define RS_RUNTIME_CALLS_SAMPLE_H

#include "runtime/calls/entry.h"
#include "runtime/calls/switches.h"
#include "runtime/process/self.h"

/* One of the next n, all as likely: 1 to n. xorshift64, Marsaglia 2003. */
static inline uint32_t rs_sample_draw(struct rs_thread *thread, uint32_t n)
{
	uint64_t x = thread->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	thread->random = x;
	return 1 + (uint32_t)((x >> 32) * n >> 32);
}

RS_INLINE bool rs_sample_leaves_out(const struct rs_thread_region *region)
{
	return region->turn > 1;
}

/* A call is measured: which is next. After so many measured calls, the region becomes unready as a
 * new one: its next BEGIN chooses the next weight. There is no branch, so that each call has as
 * many instructions as the others. */
RS_INLINE void rs_sample_next(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t turn = rs_sample_draw(thread, region->every);
	uint32_t rest = region->rest, next = region->every - turn;
	uint32_t goes_on = -(uint32_t)(--region->n_until_choice != 0);
	region->turn = (rest + turn) & goes_on;
	region->rest = (rest ^ ((rest ^ next) & goes_on)) & INT32_MAX;
	region->within = (void *)((uintptr_t)region->within &
				  (uintptr_t)(intptr_t)(int32_t)goes_on);
}

/* The part of sampling in the BEGIN of a measured call: set the call's weight, and choose which
 * call is next. */
RS_INLINE void rs_sample_begin(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_thread_region *region)
{
	entry->weight = region->every;
	rs_sample_next(thread, region);
}

/* The value of `busy` while a skipped call of the region is open without a frame; and its
 * ticket. */
#define RS_LEAF 1u
RS_INLINE uintptr_t rs_leaf_of(const struct rs_thread_region *region)
{
	return (uintptr_t)region + RS_LEAF;
}

/* In a marker, the BEGIN of a skipped call that has a frame from the beginning. Returns its ticket. */
regionstat_ticket_ rs_sample_skip_framed(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack);

/* The same, and the marker is left. */
regionstat_ticket_ rs_sample_skip_recursive(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack);

/* The BEGIN of a skipped call, in its marker, which this leaves. Returns the ticket. */
RS_INLINE regionstat_ticket_ rs_sample_skip(
	struct rs_thread *thread, struct rs_thread_region *region, uintptr_t stack)
{
	if (RS_UNLIKELY(region->innermost))
		return rs_sample_skip_recursive(thread, region, stack);
	rs_add_32(&region->turn, UINT32_MAX);
	thread->leaf_stack = stack;
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = rs_leaf_of(region);
	return rs_leaf_of(region);
}

/* An END enters its marker; false: that call is not open, or has a frame. */
RS_INLINE bool rs_leaf_enter(struct rs_thread *thread, uintptr_t leaf, uintptr_t stack)
{
	if (!rs_claim(&thread->busy, leaf, stack))
		return false;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

/* And ends the call. */
RS_INLINE void rs_leaf_end(struct rs_thread *thread, const struct rs_thread_region *region)
{
	thread->innermost->skips++;
	rs_count(&region->cell->skipped, 1);
}

/* A marker within such a call enters where it can go on at once, and gives the call its frame. False: the
 * slow path has to. stack: of the marker. */
RS_INLINE bool rs_leaf_enter_frame(struct rs_thread *thread, uintptr_t stack)
{
	uintptr_t leaf = thread->busy;
	struct rs_entry *entry;
	if (!(leaf & RS_LEAF) || !rs_leaf_enter(thread, leaf, stack))
		return false;
	entry = thread->innermost->next;
	if (RS_UNLIKELY(rs_state_now(thread) != entry->plain)) {
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = leaf;
		return false;
	}
	entry->plain = RS_PLAIN_NEVER;
	entry->apart = RS_APART_LEFT_OUT;
	rs_entry_open(thread, entry, (void *)(leaf - RS_LEAF), thread->leaf_stack);
	return true;
}

/* As if a measured call had not begun. */
static inline void rs_sample_undo(struct rs_thread_region *region)
{
	if (region->turn)
		region->rest = (region->turn - (region->every - region->rest)) & INT32_MAX;
	region->turn = 1;
	region->n_until_choice++;
}

/* A skipped call that nests. */
RS_INLINE bool rs_sample_is_plain(const struct rs_entry *entry)
{
	return entry->apart == RS_APART_LEFT_OUT;
}

/* Time within a skipped call is not its region's self time either. An even number: the parity of
 * the calls stays. */
RS_INLINE void rs_sample_pass_children(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_cell *cell, uint32_t n_events)
{
	const uint64_t *inside = thread->cost->inside;
	uint64_t *children = rs_entry_vector(entry, RS_VECTOR_CHILDREN, n_events);
	struct rs_cell_children *into = rs_cell_children(cell, n_events);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		rs_add_64(&into[m].sum, 2 * (children[m] - (entry->direct >> 1) * inside[m]));
		children[m] = 0;
	}
	entry->direct = 0;
}

/* Markers within a skipped call are charged to the call around. */
RS_INLINE void rs_sample_hand_over(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_cell *cell, uint32_t n_events)
{
	struct rs_entry *below = entry->below;
	uint64_t *charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, n_events);
	uint64_t *around = rs_entry_vector(below, RS_VECTOR_CHARGED, n_events);
	rs_sample_pass_children(thread, entry, cell, n_events);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		around[m] += charged[m] + thread->cost->skip_outer[m];
		charged[m] = 0;
	}
	below->direct |= 1;
	below->skips += entry->skips;
	entry->skips = 0;
	below->pairs += entry->pairs;
	entry->pairs = 0;
}

/* END of a skipped call, which nests. */
RS_INLINE void rs_sample_end(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_cell *cell, uint32_t n_events)
{
	rs_count(&cell->skipped, 1);
	if (rs_entry_has_nested(entry, true))
		rs_sample_hand_over(thread, entry, cell, n_events);
	entry->below->skips++;
	rs_entry_renew(thread, entry);
}

/* ---- sample.c ---- */

/* The skipped call that a thread has open without a frame gets one; false: there is no such call. stack: of
 * the marker that does this. */
bool rs_leaf_make_frame(struct rs_thread *thread, uintptr_t stack);

/* In a marker: a skipped call gets its frame. False: there is no room. */
bool rs_leaf_open(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* The same in a child, which the thread has forked. */
void rs_leaf_inherit(struct rs_thread *thread) RS_COLD;

/* Choose the weight of a region's calls from here on, and which of them is measured next. The
 * region is new on its thread, or its first calls are over. */
void rs_sample_choose(struct rs_thread *thread, uint32_t region);

/* A region with a cell, and its next call drawn; NULL: it is filtered, or there is no memory. */
struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index);

#endif
