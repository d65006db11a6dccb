/* SPDX-License-Identifier: MIT */
/*
 * Sampling: one call of so many is measured, drawn at random from each so many that follow each
 * other, and stands for all of them. So every call is as likely to be measured as any other,
 * whatever the program does periodically. Of the others it is only kept that they happened.
 */
#ifndef RS_RUNTIME_CALLS_SAMPLE_H
#define RS_RUNTIME_CALLS_SAMPLE_H

#include "runtime/calls/entry.h"

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

/* A call is measured: which is next. Or, after so many, the region is unready as a new one: its next BEGIN
 * chooses how many calls one stands for. Without a branch: so each call has as many instructions as the
 * others. */
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

/* What a BEGIN does for sampling: how many calls this one stands for, and which is next. */
RS_INLINE void rs_sample_begin(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, bool is_left_out)
{
	if (is_left_out) {
		region->turn--;
		entry->apart |= RS_APART_LEFT_OUT;
		return;
	}
	entry->weight = region->every;
	rs_sample_next(thread, region);
}

/* As if a measured call had not begun. */
static inline void rs_sample_undo(struct rs_thread_region *region)
{
	if (region->turn)
		region->rest = (region->turn - (region->every - region->rest)) & INT32_MAX;
	region->turn = 1;
	region->n_until_choice++;
}

/* An entry that was left out, and nests. */
RS_INLINE bool rs_sample_is_plain(const struct rs_entry *entry)
{
	return entry->apart == RS_APART_LEFT_OUT;
}

/* What was used within a call that was left out is not its region's own, either. An even number: the
 * parity of the calls stays. */
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

/* What markers used within a skipped call belongs to the call around. */
RS_INLINE void rs_sample_hand_over(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_cell *cell, uint32_t n_events)
{
	uint64_t *charged = rs_entry_vector(entry, RS_VECTOR_CHARGED, n_events);
	uint64_t *around = rs_entry_vector(entry->below, RS_VECTOR_CHARGED, n_events);
	rs_sample_pass_children(thread, entry, cell, n_events);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		around[m] += charged[m] + thread->cost->skip_outer[m];
		charged[m] = 0;
	}
	entry->below->pairs += entry->pairs;
	entry->below->skips += entry->skips;
	entry->pairs = entry->skips = 0;
}

/* END of a skipped call, which nests. */
RS_INLINE void rs_sample_end(
	struct rs_thread *thread, struct rs_entry *entry, struct rs_cell *cell, uint32_t n_events)
{
	rs_add_64((uint64_t *)(void *)&cell->skipped, 1);
	if (RS_UNLIKELY(entry->direct))
		rs_sample_hand_over(thread, entry, cell, n_events);
	entry->below->direct |= 1;
	entry->below->skips++;
	entry->apart = 0;
}

/* ---- sample.c ---- */

/* What a region's calls stand for from here on, when it is new on its thread or its first calls are
 * over; and which of them is measured next. */
void rs_sample_choose(struct rs_thread *thread, uint32_t region);

/* A region with a cell, and its next call drawn; NULL: it is filtered, or there is no memory. */
struct rs_thread_region *rs_ready_region(struct rs_thread *thread, uint32_t index);

#endif
