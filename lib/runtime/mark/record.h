/* SPDX-License-Identifier: MIT */
/*
 * One finished call into its cell, the plain case: every group was on the PMU all the time, the
 * calls nest, nothing is larger or smaller than before, and the histograms have room. An entry and
 * the end's snapshot come in; the cell's moments and histograms go out. The rest is in record.c.
 *
 * The moments are written to the copy that is not current, each is counted in its histogram, and
 * then one word makes the copy current: so a process killed anywhere in between leaves the call
 * wholly in or wholly out (lib/segment/cell.h says how a reader takes it out of the histograms
 * again).
 *
 * n_events is that of the thread; a constant where that makes the loops straight.
 * With samples a call enters as often as its weight says.
 */
#ifndef RS_RUNTIME_RECORD_H
#define RS_RUNTIME_RECORD_H

#include "runtime/count/snapshot.h"
#include "runtime/mark/entry.h"

/* The two copies of a cell's moments, and the word that says which is which. */
struct rs_record_copies {
	const struct rs_moments *before; /* current */
	struct rs_moments *after; /* to be written */
	uint64_t calls_and_row;
};

RS_INLINE struct rs_record_copies rs_record_copies(struct rs_cell *cell, uint32_t n_events)
{
	struct rs_record_copies copies;
	uint64_t bytes = rs_moments_bytes(n_events);
	char *first = (char *)cell + rs_cell_moments_offset(n_events, 0);
	copies.calls_and_row = atomic_load_explicit(&cell->calls_and_row, memory_order_relaxed);
	uint64_t offset = (copies.calls_and_row >> 1) * bytes & bytes;
	char *before = first + offset, *after = first + (offset ^ bytes);
	if (2 * bytes <= RS_OFFSET_UNIT) /* to which they are aligned */
		after = (void *)((uintptr_t)before ^ bytes);
	else
		__asm__("" : "+r"(before), "+r"(after)); /* one path, and two addresses */
	copies.before = (const void *)before;
	copies.after = (void *)after;
	return copies;
}

RS_INLINE struct rs_range *rs_record_ranges(struct rs_cell *cell)
{
	return (void *)((char *)cell + rs_cell_ranges_offset());
}

/* Count n calls of which a value was below the markers' own cost. moments: a bit for each of
 * them. */
RS_INLINE void rs_record_clamped(struct rs_cell *cell, uint64_t n, uint64_t moments)
{
	uint64_t *clamped = (uint64_t *)(void *)&cell->diag[RS_CELL_DIAG_CLAMPED];
	uint64_t *which = (uint64_t *)(void *)&cell->clamped_quantities;
	*(volatile uint64_t *)clamped = *clamped + n;
	*(volatile uint64_t *)which = *which | moments;
}

/* One more value of a quantity, from one copy to the other, weight times; and what children used,
 * which has their own weights: so all self times together are all time, whoever is measured. Where
 * the processor can take two words at a time each is loaded next to its neighbour, and stored so;
 * else each on its own, which takes fewer registers. */
RS_INLINE void rs_record_add(const struct rs_moments *before, struct rs_moments *after,
	uint64_t delta, uint64_t children, uint64_t weight)
{
	uint64_t sum = before->sum + delta * weight;
#ifdef RS_ADDS_FROM_MEMORY
	after->sum = sum;
	after->children = before->children + children;
#else
	uint64_t of_children = before->children + children;
#endif
	unsigned __int128 square = rs_load_128(&before->square_low, &before->square_high);
	square = rs_add_128((unsigned __int128)delta * delta * weight, square, &before->square_low,
		&before->square_high);
#ifndef RS_ADDS_FROM_MEMORY
	after->sum = sum;
	after->children = of_children;
#endif
	after->square_low = (uint64_t)square;
	after->square_high = (uint64_t)(square >> 64);
}

/* The sum of weights, from one copy to the other. */
RS_INLINE void rs_record_weight(struct rs_cell *cell, uint64_t calls_and_row, uint64_t weight)
{
	uint32_t copy = rs_cell_copy(calls_and_row);
	cell->weights[!copy] = cell->weights[copy] + weight;
}

/* A value that is plain, and where its histogram counts it. */
struct rs_record_value {
	uint64_t delta;
	uint32_t block;
	bool is_plain;
};

RS_INLINE struct rs_record_value rs_record_value(
	const struct rs_range *range, uint64_t *const *blocks, uint64_t delta)
{
	uint32_t block = rs_block_of(delta);
	bool is_held = blocks[block] != NULL, is_within = delta - range->low < range->width;
	return (struct rs_record_value){delta, block, is_held & is_within};
}

/*
 * Time alone: there is nothing to be exact in, so branches are as good as anything. Two readings of
 * a clock are never as exact as those of counters: where own cost was more, it took no time.
 */
RS_INLINE bool rs_record_time(struct rs_entry *entry, struct rs_cell *cell, uint64_t *const *blocks,
	uint64_t delta, uint64_t *deltas, uint64_t weight, bool samples)
{
	if (RS_UNLIKELY(delta >> 63)) {
		delta = 0;
		rs_record_clamped(cell, 1, 1);
	}
	struct rs_record_value value = rs_record_value(rs_record_ranges(cell), blocks, delta);
	deltas[0] = delta;
	if (RS_UNLIKELY(!value.is_plain))
		return false;
	uint64_t *children = rs_entry_vector(entry, RS_VECTOR_CHILDREN, 0);
	const struct rs_record_copies copies = rs_record_copies(cell, 0);
	rs_record_add(copies.before, copies.after, delta, *children, weight);
	if (samples)
		rs_record_weight(cell, copies.calls_and_row, weight);
	*children = 0;
	atomic_signal_fence(memory_order_seq_cst); /* the moments first */
	blocks[value.block][rs_block_place(value.block, delta)] += weight;
	/* pairs with the acquire load in whoever reads the cell */
	rs_add_release(&cell->calls_and_row, copies.calls_and_row, 2);
	return true;
}

