/*
 * Cells and the memory behind them: made when a thread marks a region for the first time, kept in
 * its slot for later threads. A new cell is complete before the slot's list names it, so whoever
 * reads the segment, at whatever moment, finds whole cells only.
 */
#include "runtime/runtime.h"

/* Use a cell that an earlier thread of the slot left. */
static struct rs_cell *bind(struct rs_thread *thread, uint32_t region, struct rs_cell *cell)
{
	atomic_store_explicit(&cell->n_threads,
		atomic_load_explicit(&cell->n_threads, memory_order_relaxed) + 1,
		memory_order_relaxed);
	struct rs_thread_region *state = &thread->regions[region];
	state->known = cell;
	state->cell = cell;
	if (!state->sample_calls)
		state->sample_calls = rs_region_sample_calls(thread->runtime, region);
	/* Where the first measured call lies among the first N must not depend on the program. */
	if (state->sample_calls > 1)
		state->skip = (uint32_t)(thread->random % state->sample_calls);
	return cell;
}

struct rs_cell *rs_cell_bind(struct rs_thread *thread, uint32_t region)
{
	struct rs_thread_region *state = &thread->regions[region];
	if (state->cell)
		return state->cell;
	if (state->known)
		return bind(thread, region, state->known);
	uint32_t bytes = thread->shape->cell_bytes;
	uint64_t offset = rs_memory_take(thread, bytes);
	if (!offset)
		return NULL;
	struct rs_cell *cell = rs_at(thread->runtime, offset);
	cell->region = region;
	cell->cell_bytes = bytes;
	/* appended at the end, so that the order of cells is first-seen order */
	_Atomic uint64_t *link = &thread->slot->first_cell;
	if (thread->last_cell)
		link = &thread->last_cell->next;
	/* pairs with the acquire load of whoever walks the list */
	atomic_store_explicit(link, offset, memory_order_release);
	thread->last_cell = cell;
	return bind(thread, region, cell);
}

uint64_t *rs_cell_add_octave(
	struct rs_thread *thread, struct rs_cell *cell, uint32_t moment, uint32_t octave)
{
	uint32_t *octaves = (uint32_t *)(void *)((char *)cell + thread->shape->octaves_offset);
	uint64_t offset = rs_memory_take(thread, RS_OCTAVE_BYTES);
	if (!offset) {
		atomic_store_explicit(
			&cell->flags, RS_CELL_HISTOGRAM_INCOMPLETE, memory_order_relaxed);
		return NULL;
	}
	__atomic_store_n(&octaves[moment * RS_OCTAVES + octave],
		(uint32_t)(offset / RS_OFFSET_UNIT), __ATOMIC_RELEASE);
	return rs_at(thread->runtime, offset);
}

void rs_cell_repair(const struct rs_runtime *runtime, struct rs_cell *cell)
{
	const struct rs_shape *shape = &runtime->shape;
	if (atomic_load_explicit(&cell->flags, memory_order_relaxed))
		return;
	uint32_t copy = atomic_load_explicit(&cell->flip, memory_order_relaxed) & 1;
	const struct rs_scalars *scalars =
		(void *)((char *)(cell + 1) + copy * shape->scalars_bytes);
	const struct rs_group_sums *groups = (const void *)(scalars + 1);
	const struct rs_moments *moments = (const void *)(groups + shape->n_groups);
	const uint32_t *octaves = (const void *)((char *)cell + shape->octaves_offset);
	for (uint32_t m = 0; m <= shape->n_events; m++, octaves += RS_OCTAVES) {
		uint64_t sum = 0,
			 counted = m ? groups[shape->event_group[m - 1]].counted : scalars->calls;
		for (uint32_t octave = 0; octave < RS_OCTAVES; octave++) {
			const uint64_t *counts = rs_at(
				runtime, (uint64_t)octaves[octave] * RS_OFFSET_UNIT);
			for (uint32_t b = 0; octaves[octave] && b < RS_OCTAVE_BUCKETS; b++)
				sum += counts[b];
		}
		uint32_t bucket = moments[m].bucket, octave = bucket / RS_OCTAVE_BUCKETS;
		if (sum + 1 == counted && octave < RS_OCTAVES && octaves[octave]) {
			uint64_t *counts = rs_at(
				runtime, (uint64_t)octaves[octave] * RS_OFFSET_UNIT);
			counts[bucket % RS_OCTAVE_BUCKETS]++;
		}
	}
}
