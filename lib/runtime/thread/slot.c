/* SPDX-License-Identifier: MIT */
/*
 * This file finds a thread slot, which holds the thread's accumulators in the segment. A thread
 * gets a new slot, or adopts one of a dead process with its accumulators. If a thread of the same
 * process has ended, its slot is taken together with its memory (thread.c).
 */
#include "runtime/thread/thread.h"

static struct rs_slot *slot_at(struct rs_runtime *runtime, uint32_t index)
{
	uint64_t offset = RS_SLOTS_OFFSET + (uint64_t)index * sizeof(struct rs_slot);
	return rs_memory_at(runtime, offset, sizeof(struct rs_slot));
}

/* Map the blocks of one histogram of a dead process. Return false if a link is invalid. */
static bool map_blocks(struct rs_thread *thread, uint64_t offset, uint32_t n_sums)
{
	struct rs_runtime *runtime = thread->runtime;
	uint32_t bytes = rs_block_bytes(n_sums), n = 0;
	for (; offset && n < RS_BLOCK_OCTAVES; n++) {
		if (!rs_memory_is_data(runtime, offset, bytes) ||
			!rs_memory_ensure(runtime, offset, bytes))
			return false;
		const struct rs_block *block = rs_at(runtime, offset);
		uint64_t link = __atomic_load_n(&block->link, __ATOMIC_RELAXED);
		if (rs_block_octave(link) >= RS_BLOCK_OCTAVES)
			return false;
		offset = rs_block_next(link);
	}
	return n && !offset;
}

/* Map a dead process's accumulator with its blocks, and store its address in the thread's region.
 * If `of` is not NULL, it is the accumulator for the calls of that region with a context switch.
 * Return the region, or NULL if the accumulator is invalid. Another process may write to this
 * memory at any time, so each word is read once and then checked. */
static struct rs_thread_region *map_accumulator(
	struct rs_thread *thread, struct rs_thread_region *of, uint64_t offset)
{
	struct rs_runtime *runtime = thread->runtime;
	const struct rs_shape *shape = of ? &runtime->switched_shape : thread->shape;
	if (offset % RS_OFFSET_UNIT ||
		!rs_memory_is_data(runtime, offset, shape->accumulator_bytes) ||
		!rs_memory_ensure(runtime, offset, shape->accumulator_bytes))
		return NULL;
	struct rs_accumulator *accumulator = rs_at(runtime, offset);
	uint32_t index = __atomic_load_n(&accumulator->region, __ATOMIC_RELAXED);
	if (index >= RS_MAX_REGIONS || (of && index != rs_region_of(thread, of)) ||
		__atomic_load_n(&accumulator->accumulator_units, __ATOMIC_RELAXED) !=
			rs_accumulator_units(shape->accumulator_bytes))
		return NULL;
	struct rs_thread_region *region = of ? rs_accumulator_switched_at(thread, of)
					     : &thread->regions[index];
	if (!region || (!of && !rs_accumulator_make_table(thread, region)))
		return NULL;
	for (uint32_t m = 0; m <= shape->n_events; m++) {
		uint64_t first = __atomic_load_n(
			&rs_accumulator_blocks(accumulator, shape->n_events)[m], __ATOMIC_RELAXED);
		if (!map_blocks(thread, first, m ? 0 : shape->n_events))
			return NULL;
	}
	uint32_t work = atomic_load_explicit(&accumulator->work, memory_order_relaxed);
	uint64_t place = (uint64_t)work * RS_OFFSET_UNIT;
	if (work && (!rs_memory_is_data(runtime, place, sizeof(struct rs_work)) ||
			    !rs_memory_ensure(runtime, place, sizeof(struct rs_work))))
		return NULL;
	region->accumulator = accumulator;
	region->work = work;
	region->worked = NULL;
	return region;
}

/* Take over the rest of a dead process's latest piece of memory. Return false if it is invalid. */
static bool adopt_piece(struct rs_thread *thread, const struct rs_slot *slot)
{
	uint64_t next = atomic_load_explicit(&slot->piece_next, memory_order_relaxed);
	uint64_t end = atomic_load_explicit(&slot->piece_end, memory_order_relaxed);
	if (next >= end)
		return true;
	if (!rs_memory_is_data(thread->runtime, next, end - next) ||
		!rs_memory_ensure(thread->runtime, next, end - next))
		return false;
	thread->part.piece_next = next;
	thread->part.piece_end = end;
	return true;
}

/* Adopt a dead process's accumulator for calls of a region with a context switch. Return false if
 * it is invalid. */
static bool adopt_switched(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint32_t place = atomic_load_explicit(&region->accumulator->switched, memory_order_relaxed);
	if (!place)
		return true;
	struct rs_thread_region *switched = map_accumulator(
		thread, region, (uint64_t)place * RS_OFFSET_UNIT);
	if (switched)
		rs_accumulator_repair(thread, switched);
	return switched;
}