/* Whether an event is a clock of the CPU, which is as much an estimate as time is. */
RS_INLINE bool rs_record_is_clock(const struct rs_thread *thread, uint32_t m)
{
	return thread->clock_events >> m & 1;
}

/*
 * Time and events. The regions around this one pay for none of it, because the plain path always
 * costs the same and is known (cost_measure.c), and whatever is not plain is measured while it
 * happens (cost.c). So one branch decides, after all has been looked at, and no other depends on
 * what was measured.
 */
RS_INLINE bool rs_record_events(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_cell *cell, uint64_t *const *blocks, const uint64_t *now, const uint64_t *inside,
	uint64_t differs, uint64_t *deltas, uint64_t weight, uint32_t n_events, bool samples)
{
	const struct rs_range *ranges = rs_record_ranges(cell);
	uint64_t *children = rs_entry_vector(entry, RS_VECTOR_CHILDREN, n_events), below = 0;
	bool is_plain = !differs;
	uint32_t fixed[1 + RS_FIXED_EVENTS]; /* blocks */
	uint32_t *which = __builtin_constant_p(n_events) ? fixed : thread->room.blocks;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t delta = now[m] - entry->values[m] - inside[m];
		/* an estimate, and no branch: every value costs the same */
		if (!m || (!__builtin_constant_p(n_events) && rs_record_is_clock(thread, m))) {
			uint64_t is_below = delta >> 63;
			__asm__("" : "+r"(is_below));
			delta &= is_below - 1;
			below |= is_below << m;
		}
		struct rs_record_value value = rs_record_value(
			&ranges[m], blocks + m * RS_BLOCKS, delta);
		deltas[m] = delta;
		which[m] = value.block;
		is_plain = is_plain & value.is_plain;
	}
	if (RS_UNLIKELY(!is_plain))
		return false;
	const struct rs_record_copies copies = rs_record_copies(cell, n_events);
	rs_record_clamped(cell, !!below, below);
	if (samples)
		rs_record_weight(cell, copies.calls_and_row, weight);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		rs_record_add(&copies.before[m], &copies.after[m], deltas[m], children[m], weight);
		children[m] = 0;
		atomic_signal_fence(memory_order_seq_cst); /* the moments first */
		blocks[m * RS_BLOCKS + which[m]][rs_block_place(which[m], deltas[m])] += weight;
		if (m)
			blocks[which[0]][RS_BLOCK_SUMS + m - 1] += deltas[m] * weight;
	}
	/* pairs with the acquire load in whoever reads the cell */
	rs_add_release(&cell->calls_and_row, copies.calls_and_row, 2);
	return true;
}

/* What keeps the call of an entry from being plain: 0 when nothing does, as far as this goes.
 * apart: the entry's, as far as it does. off: of the snapshot of its end. */
RS_INLINE uint64_t rs_record_differs(const struct rs_thread *thread, struct rs_entry *entry,
	uint32_t apart, uint32_t off, uint32_t n_groups)
{
	uint64_t differs = apart | (uintptr_t)entry->outer | (entry->control ^ rs_control(thread));
	if (n_groups)
		differs |= off | (entry->sequence ^ thread->sequence);
	if (!__builtin_constant_p(n_groups))
		differs |= thread->reads_hardware; /* by which the kernel may take turns */
	return differs;
}

/* Record the call of an entry of region into its cell if it is plain; false: rs_record_other() has
 * to. now: the snapshot of its end. inside: own cost between the snapshots. differs: 0 if nothing
 * else is in the way. deltas[1 + n_events]: filled. */
RS_INLINE bool rs_record(struct rs_thread *thread, struct rs_thread_region *region,
	struct rs_entry *entry, struct rs_cell *cell, const uint64_t *now, const uint64_t *inside,
	uint64_t differs, uint64_t *deltas, uint32_t n_events, bool samples)
{
	uint64_t weight = samples ? entry->weight : 1;
	if (!__builtin_constant_p(n_events) || n_events)
		return rs_record_events(thread, entry, cell, region->blocks, now, inside, differs,
			deltas, weight, n_events, samples);
	return RS_LIKELY(!differs) &&
	       rs_record_time(entry, cell, region->blocks, now[0] - entry->values[0] - inside[0],
		       deltas, weight, samples);
}

/* ---- record.c ---- */

/* What the call of an entry used, that ends with the snapshot in thread->now: deltas[1 + n_events].
 * Returns a bit for each that own cost would have made negative, and is 0. */
uint64_t rs_record_deltas(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas) RS_COLD;

/* Whether recording the call of an entry that ends by the edge thread->now_edge, with the snapshot
 * in thread->now, will make histogram blocks or a new slowest call: not 0 then. In as many
 * instructions whatever it used. */
uint64_t rs_record_brings_new(const struct rs_thread *thread, struct rs_entry *entry) RS_COLD;

/* Record the call of an entry by that, when it is not plain. The entry stays as it is, but for its
 * off-CPU time. deltas[2 + n_events]: the last is filled. */
void rs_record_other(
	struct rs_thread *thread, struct rs_entry *entry, uint64_t *deltas, uint64_t below) RS_COLD;

#endif
