/* SPDX-License-Identifier: MIT */
/*
 * Storing parent regions, see parents.h. lib/stats/merge.h describes how reports use them.
 */
#include "runtime/calls/parents.h"

#include <string.h>

/* Return true if the accumulator stores this parent. */
static bool has(const struct rs_accumulator *accumulator, uint32_t parent)
{
	bool found = false;
	for (uint32_t place = 0; place < RS_PARENTS; place++) {
		const _Atomic uint64_t *word = &accumulator->parents[place / 4];
		found |= rs_parent_at(atomic_load_explicit(word, memory_order_relaxed), place) ==
			 parent;
	}
	return found;
}

/* Store a parent in the first free place. Return false if none is free. */
static bool add(struct rs_accumulator *accumulator, uint32_t parent)
{
	for (uint32_t place = 0; place < RS_PARENTS; place++) {
		_Atomic uint64_t *word = &accumulator->parents[place / 4];
		uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
		if (rs_parent_at(now, place) != RS_PARENT_FREE)
			continue;
		now |= (uint64_t)parent << rs_parent_shift(place);
		atomic_store_explicit(word, now, memory_order_relaxed);
		return true;
	}
	return false;
}

/* Handle a parent for which no place is free. If a region around it is stored, nothing is lost:
 * everything around that region is also around the parent. Otherwise store that no known region
 * contains all calls. */
static void add_beyond(const struct rs_thread *thread, struct rs_accumulator *accumulator)
{
	uint32_t last = RS_PARENTS - 1;
	_Atomic uint64_t *word = &accumulator->parents[last / 4];
	uint32_t n = rs_most_steps(thread);
	for (const struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below)
		if (has(accumulator, rs_parent_of(thread, frame->region)))
			return;
	if (has(accumulator, RS_PARENT_NONE))
		return;
	uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
	now &= ~(UINT64_C(0xffff) << rs_parent_shift(last));
	now |= (uint64_t)RS_PARENT_NONE << rs_parent_shift(last);
	atomic_store_explicit(word, now, memory_order_relaxed);
}

void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_thread_region *around = thread->innermost->region;
	uint32_t parent = rs_parent_of(thread, around);
	if (around != region && !has(region->accumulator, parent) &&
		!add(region->accumulator, parent))
		add_beyond(thread, region->accumulator);
	bool is_new = region->is_uncalled;
	rs_accumulator_count_thread(region);
	if (around == region->within)
		return;
	/* The comparison failed only because this call was due for a probe. */
	if (!region->within && !is_new) {
		region->within = around;
		return;
	}
	if (!region->within)
		memset(rs_table_more(region->table)->parents, 0,
			sizeof(rs_table_more(region->table)->parents));
	struct rs_thread_region **set = rs_parents_set(region, around);
	for (int i = RS_PARENT_WAYS - 1; i > 0; i--)
		set[i] = set[i - 1];
	set[0] = around;
	region->within = around;
}
