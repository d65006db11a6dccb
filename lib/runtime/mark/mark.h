/* SPDX-License-Identifier: MIT */
/* What marks: what its files offer one another off the path of plain markers. See runtime.h. */
#ifndef RS_RUNTIME_MARK_H
#define RS_RUNTIME_MARK_H

#include "runtime/state.h"

/* ---- functions.c ---- */

/* What exported functions call; NULL: not launched. */
extern __attribute__((
	visibility("hidden"))) _Atomic(const struct regionstat_table_14_ *) rs_functions_table;

/* ---- open entries ---- */

/* All that are open: first those that nest, innermost first, then the asynchronous ones. NULL after
 * the last. */
static inline struct rs_entry *rs_entry_first_async(const struct rs_thread *thread)
{
	return thread->async->next == thread->async ? NULL : thread->async->next;
}
static inline struct rs_entry *rs_entry_first(const struct rs_thread *thread)
{
	struct rs_entry *entry = thread->top->below;
	return entry == thread->ground ? rs_entry_first_async(thread) : entry;
}
static inline struct rs_entry *rs_entry_after(
	const struct rs_thread *thread, const struct rs_entry *entry)
{
	if (entry->apart & RS_APART_ASYNC)
		return entry->next == thread->async ? NULL : entry->next;
	return entry->below == thread->ground ? rs_entry_first_async(thread) : entry->below;
}

/* ---- cell.c ---- */

/* The calling thread's cell of a region, made if need be; NULL without memory. */
struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region) RS_COLD;

/* Where calls of a region are recorded that had a context switch, made if need be; the region itself
 * without memory, and then their off-CPU time is not known. */
struct rs_thread_region *rs_cell_twin(
	struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* Where a thread keeps its twin of a region; filled or not. */
struct rs_thread_region *rs_cell_twin_at(struct rs_thread *thread, uint32_t index) RS_COLD;

/* Of some calls in a cell the off-CPU time is not known. */
static inline void rs_cell_set_unwatched(struct rs_cell *cell)
{
	atomic_store_explicit(&cell->flags,
		atomic_load_explicit(&cell->flags, memory_order_relaxed) | RS_CELL_UNWATCHED,
		memory_order_relaxed);
}

/* Memory for a histogram block of a quantity, into the cell's table; false when it is refused. */
bool rs_cell_add_block(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity, uint32_t block) RS_COLD;

/* Where its cell's blocks are, none yet, into the region's table, which is made if need be; false
 * without memory. */
bool rs_cell_make_table(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape) RS_COLD;
uint64_t rs_tables_bytes(const struct rs_shape *shape); /* of several, taken at once */
static inline uint64_t rs_table_bytes(const struct rs_shape *shape)
{
	return (1 + shape->n_events) * RS_BLOCKS * sizeof(uint64_t *);
}
/* The counts of the block that the segment's table has entry for: a value's place is the index. */
static inline uint64_t *rs_block_counts(char *base, uint32_t entry)
{
	return (void *)(base + (uint64_t)entry * RS_OFFSET_UNIT);
}

/* A copy of a cell's moments, and a row of what changes rarely. */
static inline struct rs_moments *rs_cell_moments(
	struct rs_cell *cell, uint32_t n_events, uint32_t copy)
{
	return (void *)((char *)cell + rs_cell_moments_offset(n_events, copy));
}
static inline struct rs_rare *rs_cell_rare(
	struct rs_cell *cell, const struct rs_shape *shape, uint64_t row)
{
	return (void *)((char *)cell + shape->rare_offset + row * shape->rare_bytes);
}

/* What a row keeps of each quantity, behind that of each group. */
static inline struct rs_rare_moments *rs_rare_extremes(
	struct rs_rare *rare, const struct rs_shape *shape)
{
	struct rs_rare_group *groups = (void *)(rare + 1);
	return (void *)(groups + shape->n_groups);
}

/* The values that change none of the extremes of counted calls: none where no call was counted, and
 * both extremes are 0 as they stand there. */
static inline void rs_cell_set_range(struct rs_range *range, const struct rs_rare_moments *extremes)
{
	uint64_t is_any = (extremes->min_inverted | extremes->max) != 0;
	__asm__("" : "+r"(is_any)); /* no branch: whether any was counted costs nobody */
	range->low = ~extremes->min_inverted;
	range->width = (extremes->max - range->low + 1) & -is_any;
}

/* A cell taken over from another thread: take an unfinished call out of its histograms, and let
 * the ranges be those of its rows. */
void rs_cell_repair(const struct rs_runtime *runtime, struct rs_thread_region *region,
	const struct rs_shape *shape);

/* ---- slow_calls.c ---- */

/* Read by which rules calls are slow, of the segment fd, once the event plan is known. False: damaged,
 * or no memory. What follows only where there are rules. */
bool rs_slow_calls_read(struct rs_runtime *runtime, int fd);

/* A cell of a region that the process has met; what is slow in it is not plain from here on. */
void rs_slow_calls_bind(struct rs_runtime *runtime, uint32_t region, struct rs_cell *cell);

/* The ranges of a region's cell have been set: so they remain. */
void rs_slow_calls_limit(
	const struct rs_runtime *runtime, uint32_t region, struct rs_range *ranges);

/* A call of an entry was recorded: it goes into the ring if it is slow. values[1 + n_events]: as the
 * row of a slowest call has them. */
void rs_slow_calls_note(struct rs_thread *thread, struct rs_entry *entry, uint32_t region,
	const uint64_t *values) RS_COLD;

/* ---- marker.c ---- */

/* The runtime's markers, made for as many events as the plan has. */
void rs_markers_choose(struct rs_runtime *runtime);

#endif
