/* SPDX-License-Identifier: MIT */
/* What marks: what its files offer one another off the path of plain markers. See runtime.h. */
#ifndef RS_RUNTIME_MARK_H
#define RS_RUNTIME_MARK_H

#include "runtime/state.h"

struct rs_adapter_table;

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

/* The calling thread calls the region: it is one of those of the region's cell from now on. */
void rs_cell_count_thread(struct rs_thread_region *region) RS_COLD;

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

/* Make room for the counts of a value of a quantity. False: memory is refused, and the cell says that
 * its histograms are incomplete. */
bool rs_cell_make_room(struct rs_thread *thread, struct rs_thread_region *region, uint32_t quantity,
	uint64_t value) RS_COLD;

/* A new cell's first counts of a quantity; false without memory. */
bool rs_cell_take_counts(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity) RS_COLD;

/* Where the counts of a quantity are, as a word of the cell says: into the thread's table. word: checked,
 * and of memory that is mapped. */
void rs_cell_set_counts(const struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity, uint64_t word);

/* The region's table, made if need be; false without memory. */
bool rs_cell_make_table(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape) RS_COLD;
uint64_t rs_tables_bytes(const struct rs_shape *shape); /* of several, taken at once */
static inline uint64_t rs_table_bytes(const struct rs_shape *shape)
{
	return (1 + shape->n_events) * sizeof(struct rs_counts);
}

/* The parts of a cell. */
static inline struct rs_cell_event *rs_cell_events(struct rs_cell *cell)
{
	return (void *)((char *)cell + rs_cell_events_offset());
}
static inline struct rs_range *rs_cell_range(struct rs_cell *cell, uint32_t m)
{
	return m ? &rs_cell_events(cell)[m - 1].range : &cell->time_range;
}
static inline uint64_t *rs_cell_latest(struct rs_cell *cell, uint32_t m)
{
	return m ? &rs_cell_events(cell)[m - 1].latest : &cell->latest_time;
}
static inline uint64_t *rs_cell_square(struct rs_cell *cell, uint32_t m)
{
	return m ? &rs_cell_events(cell)[m - 1].square : &cell->time_square;
}
static inline struct rs_cell_children *rs_cell_children(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_children_offset(n_events));
}
static inline uint64_t *rs_cell_inside(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_inside_offset(n_events));
}
static inline uint64_t *rs_cell_runs(struct rs_cell *cell, uint32_t n_events)
{
	return (void *)((char *)cell + rs_cell_runs_offset(n_events));
}
static inline struct rs_rare *rs_cell_rare(
	struct rs_cell *cell, const struct rs_shape *shape, uint64_t row)
{
	return (void *)((char *)cell + shape->rare_offset + row * shape->rare_bytes);
}

/* What the calls of a cell took in all, of this thread, which is in no other marker: raw, by weights,
 * as far as they were counted: sums[1 + n_events]. Returns the sum of weights. */
uint64_t rs_cell_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums) RS_COLD;

/* The median of its calls' times, by weights, without the latest: raw, of those without a context switch. */
uint64_t rs_cell_median(struct rs_thread *thread, const struct rs_thread_region *region) RS_COLD;

/* What a row keeps of each quantity, behind that of each group. */
static inline struct rs_rare_moments *rs_rare_extremes(
	struct rs_rare *rare, const struct rs_shape *shape)
{
	struct rs_rare_group *groups = (void *)(rare + 1);
	return (void *)(groups + shape->n_groups);
}

/* The fast path takes the values that change no extreme: so the row says, and whether it can fold
 * the latest call. */
void rs_cell_set_ranges(struct rs_thread *thread, struct rs_thread_region *region) RS_COLD;

/* The fast path takes every value that has a count. Only to try markers out. */
void rs_cell_open_ranges(struct rs_thread *thread, struct rs_thread_region *region);

/* A cell that another thread left, or a marker that is gone: fold what a call that is one left to be
 * folded, and let the next call take the slow path. */
void rs_cell_repair(struct rs_thread *thread, struct rs_thread_region *region);

/* ---- slow_calls.c ---- */

/* Read by which rules calls are slow, of the segment fd, once the event plan is known. False: damaged,
 * or no memory. What follows only where there are rules. */
bool rs_slow_calls_read(struct rs_runtime *runtime, int fd);

/* A cell of a region that the process has met; what is slow in it is not plain from here on. */
void rs_slow_calls_bind(struct rs_runtime *runtime, uint32_t region, struct rs_cell *cell);

/* The ranges of a cell have been set: what a rule calls slow is taken out. */
void rs_slow_calls_limit(const struct rs_runtime *runtime, struct rs_cell *cell);

/* A call of an entry was recorded: it goes into the ring if it is slow. values[1 + n_events]: without
 * overhead; UINT64_MAX where not counted. */
void rs_slow_calls_note(struct rs_thread *thread, struct rs_entry *entry, uint32_t region,
	const uint64_t *values) RS_COLD;

/* ---- marker.c ---- */

/* The runtime's markers, made for as many events as the plan has; and those for any number, however
 * they are read. */
void rs_markers_choose(struct rs_runtime *runtime);
const struct rs_adapter_table *rs_markers_any(const struct rs_runtime *runtime);

#endif
