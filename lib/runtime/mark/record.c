/* SPDX-License-Identifier: MIT */
/*
 * Finished calls that are not plain, into their cells: new extremes and histogram blocks, groups
 * that were not on the PMU all the time, recursion, and calls that had a context switch, which have
 * a cell of their own beside it. See record.h.
 */
#include "runtime/mark/record.h"

#include <string.h>

#include "runtime/mark/off_cpu.h"
#include "runtime/mark/work.h"

/* A call that is not plain. */
struct call {
	struct rs_thread *thread;
	struct rs_entry *entry;
	struct rs_thread_region *region; /* the entry's, or its twin */
	const struct rs_shape *shape; /* of its cell */
	const uint64_t *deltas;
	uint64_t weight; /* calls that it stands for */
	uint32_t lacking; /* a bit for each group without a difference to be had */
	uint32_t counted; /* a bit for each group that was on the PMU all the time */
	uint32_t asked; /* a bit for each group whose times the kernel told */
	struct rs_group_time *groups; /* used of time, as the kernel told */
	struct rs_rare *rare; /* the row to be written */
	struct rs_rare_group *rare_groups; /* of it */
	struct rs_rare_moments *extremes; /* of it */
};

/*
 * All bits for a quantity whose group counted all of the call, else none. Where groups by read()
 * take turns, nothing but what is learnt of plain calls tells what this costs, so it takes as many
 * instructions whichever groups waited.
 */
static uint64_t counted_bits(const struct call *call, uint32_t m)
{
	uint64_t is_counted = 1;
	if (m && m <= call->thread->n_events)
		is_counted = call->counted >> call->shape->event_group[m - 1] & 1;
	__asm__("" : "+r"(is_counted));
	return -is_counted;
}

static bool is_lacking(const struct call *call, uint32_t m)
{
	return m && m <= call->thread->n_events &&
	       call->lacking >> call->shape->event_group[m - 1] & 1;
}

/* Differences of snapshots without own cost. What was learnt of that is an estimate: where it was
 * more than all there is, nothing is left. No branches: see counted_bits(). */
uint64_t rs_record_deltas(struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas)
{
	const struct rs_cost *cost = thread->cost;
	bool is_async = entry->apart & RS_APART_ASYNC;
	const uint64_t *inside = is_async ? cost->async : cost->inside[thread->now_edge];
	uint64_t n_above = is_async ? 0 : rs_entry_count_above(thread, entry), below = 0;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = thread->now[m] - entry->values[m] - inside[m] -
				 n_above * cost->begin[m];
		uint64_t is_below = delta >> 63;
		__asm__("" : "+r"(is_below));
		deltas[m] = delta & (is_below - 1);
		below |= is_below << m;
	}
	return below;
}

uint64_t rs_record_brings_new(const struct rs_thread *thread, struct rs_entry *entry)
{
	const struct rs_thread_region *region = entry->region;
	const uint64_t *inside = thread->cost->inside[thread->now_edge];
	const struct rs_group_time *begin = rs_entry_times(thread, entry);
	bool goes_apart = entry->apart & RS_APART_WORK && thread->runtime->by_work;
	if (!rs_entry_is_measured(entry) || goes_apart)
		return 0; /* of another cell nothing is known here */
	const struct rs_range *range = rs_record_ranges(region->cell);
	uint64_t is_new = 0, waited = 0; /* in all, and of the quantity's group */
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t delta = thread->now[m] - entry->values[m] - inside[m];
		uint64_t is_below = delta >> 63;
		if (m) {
			uint32_t g = thread->shape->event_group[m - 1];
			const struct rs_group_time *end = &thread->now_times[g];
			waited = (end->enabled_ns - begin[g].enabled_ns) ^
				 (end->running_ns - begin[g].running_ns);
		}
		__asm__("" : "+r"(is_below), "+r"(waited)); /* no branch: see counted_bits() */
		delta &= is_below - 1;
		uint64_t is_missing = !region->blocks[m * RS_BLOCKS + rs_block_of(delta)];
		uint64_t is_slowest = !m & (delta > range->low + range->width - 1);
		is_new |= (is_missing & !waited) | is_slowest;
	}
	__asm__("" : "+r"(is_new));
	return is_new;
}

