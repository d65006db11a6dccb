/*
 * One finished call into its cell, the plain case: every group was on the PMU all the time, the
 * calls nest, nothing is larger or smaller than before, and the histograms have room. A frame and
 * the end's snapshot come in; the cell's moments and histograms go out. The rest is in record.c.
 *
 * The moments are written to the copy that is not current, each is counted in its histogram, and
 * then one word makes the copy current: so a process killed anywhere in between leaves the call
 * wholly in or wholly out (lib/segment/cell.h says how a reader takes it out of the histograms
 * again).
 *
 * The regions around this one pay for none of this, because the plain path always costs the same
 * and is known (cost_measure.c), and whatever is not plain is measured while it happens (cost.c).
 * So one branch decides, after all has been looked at, and no other depends on what was measured.
 *
 * n_events and n_groups are those of the thread; constants where that makes the loops straight.
 */
#ifndef RS_RUNTIME_RECORD_H
#define RS_RUNTIME_RECORD_H

#include "runtime/runtime.h"

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

RS_INLINE const uint32_t *rs_record_blocks(
	const struct rs_cell *cell, uint32_t n_events, uint32_t n_groups)
{
	return (const void *)((const char *)cell + rs_cell_blocks_offset(n_events, n_groups));
}

/* The counts of the block that a table's entry stands for, so that a place is the index. */
RS_INLINE uint64_t *rs_record_counts(char *base, uint64_t entry)
{
	char *counts = base + entry * RS_OFFSET_UNIT;
	__asm__("" : "+r"(counts)); /* the index is scaled by the access then */
	return (uint64_t *)(void *)counts;
}

/* A difference of times without own cost, which is an estimate: 0 where that was more, for two
 * readings of a clock are never as exact as those of counters. *below: 1 then. Without a branch:
 * every value costs the same. */
RS_INLINE uint64_t rs_record_clamp(uint64_t ticks, uint64_t *below)
{
	uint64_t is_below = ticks >> 63;
	__asm__("" : "+r"(is_below)); /* no branch, and no other way to say it */
	*below = is_below;
	return ticks & (is_below - 1);
}

/* Count what was clamped. */
RS_INLINE void rs_record_clamped(struct rs_cell *cell, uint64_t n)
{
	uint64_t *clamped = (uint64_t *)(void *)&cell->diag[RS_CELL_DIAG_CLAMPED];
	*(volatile uint64_t *)clamped = *clamped + n;
}

/* One more value of a quantity, from one copy to the other: each word loaded next to its neighbour,
 * and stored so, for processors that can take two at a time. */
RS_INLINE void rs_record_add(const struct rs_moments *before, struct rs_moments *after,
	uint64_t delta, uint64_t children)
{
	uint64_t sum = before->sum + delta, of_children = before->children + children;
	unsigned __int128 square = rs_load_128(&before->square_low, &before->square_high);
	after->sum = sum;
	after->children = of_children;
	square = rs_add_128((unsigned __int128)delta * delta, square, &before->square_low,
		&before->square_high);
	after->square_low = (uint64_t)square;
	after->square_high = (uint64_t)(square >> 64);
}

/* Record the call of frame, which is the topmost, into cell if it is plain; false:
 * rs_record_other() has to. now: the snapshot of its end. inside: own cost between the snapshots.
 * differs: 0 if nothing else is in the way. deltas[1 + n_events]: filled. */
RS_INLINE bool rs_record(struct rs_thread *thread, struct rs_frame *frame, struct rs_cell *cell,
	uint64_t *now, const uint64_t *inside, uint64_t differs, uint64_t *deltas,
	uint32_t n_events, uint32_t n_groups)
{
	const struct rs_range *ranges = rs_record_ranges(cell);
	const uint32_t *blocks = rs_record_blocks(cell, n_events, n_groups);
	uint64_t *children = frame->values + 1 + n_events;
	bool is_plain = !differs;
	/* with nothing but time there is nothing to be exact in: branches, then */
	const bool is_exact = !__builtin_constant_p(n_events) || n_events;
	uint64_t below = 0;
	uint32_t which[1 + RS_MAX_EVENTS]; /* block */
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t low = ranges[m].low, width = ranges[m].width;
		deltas[m] = now[m] - frame->values[m] - inside[m];
		if (!is_exact && RS_UNLIKELY(deltas[0] >> 63)) {
			now[0] = frame->values[0] + inside[0];
			deltas[0] = 0;
			rs_record_clamped(cell, 1);
		} else if (is_exact && !m) {
			deltas[0] = rs_record_clamp(deltas[0], &below);
		}
		which[m] = rs_block_of(deltas[m]);
		bool is_held = blocks[m * RS_BLOCKS + which[m]] != 0;
		bool is_within = deltas[m] - low < width;
		if (!is_exact && (RS_UNLIKELY(!is_within) || RS_UNLIKELY(!is_held)))
			return false;
		is_plain = is_plain & is_held & is_within;
	}
	if (is_exact && RS_UNLIKELY(!is_plain))
		return false;
	const struct rs_record_copies copies = rs_record_copies(cell, n_events);
	char *base = NULL;
	if (is_exact)
		rs_record_clamped(cell, below);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		rs_record_add(&copies.before[m], &copies.after[m], deltas[m], children[m]);
		children[m] = 0;
		atomic_signal_fence(memory_order_seq_cst); /* the moments first */
		base = m ? base : thread->base;
		uint64_t *counts = rs_record_counts(base, blocks[m * RS_BLOCKS + which[m]]);
		counts[rs_block_place(which[m], deltas[m])]++;
	}
	/* pairs with the acquire load in whoever reads the cell */
	rs_add_release(&cell->calls_and_row, copies.calls_and_row, 2);
	return true;
}

#endif
