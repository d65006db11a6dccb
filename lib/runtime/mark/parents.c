/* SPDX-License-Identifier: MIT */
/*
 * See parents.h. What a report makes of it is in lib/stats/parents.h.
 */
#include "runtime/mark/parents.h"

#define ONES UINT64_C(0x0001000100010001) /* of each 16 bits the lowest, and the highest */
#define TOPS (ONES << 15)

/* Whether any 16 bits of the cell's words are parent. Without a branch. */
static bool has(const struct rs_cell *cell, uint32_t parent)
{
	uint64_t found = 0;
	for (uint32_t w = 0; w < RS_PARENT_WORDS; w++) {
		uint64_t word = atomic_load_explicit(&cell->parents[w], memory_order_relaxed);
		uint64_t differs = word ^ parent * ONES;
		/* Hacker's Delight, 6-1: the highest bit where 16 bits are 0, or only above such */
		found |= (differs - ONES) & ~differs & TOPS;
	}
	return found != 0;
}

bool rs_parents_has(const struct rs_thread *thread, const struct rs_thread_region *region)
{
	const struct rs_thread_region *around = thread->top->below->region;
	bool is_known = has(region->cell, rs_parent_of(thread, around)), is_own = around == region;
	return is_known | is_own;
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

/* Where there is no place left, it is enough that something around is known: what is around that is
 * around this as well. Else nothing holds all calls, as far as can be told. */
static void add_beyond(const struct rs_thread *thread, struct rs_cell *cell)
{
	uint32_t last = RS_PARENTS - 1;
	_Atomic uint64_t *word = &cell->parents[last / 4];
	for (const struct rs_entry *entry = thread->top->below; entry != thread->ground;
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
	struct rs_thread_region *around = thread->top->below->region;
	if (!rs_parents_has(thread, region) && !add(region->cell, rs_parent_of(thread, around)))
		add_beyond(thread, region->cell);
	rs_cell_count_thread(region);
	region->within = around;
}