/* A call whose values are those that were below their own cost, as far as they were counted. */
static void tell_clamped(const struct call *call, uint64_t below)
{
	uint64_t clamped = 0;
	for (uint32_t m = 0; m <= call->thread->n_events; m++)
		clamped |= below & counted_bits(call, m) & UINT64_C(1) << m;
	rs_record_clamped(call->entry->region->cell, !!clamped, clamped);
}

/* One quantity, whose copy after is that before so far. Returns what the histogram is to count, or
 * UINT64_MAX. */
static uint64_t take(struct call *call, uint32_t m, struct rs_moments *after)
{
	struct rs_thread *thread = call->thread;
	struct rs_entry *entry = call->entry;
	struct rs_rare_moments *extremes = &call->extremes[m];
	uint64_t bits = counted_bits(call, m), delta = call->deltas[m] & bits;
	if (is_lacking(call, m))
		return UINT64_MAX;
	bool is_cpu_time = m >
			   thread->n_events; /* what is nested follows from struct rs_off_sums */
	uint64_t children = is_cpu_time ? 0 : rs_entry_children(thread, entry)[m];
	if (entry->apart & RS_APART_INNER && !is_cpu_time)
		extremes->inner += rs_entry_vector(entry, RS_VECTOR_INNER, thread->n_events)[m];
	extremes->uncounted += (call->deltas[m] & ~bits) * call->weight;
	rs_record_add(after, after, delta, children, call->weight);
	if ((~delta & bits) > extremes->min_inverted)
		extremes->min_inverted = ~delta;
	if (delta > extremes->max)
		extremes->max = delta;
	uint32_t block = rs_block_of(delta);
	if (bits & -(uint64_t)!call->region->blocks[m * RS_BLOCKS + block])
		rs_cell_add_block(thread, call->region, call->shape, m, block);
	return delta | ~bits;
}

static void take_groups(struct call *call, uint64_t ticks)
{
	for (uint32_t g = 0; g < call->thread->n_groups; g++) {
		struct rs_rare_group *group = &call->rare_groups[g];
		uint64_t is_uncounted = ~call->counted >> g & 1;
		group->uncounted += is_uncounted;
		group->uncounted_weights += call->weight & -is_uncounted;
		if (!(call->asked >> g & 1))
			continue;
		if (!(call->lacking & RS_GROUP_LACKS(g)))
			group->told_ticks += ticks * call->weight;
		else if (rs_group_is_missed(call->thread, call->entry, g))
			group->missed_ticks += ticks * call->weight;
		group->enabled_ns += call->groups[g].enabled_ns * call->weight;
		group->running_ns += call->groups[g].running_ns * call->weight;
		group->unstable_ticks += ticks * call->weight;
	}
}

/* The row to be written: a copy of the current one. */
static void copy_row(struct call *call, uint64_t row)
{
	const struct rs_shape *shape = call->shape;
	struct rs_cell *cell = call->region->cell;
	call->rare = rs_cell_rare(cell, shape, !row);
	call->rare_groups = (void *)(call->rare + 1);
	call->extremes = rs_rare_extremes(call->rare, shape);
	memcpy(call->rare, rs_cell_rare(cell, shape, row), shape->rare_bytes);
}

static void write_slowest(struct call *call, const uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	/* the snapshot is without what markers had cost by then; so much more by now hardly
	 * matters */
	call->rare->start_ticks = call->entry->values[0] - thread->adjust[0];
	call->rare->tid = thread->tid;
	call->rare->pid = thread->pid;
	for (uint32_t m = 0; m <= call->shape->n_events; m++)
		call->extremes[m].slowest = deltas[m];
}

/* Where the histogram of a quantity counts a value, or *none where it cannot. */
static uint64_t *count_of(const struct call *call, uint32_t m, uint64_t value, uint64_t *none)
{
	uint32_t block = rs_block_of(value);
	uintptr_t counts = (uintptr_t)call->region->blocks[m * RS_BLOCKS + block];
	uintptr_t count = counts + rs_block_place(block, value) * sizeof(uint64_t);
	uintptr_t has_none = !counts;
	__asm__("" : "+r"(has_none)); /* no branch: see counted_bits() */
	return (uint64_t *)(count ^ ((count ^ (uintptr_t)none) & -has_none));
}

