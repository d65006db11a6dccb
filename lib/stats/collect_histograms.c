/* SPDX-License-Identifier: MIT */
/*
 * This file reads the histograms of an accumulator. A histogram is a list of blocks, and each block
 * must belong to only one accumulator. This file copies complete histograms into the run. The
 * copies have the buckets of segment/buckets.h, and do not contain the overhead of markers.
 */
#include "stats/collector.h"

#include <string.h>

/* Claim the block of an octave, unless an earlier try to read this accumulator has claimed it.
 * Return false if the block belongs to another list. */
static bool claim(struct rs_collector *collector, uint32_t counter, uint32_t octave,
	uint64_t offset, size_t bytes)
{
	/* An earlier try may have claimed the block for another octave, because the first call of
	 * an accumulator changes the octave of the accumulator's block. */
	const uint64_t *earlier = &collector->claimed[counter * RS_BLOCK_OCTAVES];
	for (uint32_t i = 0; i < RS_BLOCK_OCTAVES; i++)
		if (earlier[i] == offset)
			return true;
	bool is_free = rs_segment_reader_claim(&collector->reader, offset, bytes);
	if (is_free)
		collector->claimed[counter * RS_BLOCK_OCTAVES + octave] = offset;
	return is_free;
}

/* Copy the counts of a block. If the block belongs to the histogram of time, also copy the block's
 * sums of events. Return false if the sum of the counts overflows. */
static bool take_block(struct rs_collector *collector, uint32_t counter, uint32_t octave,
	const struct rs_block *block, uint32_t n_sums)
{
	struct rs_read_counts *run = &collector->runs[counter];
	uint64_t *counts = &run->counts[octave * RS_BLOCK_BUCKETS];
	run->octaves |= UINT64_C(1) << octave;
	for (uint32_t i = 0; i < RS_BLOCK_BUCKETS; i++) {
		counts[i] = block->counts[i];
		if (__builtin_add_overflow(run->total, counts[i], &run->total))
			return false;
	}
	for (uint32_t e = 0; e < n_sums; e++)
		collector->sums[octave * n_sums + e] = block->sums[e];
	return true;
}

/* Read the list of blocks of time or of an event. Return false if a block cannot be read or belongs
 * to another accumulator, or if its counts overflow. */
static bool read_blocks(struct rs_collector *collector, uint32_t counter, uint64_t offset)
{
	struct rs_read_counts *run = &collector->runs[counter];
	uint32_t n_sums = counter ? 0 : collector->n_events;
	union {
		struct rs_block block;
		uint64_t words[sizeof(struct rs_block) / sizeof(uint64_t) + RS_MAX_COUNTERS];
	} room;
	while (offset) {
		if (!rs_segment_reader_read(
			    &collector->reader, offset, &room, rs_block_bytes(n_sums)))
			return false;
		uint32_t octave = rs_block_octave(room.block.link);
		if (octave >= RS_BLOCK_OCTAVES || run->octaves >> octave & 1 ||
			!claim(collector, counter, octave, offset, rs_block_bytes(n_sums)) ||
			!take_block(collector, counter, octave, &room.block, n_sums))
			return false;
		offset = rs_block_next(room.block.link);
	}
	return true;
}

static void read_run(struct rs_collector *collector, uint32_t counter)
{
	uint32_t n_events = collector->n_events;
	const uint64_t *first = rs_accumulator_blocks(collector->accumulator, n_events);
	struct rs_read_counts *run = &collector->runs[counter];
	memset(run, 0, sizeof(*run));
	if (counter == 0)
		memset(collector->sums, 0, RS_BLOCK_OCTAVES * n_events * sizeof(*collector->sums));
	if (!read_blocks(collector, counter, first[counter])) {
		memset(run, 0, sizeof(*run));
		run->is_spoiled = true;
	}
}

void rs_collector_read_histograms(struct rs_collector *collector)
{
	for (uint32_t counter = 0; counter < collector->n_counters; counter++)
		read_run(collector, counter);
}

/* Return the middle of a bucket minus the overhead. If the overhead is larger, set *is_below and
 * return 0. */
static uint64_t middle_of(const struct rs_collector *collector, uint32_t index, int64_t inside,
	bool is_time, bool *is_below)
{
	uint32_t octave = index / RS_BLOCK_BUCKETS, bucket = index % RS_BLOCK_BUCKETS;
	uint64_t width = rs_block_width(octave, bucket);
	uint64_t less = width > 0 ? width - 1 : 0;
	int64_t middle = (int64_t)(rs_block_low(octave, bucket) + less / 2);
	*is_below = middle < inside;
	if (*is_below)
		return 0;
	uint64_t rest = (uint64_t)(middle - inside);
	/* the middle can be between two ticks; compute in half ticks, since half a tick can be
	 * several ns */
	rs_u128 twice = 2 * (rs_u128)rest + less % 2;
	return is_time ? rs_ticks_to_ns(&collector->rate, rs_wide_to_u64(twice)) / 2 : rest;
}

uint64_t rs_collector_copy_histogram(
	struct rs_collector *collector, struct rs_histogram *copy, uint32_t counter, int64_t inside)
{
	uint64_t clamped = 0;
	const struct rs_read_counts *run = &collector->runs[counter];
	uint32_t begin = rs_counts_begin(run), end = rs_counts_end(run);
	bool is_time = rs_collector_is_time(collector, counter);
	size_t most = 0;
	for (uint32_t i = begin; i < end; i++)
		most += run->counts[i] > 0;
	copy->n = 0;
	copy->buckets = rs_arena_array(collector->arena, most, sizeof(*copy->buckets));
	for (uint32_t i = begin; i < end; i++) {
		bool is_below;
		if (run->counts[i] == 0)
			continue;
		struct rs_bucket bucket = rs_histogram_bucket(
			middle_of(collector, i, inside, is_time, &is_below), run->counts[i]);
		clamped += is_below ? run->counts[i] : 0;
		if (copy->n > 0 && copy->buckets[copy->n - 1].low == bucket.low)
			copy->buckets[copy->n - 1].count += bucket.count;
		else
			copy->buckets[copy->n++] = bucket;
	}
	return clamped;
}
