/* SPDX-License-Identifier: MIT */
/*
 * This file reads the histograms of an accumulator. Words of the accumulator say where its counts
 * lie; each range of bytes may belong to one accumulator only. Values are moved by the overhead of
 * the markers and counted on the grid of buckets.h.
 */
#include "stats/collector.h"

#include <string.h>

/* Read the counts. Behind the counts of time lie the sums of events by octave, which are read
 * too. */
static bool read_counts(struct rs_collector *collector, uint32_t quantity, uint64_t offset)
{
	struct rs_read_counts *run = &collector->runs[quantity];
	uint32_t n_events = collector->n_events;
	uint64_t *counts = &run->counts[run->first * RS_RUN_OCTAVE];
	size_t bytes = run->n * RS_RUN_OCTAVE * sizeof(*counts);
	bool is_read = rs_segment_reader_read(&collector->reader, offset, counts, bytes);
	if (is_read && quantity == 0 && n_events > 0)
		is_read = rs_segment_reader_read(&collector->reader, offset + bytes,
			&collector->sums[run->first * n_events],
			run->n * n_events * sizeof(*collector->sums));
	for (uint32_t i = 0; i < run->n * RS_RUN_OCTAVE; i++)
		if (__builtin_add_overflow(run->total, counts[i], &run->total))
			return false;
	return is_read;
}

/* Read the histogram of time or of an event. Return false if memory runs out. */
static bool read_run(struct rs_collector *collector, uint32_t quantity)
{
	uint32_t n_events = collector->n_events;
	const uint64_t *words = (const void *)(collector->cell + rs_cell_runs_offset(n_events));
	uint64_t word = words[quantity], offset = rs_run_offset(word);
	struct rs_read_counts *run = &collector->runs[quantity];
	memset(run, 0, sizeof(*run));
	if (quantity == 0)
		memset(collector->sums, 0, RS_RUN_OCTAVES * n_events * sizeof(*collector->sums));
	if (word == 0) /* no call was recorded */
		return true;
	run->first = rs_run_first(word);
	run->n = rs_run_n(word);
	run->is_spoiled = true;
	if (run->n == 0 || run->first + run->n > RS_RUN_OCTAVES) {
		run->first = run->n = 0;
		return true;
	}
	if (collector->claimed[quantity] != word) { /* an earlier try has not claimed these bytes */
		enum rs_reader_claim claim = rs_segment_reader_claim(
			&collector->reader, offset, rs_run_bytes(run->n, quantity ? 0 : n_events));
		if (claim == RS_READER_NO_MEMORY)
			return false;
		if (claim == RS_READER_TAKEN)
			return true;
		collector->claimed[quantity] = word;
	}
	run->is_spoiled = !read_counts(collector, quantity, offset);
	if (run->is_spoiled) /* the counts cannot be read, or their sum overflows */
		run->first = run->n = 0;
	return true;
}

bool rs_collector_read_histograms(struct rs_collector *collector)
{
	for (uint32_t quantity = 0; quantity < collector->n_quantities; quantity++)
		if (!read_run(collector, quantity))
			return false;
	return true;
}

/* Return the middle of a bucket less the overhead. If the overhead is larger, set *is_below and
 * return 0. */
static uint64_t middle_of(const struct rs_collector *collector, uint32_t index, int64_t inside,
	bool is_time, bool *is_below)
{
	uint32_t octave = index / RS_RUN_OCTAVE, bucket = index % RS_RUN_OCTAVE;
	uint64_t width = rs_run_width(octave, bucket);
	uint64_t less = width > 0 ? width - 1 : 0;
	int64_t middle = (int64_t)(rs_run_low(octave, bucket) + less / 2);
	*is_below = middle < inside;
	if (*is_below)
		return 0;
	uint64_t rest = (uint64_t)(middle - inside);
	/* use half ticks, since half a tick may be several ns */
	rs_u128 twice = 2 * (rs_u128)rest + less % 2;
	return is_time ? rs_ticks_to_ns(&collector->rate, rs_wide_to_u64(twice)) / 2 : rest;
}

bool rs_collector_copy_histogram(struct rs_collector *collector, struct rs_histogram *copy,
	uint32_t quantity, int64_t inside, uint64_t *clamped)
{
	const struct rs_read_counts *run = &collector->runs[quantity];
	uint32_t begin = run->first * RS_RUN_OCTAVE, end = begin + run->n * RS_RUN_OCTAVE;
	bool is_time = rs_collector_is_time(collector, quantity);
	size_t most = 0;
	*clamped = 0;
	for (uint32_t i = begin; i < end; i++)
		most += run->counts[i] > 0;
	copy->n = 0;
	copy->buckets = rs_arena_array(collector->arena, most, sizeof(*copy->buckets));
	if (!copy->buckets)
		return false;
	for (uint32_t i = begin; i < end; i++) {
		bool is_below;
		if (run->counts[i] == 0)
			continue;
		struct rs_bucket bucket = rs_histogram_bucket(
			middle_of(collector, i, inside, is_time, &is_below), run->counts[i]);
		*clamped += is_below ? run->counts[i] : 0;
		if (copy->n > 0 && copy->buckets[copy->n - 1].low == bucket.low)
			copy->buckets[copy->n - 1].count += bucket.count;
		else
			copy->buckets[copy->n++] = bucket;
	}
	return true;
}
