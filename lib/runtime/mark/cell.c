/* SPDX-License-Identifier: MIT */
/*
 * Cells and the memory behind them: made when a thread marks a region for the first time, kept in
 * its slot for later threads. A new cell is complete before the slot's list names it, so whoever
 * reads the segment, at whatever moment, finds whole cells only.
 */
#include <string.h>

#include "runtime/mark/work.h"
#include "runtime/runtime.h"

/* Use a cell that an earlier thread of the slot left. */
static struct rs_cell *bind(struct rs_thread *thread, uint32_t region, struct rs_cell *cell)
{
	atomic_store_explicit(&cell->n_threads,
		atomic_load_explicit(&cell->n_threads, memory_order_relaxed) + 1,
		memory_order_relaxed);
	uint64_t pair = thread->n_reads ? 0 : thread->cost->pair[0];
	atomic_store_explicit(&cell->pair_ticks, pair, memory_order_relaxed);
	atomic_store_explicit(&cell->skip_ticks, thread->cost->skip[0], memory_order_relaxed);
	if (thread->watched == &thread->unwatched)
		rs_cell_set_unwatched(cell);
	thread->regions[region].cell = cell;
	if (thread->runtime->slow_rules)
		rs_slow_calls_bind(thread->runtime, region, cell);
	return cell;
}

/* Memory for tables is taken in so many bytes, or for one. */
#define TABLES_BYTES 16384u

uint64_t rs_tables_bytes(const struct rs_shape *shape)
{
	uint64_t bytes = rs_table_bytes(shape);
	return bytes < TABLES_BYTES ? TABLES_BYTES / bytes * bytes : bytes;
}

bool rs_cell_make_table(
	struct rs_thread *thread, struct rs_thread_region *region, const struct rs_shape *shape)
{
	uint64_t bytes = rs_table_bytes(shape);
	if (!region->blocks) {
		if ((uint64_t)(thread->tables_end - thread->tables_next) < bytes) {
			uint64_t all = rs_tables_bytes(shape);
			char *tables = rs_sys_allocate_present(all);
			if (!tables)
				return false;
			thread->tables_next = tables;
			thread->tables_end = tables + all;
		}
		region->blocks = (void *)thread->tables_next;
		thread->tables_next += bytes;
	}
	memset(region->blocks, 0, bytes);
	return true;
}

/* A new cell of a region that the slot has none of, or a twin. into: the region as the thread sees it,
 * or that. NULL without memory. */
static struct rs_cell *make(struct rs_thread *thread, struct rs_thread_region *into,
	uint32_t region, const struct rs_shape *shape)
{
	uint32_t bytes = shape->cell_bytes;
	uint64_t offset = rs_cell_make_table(thread, into, shape) ? rs_memory_take(thread, bytes)
								  : 0;
	if (!offset)
		return NULL;
	struct rs_cell *cell = rs_at(thread->runtime, offset);
	into->work = 0;
	cell->region = (uint16_t)region;
	cell->cell_units = rs_cell_units(bytes);
	return cell;
}

/* Put a cell at the end of the slot's list, so that the order of cells is first-seen order; unless
 * it is in the list already. A handler may jump out of here anywhere: then this is done again. */
