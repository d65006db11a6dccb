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

/* Return the RS_PARENT_WAYS earlier parents among which `around` is, if it is one. */
RS_INLINE struct rs_thread_region **rs_parents_set(
	const struct rs_thread_region *region, const struct rs_thread_region *around)
{
	uintptr_t set = (uintptr_t)around / sizeof(*around) % RS_PARENT_SETS;
	return rs_table_more(region->table)->parents[set];
}

/* Note that the next call of a region has another parent than the latest call. Return true if this
 * is an earlier parent, which the accumulator already stores. */
RS_INLINE bool rs_parents_turn(struct rs_thread_region *region, struct rs_thread_region *around)
{
	/* The region is not ready, the call is due for a probe, or the accumulator may not have the
	 * parent yet. */
	if (!region->within || region->is_uncalled)
		return false;
	struct rs_thread_region **set = rs_parents_set(region, around);
	for (int i = 0; i < RS_PARENT_WAYS; i++) {
		if (set[i] != around)
			continue;
		region->within = around;
		return true;
	}
	return false;
}

/* Store the innermost open region as a parent of a region that is about to begin a call. */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
