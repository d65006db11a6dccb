/* SPDX-License-Identifier: MIT */
/*
 * This file reads the work that an accumulator's calls reported, and adds it to the result. The
 * segment has two copies of the work, so that one of them is complete even if a signal kills the
 * program. The current copy is the one that counts as many ENDs as the accumulator. The other copy
 * can have any content.
 *
 * An octave contains the calls with times from 2^k to 2^(k+1) ticks. For each octave, an
 * accumulator has the sums of all events, and this file copies these sums too. They show how event
 * counts differ between long and short calls.
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
	uint64_t offset = (uint64_t)accumulator->work * RS_OFFSET_UNIT;
	/* accumulators of calls with a context switch have no skipped calls */
	uint64_t ends = calls + accumulator->skipped;
	struct rs_work work;
	if (offset == 0)
		return;
	bool is_read = rs_segment_reader_claim(&collector->reader, offset, sizeof(work)) &&
		       rs_segment_reader_read(&collector->reader, offset, &work, sizeof(work));
	const struct rs_work_sums *sums = &work.copies[is_read ? rs_work_current(&work, ends) : 0];
	/* A running program can have added work since the accumulator was read. The sums are then
	 * newer than the accumulator, but not damaged. */
	if (!is_read || (load == RS_LOAD_DONE && !makes_sense(sums, ends))) {
		rs_run_damage(collector->out, "the work of region '%s' on thread slot %u %s",
			rs_collector_region(collector, copy->region), collector->slot,
			is_read ? "makes no sense" : "leads astray");
		return;
	}
	copy->work_calls = rs_min(sums->calls, RS_MAX_CALLS - 1);
	copy->work_bytes = sums->bytes;
	copy->work_flops = sums->flops;
	copy->work_unmatched = work.unmatched;
}

/* ---- octaves ---- */

/* The first octave also contains all shorter times, as in the accumulator. */
#define LEAST_OCTAVE 7u

static uint64_t low_of(const struct rs_collector *collector, uint32_t octave)
{
	if (octave <= LEAST_OCTAVE)
		return 0;
	return rs_ticks_to_ns(&collector->rate, UINT64_C(1) << (octave - 1));
}

/* Add the calls of an octave of the accumulator to an octave of a result. */
static void add(const struct rs_collector *collector, struct rs_octave *into, uint32_t octave,
	const struct rs_whole *whole)
{
	uint32_t n_events = collector->out->n_events;
	uint64_t weight = rs_counts_of_octave(&collector->runs[0], octave);
	into->weight += weight;
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t sum = (collector->sums[octave * collector->n_events + e] - weight) / 2;
		int64_t inside = whole->counters[1 + e].inside;
		int64_t own = (int64_t)(sum - weight * (uint64_t)inside);
		rs_add_saturating(&into->sums[e], own > 0 ? (uint64_t)own : 0);
	}
}

void rs_collector_copy_octaves(
	struct rs_collector *collector, struct rs_result *copy, const struct rs_whole *whole)
{
	const struct rs_read_counts *time = &collector->runs[0];
	uint32_t n_events = collector->out->n_events;
	size_t n_most = (size_t)__builtin_popcountll(time->octaves);
	if (n_events == 0)
		return;
	copy->octaves = rs_arena_array(collector->arena, n_most, sizeof(*copy->octaves));
	for (uint32_t octave = RS_BLOCK_OCTAVES; octave-- > 0;) {
		size_t n = copy->n_octaves;
		uint64_t low_ns = low_of(collector, octave);
		if (rs_counts_of_octave(time, octave) == 0)
			continue;
		if (n == 0 || copy->octaves[n - 1].low_ns != low_ns)
			copy->octaves[copy->n_octaves++] = (struct rs_octave){.low_ns = low_ns,
				.sums = rs_arena_array(
					collector->arena, n_events, sizeof(uint64_t)),
				.n_sums = n_events};
		add(collector, &copy->octaves[copy->n_octaves - 1], octave, whole);
	}
}