/* Map and adopt the accumulators of a dead process's slot. Return false if one is invalid. */
static bool adopt_accumulators(struct rs_thread *thread, struct rs_slot *slot)
{
	uint64_t offset = atomic_load_explicit(&slot->first_accumulator, memory_order_relaxed);
	for (uint32_t n = 0; offset && n < RS_MAX_REGIONS; n++) {
		struct rs_thread_region *region = map_accumulator(thread, NULL, offset);
		if (!region || !adopt_switched(thread, region))
			return false;
		struct rs_accumulator *accumulator = region->accumulator;
		rs_accumulator_repair(thread, region);
		/* Count the calls that the dead thread had begun and not ended. If this process is
		 * killed between the two stores, none is counted twice. */
		atomic_fetch_add_explicit(&accumulator->diag[RS_ACCUMULATOR_DIAG_EXIT],
			atomic_exchange_explicit(&accumulator->open, 0, memory_order_relaxed),
			memory_order_relaxed);
		thread->part.last_accumulator = accumulator;
		offset = atomic_load_explicit(&accumulator->next, memory_order_relaxed);
	}
	return !offset && adopt_piece(thread, slot);
}

bool rs_slot_remember(struct rs_thread *thread, struct rs_slot *slot)
{
	if (adopt_accumulators(thread, slot))
		return true;
	/* Calls that were open in the parent at a fork() are still open and need an accumulator. */
	for (uint32_t r = 0; r < RS_MAX_REGIONS; r++) {
		struct rs_thread_region *region = &thread->regions[r];
		if (region->switched)
			region->switched->accumulator = NULL;
		if (!region->accumulator)
			continue;
		region->accumulator = thread->runtime->no_accumulator;
		region->work = 0;
		region->worked = NULL;
	}
	thread->part.last_accumulator = NULL;
	return false;
}

/* Adopt the slot of a dead process, or return NULL. The caller holds the lock. */
static struct rs_slot *adopt_slot(struct rs_thread *thread)
{
	struct rs_runtime *runtime = thread->runtime;
	struct rs_segment_header *header = runtime->header;
	/* Acquire pairs with the release store of the launcher's sweep. */
	uint32_t n_swept = atomic_load_explicit(&header->n_swept, memory_order_acquire);
	uint32_t n = atomic_load_explicit(&header->n_slots, memory_order_relaxed);
	if (!n_swept)
		return NULL;
	for (uint32_t i = 0; i < n && i < RS_MAX_SLOTS; i++) {
		struct rs_slot *slot = slot_at(runtime, i);
		uint32_t swept = RS_SLOT_SWEPT;
		if (!slot)
			return NULL;
		if (!atomic_compare_exchange_strong_explicit(&slot->state, &swept, RS_SLOT_ADOPTING,
			    memory_order_acquire, memory_order_relaxed))
			continue;
		if (rs_slot_remember(thread, slot)) {
			atomic_fetch_add_explicit(
				&header->diag[RS_SEGMENT_DIAG_REUSED], 1, memory_order_relaxed);
			return slot;
		}
		/* The report reads the unusable slot in state ADOPTING; no thread adopts it. */
	}
	/* Let the next thread skip the search, unless more slots were swept meanwhile. */
	atomic_compare_exchange_strong_explicit(
		&header->n_swept, &n_swept, 0, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

struct rs_slot *rs_slot_find(struct rs_thread *thread)
{
	thread->part.piece_next = thread->part.piece_end = 0;
	_Atomic uint32_t *n_slots = &thread->runtime->header->n_slots;
	uint32_t i = atomic_load_explicit(n_slots, memory_order_relaxed);
	struct rs_slot *slot = adopt_slot(thread);
	/* Take a slot only when it has memory. */
	while (!slot && i < RS_MAX_SLOTS && (slot = slot_at(thread->runtime, i)))
		if (!atomic_compare_exchange_weak_explicit(
			    n_slots, &i, i + 1, memory_order_relaxed, memory_order_relaxed))
			slot = NULL;
	return slot;
}

void rs_slot_take(struct rs_thread *thread, struct rs_slot *slot, bool again)
{
	thread->part.slot = slot;
	thread->part.pid = thread->runtime->process->pid;
	thread->part.tid = (uint32_t)rs_sys_gettid();
	atomic_store_explicit(&slot->process, thread->runtime->process_index, memory_order_relaxed);
	atomic_store_explicit(&slot->tid, thread->part.tid, memory_order_relaxed);
	if (!again)
		atomic_fetch_add_explicit(&slot->n_threads, 1, memory_order_relaxed);
	rs_slot_name(slot, thread);
	atomic_store_explicit(&slot->seen_ticks, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->exit_cpu_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->attached_ticks,
		rs_counting_at(thread->runtime, rs_ticks(thread->clock)), memory_order_relaxed);
	/* Release pairs with the acquire load of the launcher's sweep. */
	atomic_store_explicit(&slot->state, RS_SLOT_OWNED, memory_order_release);
}
