/* SPDX-License-Identifier: MIT */
/*
 * Parent regions: the regions in which a region's calls begin. The accumulator stores each parent
 * once. A BEGIN compares the enclosing region with rs_thread_region.within, the parent of the
 * latest call. If they differ, it calls a function of this file.
 */
#ifndef RS_RUNTIME_CALLS_PARENTS_H
#define RS_RUNTIME_CALLS_PARENTS_H

#include "runtime/calls/frame.h"

/* Return a parent region in the form that accumulators store. */
static inline uint32_t rs_parent_of(
	const struct rs_thread *thread, const struct rs_thread_region *around)
{
	static_assert(RS_PARENT_FIRST + RS_REGION_NONE == RS_PARENT_NONE, "no branch");
	return RS_PARENT_FIRST + rs_region_of(thread, around);
}

RS_INLINE struct rs_thread_region **rs_parents_earlier(const struct rs_thread_region *region)
{
	return rs_table_more(region->table)->parents;
}

/* Note that the next call of a region has another parent than the latest call. Return true if this
 * is one of the last few parents, which the accumulator already stores. */
RS_INLINE bool rs_parents_turn(struct rs_thread_region *region, struct rs_thread_region *around)
{
	if (!rs_region_is_ready(region) || region->is_uncalled)
		return false; /* The accumulator may not have this parent yet. */
	struct rs_thread_region **earlier = rs_parents_earlier(region);
	for (int i = 0; i < RS_EARLIER_PARENTS; i++) {
		if (earlier[i] != around)
			continue;
		earlier[i] = region->within;
		region->within = around;
		return true;
	}
	return false;
}

/* Store the innermost open region as a parent of a region that is about to begin a call. */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
