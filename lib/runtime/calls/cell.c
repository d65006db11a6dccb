/* SPDX-License-Identifier: MIT */
/*
 * Cells and the memory behind them: made when a thread marks a region for the first time, kept in
 * its slot for later threads. A new cell is complete before the slot's list names it, so a reader
 * of the segment finds whole cells only.
 */
#include <string.h>

#include "runtime/calls/probe.h"
#include "runtime/calls/record.h"
#include "runtime/calls/work.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/calls.h"

/* The overhead that lies inside calls as this thread's markers take them. */
static void set_inside(
	const struct rs_thread *thread, struct rs_cell *cell, const struct rs_shape *shape)
{
	uint64_t *inside = rs_cell_inside(cell, shape->n_events);
	memcpy(inside, thread->cost->inside, (1 + thread->n_events) * sizeof(uint64_t));
	if (shape->n_events > thread->n_events) /* of on-CPU time as of time */
		inside[shape->n_events] = inside[0];
}

/* Use a cell that an earlier thread of the slot left. */
static struct rs_cell *bind(struct rs_thread *thread, uint32_t region, struct rs_cell *cell)
{
	thread->regions[region].is_uncalled = 1;
	set_inside(thread, cell, thread->shape);
	if (thread->twins.present && thread->twins.regions[region].cell)
		set_inside(thread, thread->twins.regions[region].cell,
			&thread->runtime->switched_shape);
	int32_t pair = rs_probe_first_ticks(thread);
	thread->regions[region].pair_ticks = pair;
	atomic_store_explicit(&cell->pair_ticks, thread->counters.n_reads ? 0 : (uint32_t)pair,
		memory_order_relaxed); /* else in own_ticks */
	atomic_store_explicit(&cell->skip_ticks, thread->cost->skip[0], memory_order_relaxed);
	if (!rs_switches_are_watched(thread))
		rs_cell_set_unwatched(cell);
	thread->regions[region].cell = cell;
	if (thread->runtime->slow_rules)
		rs_slow_calls_bind(thread->runtime, region);
	return cell;
}

