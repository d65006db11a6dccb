/*
 * One finished call into its cell, as in record.h, where nothing but time is measured. A processor
 * does little while it reads its clock, and nothing after it that depends on that: so all that can
 * be is looked up before. With time there is nothing to be exact in, either: branches, then.
 */
#ifndef RS_RUNTIME_RECORD_TIME_H
#define RS_RUNTIME_RECORD_TIME_H

#include "runtime/record.h"

/* What a record does not need the end of the call for. */
struct rs_time_record {
	struct rs_frame *frame;
	struct rs_cell *cell;
	uint64_t origin; /* ticks at which the call would have ended if it took no time */
	uint64_t first; /* ticks that would make it the shortest so far ... */
	uint64_t width; /* ... and how many more would not make it the longest */
	struct rs_record_copies copies;
};

/* Of the call of the topmost frame. inside: own cost between the snapshots. */
RS_INLINE struct rs_time_record rs_time_record_prepare(struct rs_thread *thread,
	struct rs_frame *frame, struct rs_cell *cell, const uint64_t *inside)
{
	const struct rs_range *range = rs_record_ranges(cell);
	struct rs_time_record record = {
		.frame = frame, .cell = cell, .copies = rs_record_copies(cell, 0)};
	record.origin = frame->values[0] + inside[0] - thread->adjust[0];
	record.first = record.origin + range->low;
	record.width = range->width;
	record.copies.after->children = record.copies.before->children + frame->values[1];
	__asm__ volatile("" /* not later */
			 : "+r"(record.origin), "+r"(record.first), "+r"(record.width),
			 "+r"(record.copies.before)
			 :
			 : "memory");
	return record;
}

/* Record the call, which ended at ticks, if it is plain; false: rs_record_other() has to. *delta:
 * how long it took. */
RS_INLINE bool rs_time_record_finish(const struct rs_thread *thread, struct rs_time_record record,
	uint64_t ticks, uint64_t *delta)
{
	*delta = ticks - record.origin;
	if (RS_UNLIKELY(ticks - record.first >= record.width)) {
		/* less than own cost, and nothing is the least so far */
		if (!(*delta >> 63) || record.first != record.origin || !record.width)
			return false;
		*delta = 0;
		rs_record_clamped(record.cell, 1);
	}
	uint32_t block = rs_block_of(*delta);
	uint64_t entry = rs_record_blocks(record.cell, 0, 0)[block];
	if (RS_UNLIKELY(!entry))
		return false;
	rs_record_add(record.copies.before, record.copies.after, *delta);
	atomic_signal_fence(memory_order_seq_cst); /* the moments first */
	rs_record_counts(thread->base, entry)[rs_block_place(block, *delta)]++;
	record.frame->values[1] = 0;
	/* pairs with the acquire load in whoever reads the cell */
	rs_add_release(&record.cell->calls_and_row, record.copies.calls_and_row, 2);
	return true;
}

#endif
