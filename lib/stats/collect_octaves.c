/* SPDX-License-Identifier: MIT */
/*
 * What a cell's calls used, by how long they took: the sums behind the blocks of its histogram of time,
 * as far as they agree with the sums over all calls.
 */
#include "stats/collector.h"

bool rs_collector_repair_sums(struct rs_collector *collector, uint32_t event, uint64_t counted,
	uint64_t unfinished, uint64_t time)
{
	uint32_t n_events = collector->n_events;
	uint64_t sum = 0;
	for (uint32_t block = 0; block < RS_BLOCKS; block++)
		sum += collector->sums[block * n_events + event];
	if (sum == counted)
		return true;
	uint64_t *last = &collector->sums[rs_block_of(time) * n_events + event];
	if (sum - counted != unfinished || *last < unfinished)
		return false;
	*last -= unfinished;
	return true;
}

/* How many values of time the histogram at hand has in a block. */
static uint64_t weights_of(const struct rs_collector *collector, uint32_t block)
{
	const struct rs_histogram_sum *time = &collector->histograms[0];
	uint64_t n = 0;
	for (uint32_t b = 0; b < rs_block_buckets(block); b++)
		n += time->counts[rs_block_first(block) + b];
	return n;
}

bool rs_collector_copy_octaves(struct rs_collector *collector, struct rs_cell_copy *copy)
{
	uint32_t n_events = collector->out->n_events;
	uint64_t weights[RS_BLOCKS];
	uint32_t n = 0;
	for (uint32_t block = 0; block < RS_BLOCKS; block++) {
		weights[block] = n_events > 0 ? weights_of(collector, block) : 0;
		n += weights[block] > 0;
	}
	copy->octaves = rs_arena_array(collector->arena, n, sizeof(*copy->octaves));
	if (!copy->octaves)
		return false;
	/* the lower a block's number, the longer its times */
	for (uint32_t block = 0; block < RS_BLOCKS; block++) {
		struct rs_octave *octave = &copy->octaves[copy->n_octaves];
		if (weights[block] == 0)
			continue;
		octave->block = block;
		octave->weights = weights[block];
		octave->sums = rs_arena_array(collector->arena, n_events, sizeof(*octave->sums));
		if (!octave->sums)
			return false;
		for (uint32_t e = 0; e < n_events; e++)
			octave->sums[e] = collector->sums[block * collector->n_events + e];
		copy->n_octaves++;
	}
	return true;
}
