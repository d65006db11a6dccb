/* SPDX-License-Identifier: MIT */
/*
 * For each octave of call times, from 2^k to 2^(k+1) ticks, an accumulator has the sums of all
 * events. This file copies these sums into a result. They show how event counts differ between long
 * and short calls.
 */
#include "stats/collector.h"

/* The first octave also contains all shorter times, as in the accumulator. */
#define LEAST_OCTAVE 7u

static uint64_t low_of(const struct rs_collector *collector, uint32_t octave)
{
	if (octave <= LEAST_OCTAVE)
		return 0;
	return rs_ticks_to_ns(&collector->rate, UINT64_C(1) << (octave - 1));
}

static uint64_t weight_of(const struct rs_read_counts *time, uint32_t octave)
{
	uint64_t n = 0;
	for (uint32_t b = 0; b < RS_BLOCK_BUCKETS; b++)
		n += time->counts[octave * RS_BLOCK_BUCKETS + b];
	return n;
}

/* Return the octave of copy that begins at low_ns; insert it if it is missing. It exists already if
 * a call of the region without a context switch had such a time. */
static struct rs_octave *find_place(
	struct rs_collector *collector, struct rs_result *copy, uint64_t low_ns)
{
	size_t place = 0;
	while (place < copy->n_octaves && copy->octaves[place].low_ns > low_ns)
		place++;
	struct rs_octave *octave = &copy->octaves[place];
	if (place < copy->n_octaves && octave->low_ns == low_ns)
		return octave;
	for (size_t i = copy->n_octaves; i > place; i--)
		copy->octaves[i] = copy->octaves[i - 1];
	*octave = (struct rs_octave){.low_ns = low_ns, .n_sums = collector->out->n_events};
	octave->sums = rs_arena_array(collector->arena, octave->n_sums, sizeof(*octave->sums));
	copy->n_octaves++;
	return octave;
}

static void add(const struct rs_collector *collector, struct rs_octave *into, uint32_t octave,
	const struct rs_whole *whole)
{
	uint32_t n_events = collector->out->n_events;
	uint64_t weight = weight_of(&collector->runs[0], octave);
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
	size_t n = copy->n_octaves, n_more = (size_t)__builtin_popcountll(time->octaves);
	if (collector->out->n_events == 0)
		return;
	copy->octaves = rs_arena_grow(
		collector->arena, copy->octaves, n, n + n_more, sizeof(*copy->octaves));
	for (uint32_t octave = 0; octave < RS_BLOCK_OCTAVES; octave++)
		if (weight_of(time, octave) > 0)
			add(collector, find_place(collector, copy, low_of(collector, octave)),
				octave, whole);
}
