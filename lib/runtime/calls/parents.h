/* SPDX-License-Identifier: MIT */
/*
 * In which regions a region's calls begin, in its cell: once for each such region, however many calls
 * there are. A BEGIN compares the region around it with that of the latest call (rs_thread_region.
 * within), and comes here when they differ.
 */
#ifndef RS_RUNTIME_CALLS_PARENTS_H
#define RS_RUNTIME_CALLS_PARENTS_H

#include "runtime/calls/entry.h"

/* As cells have it. */
static inline uint32_t rs_parent_of(
	const struct rs_thread *thread, const struct rs_thread_region *around)
{
	static_assert(RS_PARENT_FIRST + RS_REGION_NONE == RS_PARENT_NONE, "no branch");
	return RS_PARENT_FIRST + rs_region_of(thread, around);
}

RS_INLINE struct rs_thread_region **rs_parents_earlier(
	const struct rs_thread *thread, const struct rs_thread_region *region)
{
	return thread->more[region - thread->regions].parents;
}

/* Calls of the region begin in another one than the latest did: ordinary where that is one of the
 * latest few. */
RS_INLINE bool rs_parents_turn(const struct rs_thread *thread, struct rs_thread_region *region,
	struct rs_thread_region *around)
{
	if (!rs_region_is_ready(region) || region->is_uncalled)
		return false; /* it may have no place there */
	struct rs_thread_region **earlier = rs_parents_earlier(thread, region);
	for (int i = 0; i < RS_EARLIER_PARENTS; i++) {
		if (earlier[i] != around)
			continue;
		earlier[i] = region->within;
		region->within = around;
		return true;
	}
	return false;
}

/* A call of the region may begin now, where its cell is to know of. */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
