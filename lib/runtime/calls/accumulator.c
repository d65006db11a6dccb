/* SPDX-License-Identifier: MIT */
/*
 * Making accumulators, and storing the parents of a region in them. An accumulator is made when a
 * thread uses a region for the first time, and stays in the thread slot for later threads. It is
 * complete before it is in the slot's list. So even after a kill, readers find only complete ones.
 */
#include <string.h>

#include "runtime/calls/probe.h"
#include "runtime/calls/record.h"
#include "runtime/calls/work.h"
#include "runtime/calls/switches.h"
#include "runtime/calls/calls.h"

/* Store in an accumulator the overhead that this thread's markers have inside calls. */
static void set_inside(const struct rs_thread *thread, struct rs_accumulator *accumulator,
	const struct rs_shape *shape)
{
	uint64_t *inside = rs_accumulator_inside(accumulator, shape->n_events);
	memcpy(inside, thread->cost->inside, (1 + thread->n_events) * sizeof(uint64_t));
	/* On-CPU time includes the same overhead as time. */
	if (shape->n_events > thread->n_events)
		inside[shape->n_events] = inside[0];
}

/* Let the thread use an accumulator that is new or from an earlier thread of the slot. */
static struct rs_accumulator *bind(
	struct rs_thread *thread, uint32_t region, struct rs_accumulator *accumulator)
{
	thread->regions[region].is_uncalled = 1;
	set_inside(thread, accumulator, thread->shape);
	struct rs_thread_region *switched = thread->regions[region].switched;
	if (switched && switched->accumulator)
		set_inside(thread, switched->accumulator, &thread->runtime->switched_shape);
	int32_t pair = rs_probe_first_ticks(thread);
	thread->regions[region].pair_ticks = pair;
	atomic_store_explicit(&accumulator->pair_ticks,
		thread->counters.n_reads ? 0 : (uint32_t)pair,
		/* Markers with read() add their overhead to own_ticks. */
		memory_order_relaxed);
	if (!atomic_load_explicit(&accumulator->skipped, memory_order_relaxed))
		atomic_store_explicit(&accumulator->skip_ticks, (uint32_t)thread->cost->skip[0],
			memory_order_relaxed);
	if (!rs_switches_are_watched(thread))
		rs_accumulator_set_unwatched(accumulator);
	thread->regions[region].accumulator = accumulator;
	if (thread->runtime->slow_rules)
		rs_slow_calls_bind(thread->runtime, region);
	return accumulator;
}

