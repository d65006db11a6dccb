/* SPDX-License-Identifier: MIT */
/*
 * In which regions a region's calls begin, in its cell: once for each such region, however many calls
 * there are. A BEGIN compares the region around it with that of the latest call (rs_thread_region.
 * within), and comes here when they differ.
 */
#ifndef RS_RUNTIME_MARK_PARENTS_H
#define RS_RUNTIME_MARK_PARENTS_H

#include "runtime/mark/entry.h"

/* As cells have it. */
static inline uint32_t rs_parent_of(
	const struct rs_thread *thread, const struct rs_thread_region *around)
{
	static_assert(RS_PARENT_FIRST + RS_REGION_NONE == RS_PARENT_NONE, "no branch");
	return RS_PARENT_FIRST + rs_region_of(thread, around);
}

/* Whether a call of the region that begins now begins where its cell knows of; or in the region itself.
 * It takes as many instructions wherever that is, which are known: RS_SLOW_WITHIN. */
bool rs_parents_has(const struct rs_thread *thread, const struct rs_thread_region *region);

/* A call of the region may begin now, where its cell is to know of. Under rs_slow_begin(). */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

#endif
