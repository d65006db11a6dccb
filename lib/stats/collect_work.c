/* SPDX-License-Identifier: MIT */
/*
 * This file copies the work that an accumulator's calls reported into its result. The accumulator
 * has two copies of the work, so that one of them is complete even if a signal kills the program.
 * The current copy is the one that counts as many ENDs as the accumulator. The other copy may have
 * any content.
 */
#include "stats/collector.h"

/* Return true if an accumulator with this count of ENDs can have these sums. */
static bool makes_sense(const struct rs_work_sums *sums, uint64_t ends)
{
	return sums->calls <= ends && sums->calls <= sums->stamp &&
	       (sums->calls > 0 || (sums->bytes == 0 && sums->flops == 0));
}

void rs_collector_copy_work(
	struct rs_collector *collector, struct rs_result *copy, uint64_t calls, enum rs_load load)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	uint64_t offset = (uint64_t)atomic_load_explicit(&accumulator->work, memory_order_relaxed) *
			  RS_OFFSET_UNIT;
	/* accumulators of calls with a context switch have no skipped calls */
	uint64_t ends = calls + atomic_load_explicit(&accumulator->skipped, memory_order_relaxed);
	struct rs_work work;
	if (offset == 0)
		return;
	bool is_read = rs_segment_reader_claim(&collector->reader, offset, sizeof(work)) &&
		       rs_segment_reader_read(&collector->reader, offset, &work, sizeof(work));
	const struct rs_work_sums *sums = &work.copies[is_read ? rs_work_current(&work, ends) : 0];
	/* If a running program has added work since the accumulator was read, the sums are not
	 * damaged. */
	if (!is_read || (load == RS_LOAD_DONE && !makes_sense(sums, ends))) {
		rs_run_damage(collector->out, "the work of region '%s' on thread slot %u %s",
			rs_collector_region(collector, copy->region), collector->slot,
			is_read ? "makes no sense" : "leads astray");
		return;
	}
	copy->work_calls += sums->calls < RS_MAX_CALLS ? sums->calls : RS_MAX_CALLS - 1;
	copy->work_bytes = rs_work_add(copy->work_bytes, sums->bytes);
	copy->work_flops = rs_work_add(copy->work_flops, sums->flops);
	copy->work_unmatched = rs_work_add(
		copy->work_unmatched, atomic_load_explicit(&work.unmatched, memory_order_relaxed));
}