void rs_cell_count_thread(struct rs_thread_region *region)
{
	if (!region->is_uncalled)
		return;
	region->is_uncalled = 0;
	atomic_store_explicit(&region->cell->n_threads,
		atomic_load_explicit(&region->cell->n_threads, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* Memory for tables is taken in so many bytes, or for one. */
#define TABLES_BYTES 16384u

uint64_t rs_tables_bytes(const struct rs_shape *shape)
{
	uint64_t bytes = rs_table_bytes(shape);
	return bytes < TABLES_BYTES ? TABLES_BYTES / bytes * bytes : bytes;
}

bool rs_cell_make_table(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint64_t bytes = rs_table_bytes(thread->shape);
	if (!region->table) {
		if ((uint64_t)(thread->part.tables_end - thread->part.tables_next) < bytes) {
			uint64_t all = rs_tables_bytes(thread->shape);
			char *tables = rs_sys_allocate_present(all);
			if (!tables)
				return false;
			thread->part.tables_next = tables;
			thread->part.tables_end = tables + all;
		}
		region->table = (void *)thread->part.tables_next;
		thread->part.tables_next += bytes;
	}
	memset(region->table, 0, bytes);
	return true;
}

/* ---- cells ---- */

/* Make a region's cell that the slot does not have, or the one for its calls with a context
 * switch. into: the region as the thread sees it, or its copy for such calls. NULL without
 * memory. */
static struct rs_cell *make(struct rs_thread *thread, struct rs_thread_region *into,
	uint32_t region, const struct rs_shape *shape)
{
	uint32_t bytes = shape->cell_bytes;
	bool has_table = shape != thread->shape || rs_cell_make_table(thread, into);
	uint64_t offset = has_table ? rs_memory_take(thread, bytes, RS_OFFSET_UNIT) : 0;
	if (!offset)
		return NULL;
	struct rs_cell *cell = rs_at(thread->runtime, offset);
	into->work = 0; /* what is there may be of a cell that another thread has now */
	if (!rs_cell_take_counts(thread, cell, shape))
		return NULL;
	cell->region = (uint16_t)region;
	cell->cell_units = rs_cell_units(bytes);
	return cell;
}

/* Put a cell at the end of the slot's list, so that the order of cells is first-seen order; unless
 * it is in the list already. A handler may jump out of here anywhere: then this is done again. */
static void append(struct rs_thread *thread, struct rs_cell *cell)
{
	struct rs_cell *last = thread->part.last_cell;
	if (cell == last || atomic_load_explicit(&cell->next, memory_order_relaxed))
		return;
	_Atomic uint64_t *link = last ? &last->next : &thread->part.slot->first_cell;
	/* pairs with the acquire load of a reader that walks the list */
	atomic_store_explicit(link, (uint64_t)((char *)cell - thread->base), memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* no further than the list itself */
	thread->part.last_cell = cell;
}

struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region)
{
	struct rs_thread_region *state = &thread->regions[region];
	if (!*thread->is_here) /* a fork() in a handler: the slot is the parent's */
		return NULL;
	if (state->every) /* it is known already on this thread */
		return state->cell;
	if (!state->cell || state->cell == thread->runtime->no_cell) {
		struct rs_cell *made = make(thread, state, region, thread->shape);
		if (!made)
			return NULL;
		state->cell = made;
		atomic_signal_fence(memory_order_seq_cst); /* known first: one cell of a region */
	}
	append(thread, state->cell);
	return bind(thread, region, state->cell);
}

/* Its page is made without a fault that is the program's. */
struct rs_thread_region *rs_cell_twin_at(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *twin = &thread->twins.regions[index];
	uintptr_t number = index * sizeof(*twin) / RS_PAGE_BYTES;
	static_assert(RS_PAGE_BYTES % sizeof(*twin) == 0 &&
			      RS_MAX_REGIONS * sizeof(*twin) / RS_PAGE_BYTES <= 64,
		"a bit for each page");
	if (!(thread->twins.present >> number & 1))
		RS_SYS(madvise, (char *)thread->twins.regions + number * RS_PAGE_BYTES,
			RS_PAGE_BYTES, MADV_POPULATE_WRITE);
	thread->twins.present |= UINT64_C(1) << number;
	return twin;
}

struct rs_thread_region *rs_cell_twin(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t index = rs_region_of(thread, region);
	struct rs_thread_region *twin = rs_cell_twin_at(thread, index);
	const struct rs_shape *shape = &thread->runtime->switched_shape;
	if (twin->cell)
		return twin;
	struct rs_cell *made = make(thread, twin, index, shape);
	if (!made) {
		rs_cell_set_unwatched(region->cell);
		return region;
	}
	set_inside(thread, made, shape);
	/* pairs with the acquire load of the cell's readers */
	atomic_store_explicit(&region->cell->twin,
		(uint32_t)((uint64_t)((char *)made - thread->base) / RS_OFFSET_UNIT),
		memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* in the segment first: calls follow */
	twin->cell = made;
	return twin;
}

void rs_cell_repair(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint32_t n_events = shape->n_events;
	if (!cell || cell == thread->runtime->no_cell)
		return;
	for (uint32_t m = 0; region->table && m <= n_events; m++)
		rs_cell_set_near(thread, region, m);
	uint64_t word = rs_cell_word(cell);
	struct rs_cell_children *children = rs_cell_children(cell, n_events);
	for (uint32_t m = 0; m <= n_events; m++)
		if ((children[m].sum & 1) != rs_cell_children_parity(word))
			children[m].sum = (children[m].sum ^ 1) - children[m].latest;
	rs_record_fold_any(thread, region, true);
	rs_work_repair(thread, region);
}
