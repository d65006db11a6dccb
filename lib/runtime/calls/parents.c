/* SPDX-License-Identifier: MIT */
/*
 * See parents.h. lib/stats/parents.h says how a report uses it.
 */
#include "runtime/calls/parents.h"

/* Whether any place of the cell has a parent. */
static bool has(const struct rs_cell *cell, uint32_t parent)
{
	bool found = false;
	for (uint32_t place = 0; place < RS_PARENTS; place++) {
		const _Atomic uint64_t *word = &cell->parents[place / 4];
		found |= rs_parent_at(atomic_load_explicit(word, memory_order_relaxed), place) ==
			 parent;
	}
	return found;
}

/* Into the first place that is free; false: none is. */
static bool add(struct rs_cell *cell, uint32_t parent)
{
	for (uint32_t place = 0; place < RS_PARENTS; place++) {
		_Atomic uint64_t *word = &cell->parents[place / 4];
		uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
		if (rs_parent_at(now, place) != RS_PARENT_FREE)
			continue;
		now |= (uint64_t)parent << rs_parent_shift(place);
		atomic_store_explicit(word, now, memory_order_relaxed);
		return true;
	}
	return false;
}

/* Where there is no place left, it is enough that one region around is known: what is around that
 * is around this as well. Otherwise the cell says that no known region holds all calls. */
static void add_beyond(const struct rs_thread *thread, struct rs_cell *cell)
{
	uint32_t last = RS_PARENTS - 1;
	_Atomic uint64_t *word = &cell->parents[last / 4];
	uint32_t n = rs_most_steps(thread);
	for (const struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below)
		if (has(cell, rs_parent_of(thread, entry->region)))
			return;
	if (has(cell, RS_PARENT_NONE))
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
	if (around != region && !has(region->cell, parent) && !add(region->cell, parent))
		add_beyond(thread, region->cell);
	bool is_new = region->is_uncalled;
	rs_cell_count_thread(region);
	if (around == region->within)
		return;
	if (!region->within && !is_new) { /* it was to be a probe */
		region->within = around;
		return;
	}
	struct rs_thread_region **earlier = rs_parents_earlier(thread, region);
	for (int i = RS_EARLIER_PARENTS - 1; i >= 0; i--)
		earlier[i] = !region->within ? NULL : i ? earlier[i - 1] : region->within;
	region->within = around;
}
