/* SPDX-License-Identifier: MIT */
/*
 * What a cell's calls used, by how long they took: the sums behind the counts of its time.
 */
#include "stats/collector.h"

/* The block of an octave of the cell: values below 128 have one together. */
static uint32_t block_of(uint32_t octave)
{
	return octave > 7 ? rs_block_of(UINT64_C(1) << (octave - 1)) : RS_BLOCK_LEAST;
}

static uint64_t weights_of(const struct rs_run *time, uint32_t octave)
{
	uint64_t n = 0;
	for (uint32_t b = 0; b < RS_RUN_OCTAVE; b++)
		n += time->counts[octave * RS_RUN_OCTAVE + b];
	return n;
}

/* One more octave of the same block, or of the next. */
static void add(const struct rs_collector *collector, struct rs_octave *into, uint32_t octave,
	const struct rs_whole *whole)
{
	uint32_t n_events = collector->out->n_events;
	uint64_t weights = weights_of(&collector->runs[0], octave);
	into->weights += weights;
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t sum = (collector->sums[octave * collector->n_events + e] - weights) / 2;
		int64_t inside = whole->quantities[1 + e].inside;
		int64_t own = (int64_t)(sum - weights * (uint64_t)inside);
		into->sums[e] += own > 0 ? (uint64_t)own : 0;
	}
}

bool rs_collector_copy_octaves(
	struct rs_collector *collector, struct rs_cell_copy *copy, const struct rs_whole *whole)
{
	const struct rs_run *time = &collector->runs[0];
	uint32_t n_events = collector->out->n_events, last = RS_BLOCKS;
	uint32_t n = n_events > 0 ? time->n : 0;
	copy->octaves = rs_arena_array(collector->arena, n, sizeof(*copy->octaves));
	if (!copy->octaves)
		return false;
	/* the longest times first */
	for (uint32_t octave = time->first + n; octave-- > time->first;) {
		if (weights_of(time, octave) == 0)
			continue;
		uint32_t block = block_of(octave);
		if (block != last) {
			struct rs_octave *made = &copy->octaves[copy->n_octaves];
			*made = (struct rs_octave){.block = last = block};
			made->sums = rs_arena_array(
				collector->arena, n_events, sizeof(*made->sums));
			if (!made->sums)
				return false;
			copy->n_octaves++;
		}
		add(collector, &copy->octaves[copy->n_octaves - 1], octave, whole);
	}
	return true;
}
