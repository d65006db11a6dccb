/*
 * One finished call into its cell, the plain case: every group was on the PMU all the time, the
 * calls nest, nothing is larger or smaller than before, and the histograms have room. A frame and
 * the end's snapshot come in; the cell's scalars and histograms go out. The rest is in record.c.
 *
 * The scalars are written to the copy that is not current, then the flip makes them current, then
 * the histograms follow: so a process killed anywhere in between leaves the call wholly in or
 * wholly out (lib/segment/cell.h says how a reader completes an interrupted histogram).
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

/* The two copies of a cell's scalars. */
struct rs_record_copies {
	const struct rs_scalars *before; /* current */
	struct rs_scalars *after; /* to be written */
	uint32_t flip;
};

RS_INLINE struct rs_record_copies rs_record_copies(struct rs_cell *cell, uint32_t n_events)
{
	struct rs_record_copies copies;
	uint64_t bytes = rs_scalars_bytes(n_events);
	char *first = (char *)cell + rs_cell_scalars_offset(n_events, 0);
	copies.flip = rs_load_32(&cell->flip);
	uint64_t offset = copies.flip * bytes & bytes;
	__asm__("" : "+r"(offset)); /* one path, not one for each copy */
	copies.before = (const void *)(first + offset);
	copies.after = (void *)(first + (offset ^ bytes));
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

/* The counts of the block that a table's entry stands for, so that value >> block is the index. */
RS_INLINE uint64_t *rs_record_counts(const struct rs_thread *thread, uint32_t entry)
{
	return (uint64_t *)(void *)(thread->base + (uint64_t)entry * RS_OFFSET_UNIT);
}

/* One more value of a quantity, from one copy to the other. */
RS_INLINE void rs_record_add(const struct rs_moments *before, struct rs_moments *after,
	uint64_t delta, uint64_t children)
{
	unsigned __int128 square = ((unsigned __int128)before->square_high << 64) |
				   before->square_low;
	square += (unsigned __int128)delta * delta;
	after->sum = before->sum + delta;
	after->children = before->children + children;
	after->square_low = (uint64_t)square;
	after->square_high = (uint64_t)(square >> 64);
}

/* Record the call of frame, which is the topmost, into cell if it is plain; false:
 * rs_record_other() has to. now: the snapshot of its end. inside: own cost between the snapshots.
 * differs: 0 if nothing else is in the way. deltas[1 + n_events]: filled. */
RS_INLINE bool rs_record(struct rs_thread *thread, struct rs_frame *frame, struct rs_cell *cell,
	const uint64_t *now, const uint64_t *inside, uint64_t differs, uint64_t *deltas,
	uint32_t n_events, uint32_t n_groups)
{
	const struct rs_range *ranges = rs_record_ranges(cell);
	const uint32_t *blocks = rs_record_blocks(cell, n_events, n_groups);
	uint64_t *children = frame->values + 1 + n_events;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		deltas[m] = now[m] - frame->values[m] - inside[m];
		bool lacks = !blocks[m * RS_BLOCKS + rs_block_of(deltas[m])];
		bool exceeds = deltas[m] - ranges[m].low >= ranges[m].width;
		if (__builtin_constant_p(n_events) && !n_events) { /* nothing to be exact in */
			if (RS_UNLIKELY(exceeds) || RS_UNLIKELY(lacks))
				return false;
		} else {
			differs |= (uint64_t)lacks | (uint64_t)exceeds;
		}
	}
	if (RS_UNLIKELY(differs))
		return false;
	const struct rs_record_copies copies = rs_record_copies(cell, n_events);
	const struct rs_moments *before = (const void *)(copies.before + 1);
	struct rs_moments *after = (void *)(copies.after + 1);
	copies.after->calls_and_row = copies.before->calls_and_row + 2;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		rs_record_add(&before[m], &after[m], deltas[m], children[m]);
		children[m] = 0;
	}
	/* pairs with the acquire load of flip in whoever reads the cell */
	atomic_store_explicit(&cell->flip, copies.flip + 1, memory_order_release);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint32_t block = rs_block_of(deltas[m]);
		rs_record_counts(thread, blocks[m * RS_BLOCKS + block])[deltas[m] >> block]++;
	}
	return true;
}

#endif