static void append(struct rs_thread *thread, struct rs_cell *cell)
{
	struct rs_cell *last = thread->last_cell;
	if (cell == last || atomic_load_explicit(&cell->next, memory_order_relaxed))
		return;
	_Atomic uint64_t *link = last ? &last->next : &thread->slot->first_cell;
	/* pairs with the acquire load of whoever walks the list */
	atomic_store_explicit(link, (uint64_t)((char *)cell - thread->base), memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* no further than the list itself */
	thread->last_cell = cell;
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

/* Its page, and the next, into which it may reach, are made without a fault that is the program's. */
struct rs_thread_region *rs_cell_twin_at(struct rs_thread *thread, uint32_t index)
{
	struct rs_thread_region *twin = &thread->twins[index];
	uintptr_t page = (uintptr_t)twin / RS_PAGE_BYTES;
	uintptr_t number = page - (uintptr_t)thread->twins / RS_PAGE_BYTES;
	static_assert(RS_MAX_REGIONS * sizeof(*twin) / RS_PAGE_BYTES < 63, "a bit for each page");
	if (!(thread->present_twins >> number & 1))
		RS_SYS(madvise, page * RS_PAGE_BYTES, 2 * RS_PAGE_BYTES, MADV_POPULATE_WRITE);
	thread->present_twins |= UINT64_C(1) << number;
	return twin;
}

struct rs_thread_region *rs_cell_twin(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t index = rs_region_of(thread, region);
	struct rs_thread_region *twin = rs_cell_twin_at(thread, index);
	if (twin->cell)
		return twin;
	struct rs_cell *made = make(thread, twin, index, &thread->runtime->switched_shape);
	if (!made) {
		rs_cell_set_unwatched(region->cell);
		return region;
	}
	/* pairs with the acquire load of whoever reads the cell */
	atomic_store_explicit(&region->cell->twin,
		(uint32_t)((uint64_t)((char *)made - thread->base) / RS_OFFSET_UNIT),
		memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* in the segment first: calls follow */
	twin->cell = made;
	return twin;
}

bool rs_cell_add_block(struct rs_thread *thread, struct rs_thread_region *region,
	const struct rs_shape *shape, uint32_t quantity, uint32_t block)
{
	struct rs_cell *cell = region->cell;
	uint32_t *blocks = (uint32_t *)(void *)((char *)cell + shape->blocks_offset);
	uint32_t bytes = rs_block_whole_bytes(block, quantity, shape->n_events);
	uint64_t offset = rs_memory_take(thread, bytes);
	uint32_t entry = rs_block_entry(block, offset);
	if (!offset) {
		uint32_t flags = atomic_load_explicit(&cell->flags, memory_order_relaxed);
		atomic_store_explicit(
			&cell->flags, flags | RS_CELL_HISTOGRAM_INCOMPLETE, memory_order_relaxed);
		return false;
	}
	__atomic_store_n(&blocks[quantity * RS_BLOCKS + block], entry, __ATOMIC_RELEASE);
	region->blocks[quantity * RS_BLOCKS + block] = rs_block_counts(thread->base, entry);
	return true;
}

/* Take a call out of the histogram of a quantity again that was not recorded to its end. counted: the
 * sum of the weights that the histogram should hold. unfinished, weight: of that call. */
static void repair_histogram(
	uint64_t *const *blocks, uint64_t counted, uint64_t unfinished, uint64_t weight)
{
	uint64_t sum = 0;
	for (uint32_t block = 0; block < RS_BLOCKS; block++)
		for (uint32_t b = 0; blocks[block] && b < rs_block_buckets(block); b++)
			sum += blocks[block][rs_block_lead(block) + b];
	uint32_t block = rs_block_of(unfinished);
	if (sum == counted + weight && blocks[block])
		blocks[block][rs_block_place(block, unfinished)] -= weight;
}

/* The same of the sums of an event, where its moments have more or less than that call would add:
 * counted: their sum. unfinished: what they would have grown by. time: of the call. */
static void repair_sums(uint64_t *const *blocks, uint32_t event, uint64_t counted,
	uint64_t unfinished, uint64_t time)
{
	uint64_t sum = 0, *counts = blocks[rs_block_of(time)];
	for (uint32_t block = 0; block < RS_BLOCKS; block++)
		if (blocks[block])
			sum += blocks[block][RS_BLOCK_SUMS + event];
	if (sum - counted == unfinished && counts)
		counts[RS_BLOCK_SUMS + event] -= unfinished;
}

void rs_cell_repair(const struct rs_runtime *runtime, struct rs_thread_region *region,
	const struct rs_shape *shape)
{
	struct rs_cell *cell = region->cell;
	uint64_t word = atomic_load_explicit(&cell->calls_and_row, memory_order_relaxed);
	uint32_t copy = rs_cell_copy(word);
	const struct rs_moments *now = rs_cell_moments(cell, shape->n_events, copy);
	const struct rs_moments *other = rs_cell_moments(cell, shape->n_events, !copy);
	const struct rs_rare *rare = rs_cell_rare(cell, shape, rs_cell_row(word));
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	const struct rs_rare_moments *extremes = (const void *)(groups + shape->n_groups);
	struct rs_range *ranges = (void *)((char *)cell + rs_cell_ranges_offset());
	bool whole = !(atomic_load_explicit(&cell->flags, memory_order_relaxed) &
		       RS_CELL_HISTOGRAM_INCOMPLETE);
	uint64_t weights = rs_cell_calls(word), weight = 1;
	rs_work_repair(runtime, region);
	if (runtime->samples) { /* anybody may write there meanwhile, and weight divides */
		weights = __atomic_load_n(&cell->weights[copy], __ATOMIC_RELAXED);
		weight = __atomic_load_n(&cell->weights[!copy], __ATOMIC_RELAXED) - weights;
	}
	for (uint32_t m = 0; m <= shape->n_events; m++) {
		uint64_t counted = weights;
		if (m && shape->event_group[m - 1] != RS_NO_GROUP)
			counted -= groups[shape->event_group[m - 1]].uncounted_weights;
		if (whole && weight)
			repair_histogram(&region->blocks[m * RS_BLOCKS], counted,
				(other[m].sum - now[m].sum) / weight, weight);
		if (m && weight)
			repair_sums(region->blocks, m - 1, now[m].sum, other[m].sum - now[m].sum,
				(other[0].sum - now[0].sum) / weight);
		rs_cell_set_range(&ranges[m], &extremes[m]);
	}
	if (runtime->slow_rules)
		rs_slow_calls_limit(runtime, cell->region, ranges);
}
