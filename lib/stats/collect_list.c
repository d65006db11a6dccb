/* SPDX-License-Identifier: MIT */
/*
 * This file reads the list of accumulators of a thread slot. A program may have overwritten the
 * list, so the list may be cyclic, cut, or share accumulators with another list. An accumulator can
 * point to a second accumulator, which has the region's calls with a context switch. If an
 * accumulator changes while it is read, it is read again.
 */
#include "stats/collector.h"

#include <string.h>

/* If the program writes to an accumulator while it is read, it is read again. It is read up to
 * N_TRIES times with its histograms. If it changes each time, it is read up to N_SCALARS_TRIES
 * times without them, which is much faster. */
#define N_TRIES 8
#define N_SCALARS_TRIES 256

/* Return true if the accumulator in the segment has as many calls as the copy that was read. */
static bool is_unchanged(const struct rs_collector *collector, uint64_t offset)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	uint64_t word;
	return rs_segment_reader_read(&collector->reader,
		       offset + offsetof(struct rs_accumulator, calls_word), &word, sizeof(word)) &&
	       word == accumulator->calls_word;
}

static bool read_words(struct rs_collector *collector, uint64_t offset)
{
	return rs_segment_reader_read(
		&collector->reader, offset, collector->accumulator, collector->accumulator_bytes);
}

/* Read one accumulator. If it has the right size, also read its histograms. */
static enum rs_load load_accumulator(struct rs_collector *collector, uint64_t offset)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	memset(collector->claimed, 0,
		collector->n_counters * RS_BLOCK_OCTAVES * sizeof(*collector->claimed));
	for (int i = 0; i < N_TRIES; i++) {
		if (!read_words(collector, offset))
			return RS_LOAD_UNREADABLE;
		if (accumulator->accumulator_units !=
			rs_accumulator_units(collector->accumulator_bytes))
			return RS_LOAD_DONE; /* the caller rejects the accumulator */
		rs_collector_read_histograms(collector);
		if (is_unchanged(collector, offset))
			return RS_LOAD_DONE;
	}
	bool whole = false;
	for (int i = 0; i < N_SCALARS_TRIES && !whole; i++) {
		if (!read_words(collector, offset))
			return RS_LOAD_UNREADABLE;
		whole = is_unchanged(collector, offset);
	}
	rs_collector_read_histograms(collector);
	return whole ? RS_LOAD_CHANGING : RS_LOAD_TORN;
}

/* Return true if the loaded bytes are a valid accumulator, and the slot's list has no earlier
 * accumulator of the same region. */
static bool is_ours(struct rs_collector *collector)
{
	const struct rs_run *out = collector->out;
	const struct rs_accumulator *accumulator = collector->accumulator;
	if (accumulator->accumulator_units != rs_accumulator_units(collector->accumulator_bytes) ||
		accumulator->region >= out->n_regions || !out->regions[accumulator->region].ready)
		return false;
	if (collector->seen[accumulator->region] == collector->slot + 1)
		return false;
	collector->seen[accumulator->region] = collector->slot + 1;
	return true;
}

/* Read the accumulator at offset. Return false if there is none, or if it belongs to another
 * list. */
static bool find_accumulator(struct rs_collector *collector, uint64_t offset, enum rs_load *load)
{
	if (!rs_segment_reader_claim(&collector->reader, offset, collector->accumulator_bytes))
		return false;
	*load = load_accumulator(collector, offset);
	return *load != RS_LOAD_UNREADABLE;
}

/* Read the accumulator of calls that had a context switch, and add it to the last result. */
static void read_switched(struct rs_collector *collector, uint32_t region, uint64_t offset)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	struct rs_run *out = collector->out;
	enum rs_load load = RS_LOAD_DONE;
	rs_collector_expect(collector, true);
	if (find_accumulator(collector, offset, &load) &&
		accumulator->accumulator_units ==
			rs_accumulator_units(collector->accumulator_bytes) &&
		accumulator->region == region)
		rs_collector_keep_accumulator(collector, load, &out->results[out->n_results - 1]);
	else
		rs_run_damage(out,
			"the calls of region '%s' on thread slot %u that had a context switch "
			"lead astray",
			rs_collector_region(collector, region), collector->slot);
}

/* Return the overhead of n calls in ns. Each call has `each` ticks. `more` ticks are added once for
 * all calls; they are modulo 2^64, so they can be negative. */
static uint64_t overhead_of(
	const struct rs_collector *collector, uint64_t n, uint64_t each, uint64_t more)
{
	rs_u128 ticks = (rs_u128)each * n;
	uint64_t less = more >> 63 ? -more : 0;
	ticks = less ? ticks - (less < ticks ? less : ticks) : ticks + more;
	return rs_ticks_to_ns(&collector->rate, rs_wide_to_u64(ticks));
}

/* Set the overhead of the last result. All calls of this result must have been added before. */
static void set_overhead(struct rs_collector *collector)
{
	struct rs_result *result = &collector->out->results[collector->out->n_results - 1];
	result->overhead.measured_ns = overhead_of(
		collector, result->measured, collector->pair_ticks, collector->own_ticks);
	uint64_t fast_ns = overhead_of(collector, result->measured, collector->fast_ticks, 0);
	/* A NEXT marker takes less time than a pair of markers, so measured_ns can be less than
	 * fast_ns. */
	result->overhead.fast_ns = fast_ns < result->overhead.measured_ns
					   ? fast_ns
					   : result->overhead.measured_ns;
	result->overhead.skipped_ns = overhead_of(collector, rs_result_skipped(result),
		collector->skip_ticks, collector->skip_own_ticks);
}

void rs_collector_read_accumulators(struct rs_collector *collector, uint64_t first)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	uint64_t next;
	/* The loop ends, because each accumulator is claimed: a cyclic list stops at the first
	 * accumulator that is claimed already. */
	for (uint64_t offset = first; offset != 0; offset = next) {
		enum rs_load load = RS_LOAD_DONE;
		size_t n_results = collector->out->n_results;
		rs_collector_expect(collector, false);
		if (!find_accumulator(collector, offset, &load) || !is_ours(collector)) {
			rs_run_damage(collector->out,
				"the list of regions of thread slot %u leads astray",
				collector->slot);
			return;
		}
		uint32_t region = accumulator->region;
		uint64_t switched = (uint64_t)accumulator->switched * RS_OFFSET_UNIT;
		next = accumulator->next;
		rs_collector_keep_accumulator(collector, load, NULL);
		if (collector->out->n_results == n_results)
			continue;
		if (switched > 0)
			read_switched(collector, region, switched);
		set_overhead(collector);
	}
}