/* Where the sums are of the events of calls of such a time: none where they cannot be. */
static uint64_t *sums_of(const struct call *call, uint64_t time, uint64_t *none)
{
	uint64_t *counts = call->region->blocks[rs_block_of(time)];
	return counts ? counts + RS_BLOCK_SUMS : none;
}

static void count(struct call *call, const uint64_t *deltas)
{
	uint64_t *none = call->thread->room.none;
	uint64_t *sums = sums_of(call, deltas[0], none);
	for (uint32_t m = 0; m <= call->shape->n_events; m++) {
		uint64_t bits = counted_bits(call, m);
		*count_of(call, m, deltas[m] & bits, none) += call->weight & bits;
		if (m)
			sums[m - 1] += call->weight * (deltas[m] & bits);
	}
}

/* What is slow is told of, and the next one is not plain either. */
static void tell_slow(const struct call *call, const uint64_t *values)
{
	struct rs_thread *thread = call->thread;
	uint32_t region = rs_region_of(thread, call->entry->region);
	rs_slow_calls_limit(thread->runtime, region, rs_record_ranges(call->region->cell));
	rs_slow_calls_note(thread, call->entry, region, values);
}

static void record(struct call *call)
{
	struct rs_thread *thread = call->thread;
	struct rs_cell *cell = call->region->cell;
	uint32_t n_events = call->shape->n_events;
	struct rs_record_copies copies = rs_record_copies(cell, n_events);
	uint64_t *values = thread->room.counts;
	uint64_t calls = rs_cell_calls(copies.calls_and_row);
	uint32_t row = rs_cell_row(copies.calls_and_row);
	memcpy(copies.after, copies.before, rs_moments_bytes(n_events));
	copy_row(call, row);
	uint64_t slowest = call->extremes[0].max;
	for (uint32_t m = 0; m <= n_events; m++)
		values[m] = take(call, m, &copies.after[m]);
	take_groups(call, values[0]);
	if (call->entry->apart & RS_APART_SWITCHED)
		rs_off_cpu_add(thread, call->entry, &call->rare->off, call->weight);
	if (!calls || values[0] > slowest)
		write_slowest(call, values);
	rs_record_weight(cell, copies.calls_and_row, call->weight);
	rs_work_record(thread, call->region, call->entry);
	atomic_signal_fence(memory_order_seq_cst); /* the moments first */
	count(call, values);
	/* pairs with the acquire load in whoever reads the cell */
	atomic_store_explicit(&cell->calls_and_row, (calls + 1) << 1 | !row, memory_order_release);
	for (uint32_t m = 0; m <= n_events; m++)
		rs_cell_set_range(&rs_record_ranges(cell)[m], &call->extremes[m]);
	if (thread->runtime->slow_rules)
		tell_slow(call, values);
}

/* A call that had a context switch goes where those are, with its on-CPU time; unless there is no
 * memory. deltas[2 + n_events] */
static void switch_region(struct call *call, uint64_t *deltas)
{
	struct rs_thread *thread = call->thread;
	struct rs_entry_off *off = rs_entry_off(thread, call->entry);
	struct rs_thread_region *twin = rs_cell_twin(thread, call->region);
	if (twin == call->region)
		return;
	rs_off_cpu_end(thread, call->entry, deltas[0]);
	call->region = twin;
	call->shape = &thread->runtime->switched_shape;
	deltas[1 + thread->n_events] = deltas[0] - rs_off_sum(off->total);
}

void rs_record_other(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas, uint64_t below)
{
	struct call call = {.thread = thread,
		.entry = entry,
		.region = rs_work_region(thread, entry),
		.shape = thread->shape,
		.deltas = deltas,
		.groups = thread->room.groups,
		.weight = thread->runtime->samples ? entry->weight : 1};
	if (entry->apart & RS_APART_SWITCHED)
		switch_region(&call, deltas);
	if (thread->now_off)
		rs_counters_mend(thread);
	memset(call.groups, 0, sizeof(thread->room.groups));
	call.lacking = entry->off | thread->now_off;
	rs_group_times(thread, entry, deltas[0], call.groups, &call.counted, &call.asked);
	tell_clamped(&call, below);
	record(&call);
}