void rs_accumulator_count_thread(struct rs_thread_region *region)
{
	if (!region->is_uncalled)
		return;
	region->is_uncalled = 0;
	atomic_store_explicit(&region->accumulator->n_threads,
		atomic_load_explicit(&region->accumulator->n_threads, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* Bytes that are allocated at once for the tables of several regions, or for one larger table. */
#define TABLES_BYTES 16384u

/* Take private memory for a table, or for a copy of a region. Return NULL if memory runs out. */
static void *take_private(struct rs_thread *thread, uint64_t bytes)
{
	struct rs_slot_part *part = &thread->part;
	if ((uint64_t)(part->tables_end - part->tables_next) < bytes) {
		uint64_t all = bytes < TABLES_BYTES ? TABLES_BYTES : bytes;
		char *tables = rs_chunk_allocate(thread->runtime, &thread->life.chunks, all, true);
		if (!tables) {
			rs_memory_refuse(thread->runtime);
			return NULL;
		}
		part->tables_next = tables;
		part->tables_end = tables + all;
	}
	void *memory = part->tables_next;
	part->tables_next += bytes;
	return memory;
}

bool rs_accumulator_make_table(struct rs_thread *thread, struct rs_thread_region *region)
{
	uint64_t bytes = rs_table_bytes(thread->shape);
	if (!region->table) {
		char *memory = take_private(thread, bytes);
		if (!memory)
			return false;
		region->table = rs_table_at(memory);
	}
	memset(rs_table_more(region->table), 0, bytes);
	struct rs_block_sums *sums = rs_table_sums(thread->shape, region->table);
	while (sums->n < RS_SUMS_STEP)
		sums->sums[sums->n++] = rs_zeros;
	return true;
}

/* ---- accumulators ---- */

/* Create an accumulator of a region in the thread's slot. The shape says whether it is for calls
 * without or with a context switch; `into` is the thread's region for such calls. Return NULL if
 * memory runs out. */
static struct rs_accumulator *make(struct rs_thread *thread, struct rs_thread_region *into,
	uint32_t region, const struct rs_shape *shape)
{
	uint32_t bytes = shape->accumulator_bytes;
	bool has_table = shape != thread->shape || rs_accumulator_make_table(thread, into);
	uint64_t offset = has_table ? rs_memory_take(thread, bytes, RS_OFFSET_UNIT) : 0;
	if (!offset)
		return NULL;
	struct rs_accumulator *accumulator = rs_at(thread->runtime, offset);
	/* The old work may belong to an accumulator that another thread has now. */
	into->work = 0;
	into->worked = NULL;
	if (!rs_accumulator_take_counts(thread, accumulator, shape))
		return NULL;
	accumulator->region = (uint16_t)region;
	accumulator->accumulator_units = rs_accumulator_units(bytes);
	return accumulator;
}

/* Append an accumulator to the slot's list, unless it is there already. A signal handler may jump
 * out after any store. The region's next BEGIN then calls this again. */
static void append(struct rs_thread *thread, struct rs_accumulator *accumulator)
{
	struct rs_accumulator *last = thread->part.last_accumulator;
	if (accumulator == last || atomic_load_explicit(&accumulator->next, memory_order_relaxed))
		return;
	_Atomic uint64_t *link = last ? &last->next : &thread->part.slot->first_accumulator;
	/* Release pairs with the acquire load of a reader that walks the list. */
	atomic_store_explicit(
		link, (uint64_t)((char *)accumulator - thread->base), memory_order_release);
	/* In the other order, a jump in between would leave the accumulator out of the list,
	 * because of the test above. In this order, the next call of this function stores the same
	 * link again. */
	atomic_signal_fence(memory_order_seq_cst);
	thread->part.last_accumulator = accumulator;
}

struct rs_accumulator *rs_accumulator_bind(struct rs_thread *thread, uint32_t region)
{
	struct rs_thread_region *state = &thread->regions[region];
	if (!*thread->is_here) /* A handler has forked: the thread slot is the parent's. */
		return NULL;
	if (state->weight) /* The region is already bound to its accumulator on this thread. */
		return state->accumulator;
	if (!state->accumulator || state->accumulator == thread->runtime->no_accumulator) {
		struct rs_accumulator *made = make(thread, state, region, thread->shape);
		if (!made)
			return NULL;
		state->accumulator = made;
		/* Store the accumulator before the list contains it. If a signal handler has a
		 * marker in between, that marker then does not make a second one. */
		atomic_signal_fence(memory_order_seq_cst);
	}
	append(thread, state->accumulator);
	return bind(thread, region, state->accumulator);
}

struct rs_thread_region *rs_accumulator_switched_at(
	struct rs_thread *thread, struct rs_thread_region *region)
{
	if (!region->switched)
		region->switched = take_private(thread, sizeof(*region));
	return region->switched;
}

struct rs_thread_region *rs_accumulator_switched(
	struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_thread_region *switched = rs_accumulator_switched_at(thread, region);
	const struct rs_shape *shape = &thread->runtime->switched_shape;
	if (switched && switched->accumulator)
		return switched;
	struct rs_accumulator *made =
		switched ? make(thread, switched, rs_region_of(thread, region), shape) : NULL;
	if (!made) {
		rs_accumulator_set_unwatched(region->accumulator);
		return region;
	}
	set_inside(thread, made, shape);
	/* Release pairs with the acquire load of the accumulator's readers. */
	atomic_store_explicit(&region->accumulator->switched,
		(uint32_t)((uint64_t)((char *)made - thread->base) / RS_OFFSET_UNIT),
		memory_order_release);
	/* Store the link first: in the other order, a kill could lose calls recorded in `made`. */
	atomic_signal_fence(memory_order_seq_cst);
	switched->accumulator = made;
	return switched;
}

void rs_accumulator_repair(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_accumulator *accumulator = region->accumulator;
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint32_t n_events = shape->n_events;
	if (!accumulator || accumulator == thread->runtime->no_accumulator)
		return;
	for (uint32_t m = 0; region->table && m <= n_events; m++)
		rs_accumulator_set_near(thread, region, m);
	uint64_t word = rs_accumulator_word(accumulator);
	struct rs_accumulator_children *children = rs_accumulator_children(accumulator, n_events);
	/* If the parities differ, the thread was stopped between the stores of sum and calls_word,
	 * and sum contains a call that was not counted. */
	for (uint32_t m = 0; m <= n_events; m++)
		if ((children[m].sum & 1) != rs_accumulator_children_parity(word))
			children[m].sum = (children[m].sum ^ 1) - children[m].latest;
	rs_record_fold_any(thread, region, true);
	rs_work_withdraw(thread, region);
}

/* ---- parents ---- */

/* Store a parent in the first free place, unless the accumulator stores it already. Return false if
 * none is free. */
static bool add_parent(struct rs_accumulator *accumulator, uint16_t parent)
{
	for (uint32_t i = 0; i < RS_PARENTS; i++) {
		uint16_t known = atomic_load_explicit(
			&accumulator->parents[i], memory_order_relaxed);
		if (known == RS_PARENT_FREE)
			atomic_store_explicit(
				&accumulator->parents[i], parent, memory_order_relaxed);
		if (known == RS_PARENT_FREE || known == parent)
			return true;
	}
	return false;
}

/* Handle a parent for which no place is free. If a region around the parent is stored, the parent
 * is not needed: all regions around that region are also around the parent. Otherwise store
 * RS_PARENT_NONE: no known region contains all calls. */
static void add_parent_beyond(const struct rs_thread *thread, struct rs_accumulator *accumulator)
{
	uint32_t n = rs_most_steps(thread);
	for (const struct rs_frame *frame = thread->innermost; frame != thread->ground && n--;
		frame = frame->below)
		if (add_parent(accumulator, rs_parent_of(thread, frame->region)))
			return;
	if (!add_parent(accumulator, RS_PARENT_NONE))
		atomic_store_explicit(&accumulator->parents[RS_PARENTS - 1], RS_PARENT_NONE,
			memory_order_relaxed);
}

/* Return the frame around a call that begins now. Skip calls that longjmp() has most likely jumped
 * over. Some of them began after an earlier call of this region in the same stack frame. An END has
 * passed the others, and their stack frame is gone. */
static const struct rs_frame *find_around(
	struct rs_thread *thread, const struct rs_thread_region *region)
{
	uintptr_t stack = rs_busy(thread);
	uint32_t n = rs_most_steps(thread);
	struct rs_frame *around = thread->innermost;
	for (const struct rs_frame *left = region->innermost; left && left->stack == stack && n--;
		left = left->outer)
		around = left->below;
	while (around != thread->ground && n-- && rs_frame_is_gone(thread, around, stack))
		around = around->below;
	return around;
}

/* Return true if the accumulator needs no other parents: all places are used, and one of them says
 * that no region contains all calls. */
static bool has_all_parents(const struct rs_accumulator *accumulator)
{
	bool has_none = false;
	for (uint32_t i = 0; i < RS_PARENTS; i++) {
		uint16_t known = atomic_load_explicit(
			&accumulator->parents[i], memory_order_relaxed);
		if (known == RS_PARENT_FREE)
			return false;
		has_none |= known == RS_PARENT_NONE;
	}
	return has_none;
}

/* Store the parent of a call that begins now. */
static void store_parent(struct rs_thread *thread, struct rs_thread_region *region)
{
	if (has_all_parents(region->accumulator))
		return;
	const struct rs_frame *outer = find_around(thread, region);
	/* If the calls of the region around this one do not count, because of a pause or a fork,
	 * its parent is around them. */
	for (uint32_t n = rs_most_steps(thread);
		region->is_uncalled && outer->region == region && n--;)
		outer = outer->below;
	if (outer->region != region &&
		!add_parent(region->accumulator, rs_parent_of(thread, outer->region)))
		add_parent_beyond(thread, region->accumulator);
}

/* lib/stats/merge.h describes how reports use parents. */
void rs_parents_note(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_thread_region *around = thread->innermost->region;
	bool is_new = region->is_uncalled;
	store_parent(thread, region);
	rs_accumulator_count_thread(region);
	if (around == region->parent)
		return;
	/* The comparison failed only because this call was due for a probe. */
	if (!region->parent && !is_new) {
		region->parent = around;
		return;
	}
	if (!region->parent)
		memset(rs_table_more(region->table)->parents, 0,
			sizeof(rs_table_more(region->table)->parents));
	uint16_t *set = rs_parents_set(region, around);
	for (int i = RS_PARENT_WAYS - 1; i > 0; i--)
		set[i] = set[i - 1];
	set[0] = rs_parents_tag(around);
	region->parent = around;
}
