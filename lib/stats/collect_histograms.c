/* SPDX-License-Identifier: MIT */
/*
 * Reading the histograms of a cell: blocks of counts that its table names, each claimed for this
 * cell alone, added up bucket by bucket.
 */
#include "stats/collector.h"

#include <string.h>

/* Add the block at offset to the histogram of one quantity. */
static bool read_block(
	struct rs_collector *collector, uint32_t quantity, uint32_t block, uint64_t offset)
{
	uint64_t counts[2 * RS_OCTAVE_BUCKETS + RS_MAX_QUANTITIES];
	uint32_t n_events = collector->n_events, n_sums = quantity ? 0 : n_events;
	size_t bytes = rs_block_bytes(block) + n_sums * sizeof(uint64_t);
	if (rs_segment_reader_is_hole(&collector->reader, offset))
		return true;
	if (!rs_segment_reader_read(&collector->reader, offset, counts, bytes))
		return false;
	for (uint32_t e = 0; e < n_sums; e++)
		collector->sums[block * n_events + e] = counts[rs_block_buckets(block) + e];
	for (uint32_t i = 0; i < rs_block_buckets(block); i++)
		if (counts[i] != 0 && !rs_histogram_sum_add(&collector->histograms[quantity],
					      rs_block_first(block) + i, counts[i]))
			return false;
	return true;
}

/* Read the histogram of one quantity by its row of the table of blocks. False: no memory. */
static bool read_histogram(struct rs_collector *collector, uint32_t quantity)
{
	const struct rs_collection *out = collector->out;
	uint32_t n_events = collector->n_events;
	uint32_t table_offset = rs_cell_blocks_offset(n_events, out->n_groups);
	const uint32_t *table = (const uint32_t *)(const void *)(collector->cell + table_offset) +
				quantity * RS_BLOCKS;
	uint32_t *claimed = collector->claimed + quantity * RS_BLOCKS;

	rs_histogram_sum_clear(&collector->histograms[quantity]);
	if (quantity == 0)
		memset(collector->sums, 0, RS_BLOCKS * n_events * sizeof(*collector->sums));
	collector->spoiled[quantity] = false;
	for (uint32_t block = 0; block < RS_BLOCKS; block++) {
		if (table[block] == 0)
			continue;
		uint64_t offset = rs_block_offset(block, table[block]);
		if (claimed[block] != table[block]) { /* not by an earlier try */
			enum rs_reader_claim claim = rs_segment_reader_claim(&collector->reader,
				offset, rs_block_whole_bytes(block, quantity, n_events));
			if (claim == RS_READER_NO_MEMORY)
				return false;
			if (claim == RS_READER_TAKEN) {
				collector->spoiled[quantity] = true;
				continue;
			}
			claimed[block] = table[block];
		}
		if (!read_block(collector, quantity, block, offset))
			collector->spoiled[quantity] = true;
	}
	return true;
}

bool rs_collector_read_histograms(struct rs_collector *collector)
{
	for (uint32_t quantity = 0; quantity < collector->n_quantities; quantity++)
		if (!read_histogram(collector, quantity))
			return false;
	return true;
}

void rs_collector_repair_histogram(
	struct rs_histogram_sum *histogram, uint64_t weights, uint64_t unfinished, bool samples)
{
	uint64_t weight = histogram->n > weights ? histogram->n - weights : 0;
	if (weight == 0 || (weight > 1 && !samples) || unfinished % weight != 0)
		return;
	uint32_t bucket = rs_bucket_of(unfinished / weight);
	bool is_there = histogram->octaves >> (bucket / RS_OCTAVE_BUCKETS) & 1;
	if (is_there && histogram->counts[bucket] >= weight) {
		histogram->counts[bucket] -= weight;
		histogram->n -= weight;
	}
}

bool rs_collector_copy_histogram(struct rs_collector *collector, struct rs_histogram *copy,
	const struct rs_histogram_sum *histogram)
{
	size_t n = 0;
	for (int pass = 0; pass < 2; pass++) {
		copy->n = n;
		n = 0;
		if (pass == 1) {
			copy->buckets = rs_arena_array(
				collector->arena, copy->n, sizeof(*copy->buckets));
			copy->counts = rs_arena_array(
				collector->arena, copy->n, sizeof(*copy->counts));
			if (!copy->buckets || !copy->counts)
				return false;
		}
		for (uint64_t rest = histogram->octaves; rest != 0; rest &= rest - 1) {
			uint32_t first = (uint32_t)__builtin_ctzll(rest) * RS_OCTAVE_BUCKETS;
			for (uint32_t b = first; b < first + RS_OCTAVE_BUCKETS; b++) {
				if (histogram->counts[b] == 0)
					continue;
				if (pass == 1) {
					copy->buckets[n] = b;
					copy->counts[n] = histogram->counts[b];
				}
				n++;
			}
		}
	}
	return true;
}
