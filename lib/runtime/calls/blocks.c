/* SPDX-License-Identifier: MIT */
/*
 * Blocks of counts, one for each octave of time or of an event that has had a value. They are found
 * by the links in the segment, which anybody may have written: each is checked before it is
 * followed. The fast path has pointers of its own, and ranges of values for which it may use them.
 */
#include <string.h>

#include "runtime/calls/record.h"

static uint32_t sums_of(const struct rs_shape *shape, uint32_t quantity)
{
	return quantity ? 0 : shape->n_events;
}

static _Atomic uint64_t *link_of(struct rs_block *block)
{
	return (_Atomic uint64_t *)(void *)&block->link;
}

/* The block at an offset that the segment says; NULL: there is none, or none that can be there.
 * Scratch cells are in the process's own memory. */
static struct rs_block *block_at(const struct rs_thread *thread, uint64_t offset, uint32_t n_sums)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint32_t bytes = rs_block_bytes(n_sums);
	bool is_own = thread->base != runtime->base;
	if (!offset || (!is_own && !rs_memory_is_present(runtime, offset, bytes)))
		return NULL;
	return (void *)(thread->base + offset);
}

/* Blocks of one histogram, one after another. Anybody may have written the links. */
struct blocks {
	const struct rs_thread *thread;
	uint64_t next;
	uint32_t n_sums;
	uint32_t n_left; /* no list has more */
	uint32_t octave; /* of the latest */
};

static struct blocks blocks_of(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	return (struct blocks){thread,
		rs_load_64(&rs_cell_blocks(region->cell, shape->n_events)[quantity]),
		sums_of(shape, quantity), RS_BLOCK_OCTAVES, 0};
}

static struct rs_block *next_block(struct blocks *blocks)
{
	struct rs_block *block = block_at(blocks->thread, blocks->next, blocks->n_sums);
	if (!block || !blocks->n_left--)
		return NULL;
	uint64_t link = atomic_load_explicit(link_of(block), memory_order_relaxed);
	blocks->next = rs_block_next(link);
	blocks->octave = rs_block_octave(link);
	return blocks->octave < RS_BLOCK_OCTAVES ? block : NULL;
}

static uint64_t find_octaves(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	struct blocks blocks = blocks_of(thread, region, quantity);
	uint64_t octaves = 0;
	while (next_block(&blocks))
		octaves |= UINT64_C(1) << blocks.octave;
	return octaves;
}

/* Those that the fast path may find. */
static uint64_t near_octaves(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	return find_octaves(thread, region, quantity) >> region->table[quantity].from
								 << region->table[quantity].from;
}

static uint32_t octave_of(uint64_t w)
{
	return rs_bucket_of_w(w) / RS_BLOCK_BUCKETS;
}

struct rs_block *rs_cell_block(const struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t quantity, uint64_t w)
{
	struct blocks blocks = blocks_of(thread, region, quantity);
	struct rs_block *block, *nearest = NULL;
	uint32_t octave = octave_of(w), least = UINT32_MAX;
	while ((block = next_block(&blocks))) {
		/* of two as near the lower one */
		uint32_t distance = blocks.octave > octave ? 2 * (blocks.octave - octave) + 1
							   : 2 * (octave - blocks.octave);
		if (distance < least) {
			nearest = block;
			least = distance;
		}
	}
	return nearest;
}

uint64_t *rs_block_place(struct rs_block *block, uint64_t w)
{
	uint32_t octave = rs_block_octave(rs_load_64(&block->link));
	if (octave == octave_of(w))
		return &block->counts[rs_bucket_of_w(w) % RS_BLOCK_BUCKETS];
	return &block->counts[octave > octave_of(w) ? 0 : RS_BLOCK_BUCKETS - 1];
}

uint64_t rs_block_count(const struct rs_block *block)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < RS_BLOCK_BUCKETS; i++)
		count += block->counts[i];
	return count;
}

uint64_t rs_cell_count_of(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	struct blocks blocks = blocks_of(thread, region, quantity);
	const struct rs_block *block;
	uint64_t count = 0;
	while ((block = next_block(&blocks)))
		count += rs_block_count(block);
	return count;
}

void rs_cell_set_near(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	struct rs_counts *counts = &region->table[quantity];
	struct blocks blocks = blocks_of(thread, region, quantity);
	uint64_t octaves = near_octaves(thread, region, quantity), present = 0;
	uint32_t first = octaves ? (uint32_t)__builtin_ctzll(octaves) : 0;
	struct rs_block *block;
	counts->range.width = 0;
	counts->n = 0;
	atomic_signal_fence(memory_order_seq_cst);
	while ((block = next_block(&blocks))) {
		uint32_t place = blocks.octave - first;
		/* modulo 2^64: these are no places, until an index is added */
		uintptr_t base = (uintptr_t)block->counts -
				 (1023 + (uintptr_t)blocks.octave) * sizeof(block->counts);
		if (place >= RS_FAST_OCTAVES)
			continue;
		counts->near[place] = (uint64_t *)base;
		present |= UINT64_C(1) << place;
	}
	counts->blocks = (uint64_t **)((uintptr_t)counts->near -
				       (1023 + (uintptr_t)first) * sizeof(counts->near[0]));
	counts->first = (uint16_t)first;
	counts->n = (uint16_t)__builtin_ctzll(~present);
}

/* One more block, first in the list. */
static bool add_block(struct rs_thread *thread, struct rs_cell *cell, const struct rs_shape *shape,
	uint32_t quantity, uint32_t octave)
{
	uint64_t *first = &rs_cell_blocks(cell, shape->n_events)[quantity];
	uint64_t offset = rs_memory_take(
		thread, rs_block_bytes(sums_of(shape, quantity)), RS_DATA_UNIT);
	if (!offset)
		return false;
	struct rs_block *block = (void *)(thread->base + offset);
	block->link = rs_block_link(*first & (RS_SEGMENT_BYTES - 1), octave);
	/* pairs with the acquire load of the cell's readers */
	__atomic_store_n(first, offset, __ATOMIC_RELEASE);
	return true;
}

bool rs_cell_take_counts(
	struct rs_thread *thread, struct rs_cell *cell, const struct rs_shape *shape)
{
	for (uint32_t m = 0; m <= shape->n_events; m++)
		if (!add_block(thread, cell, shape, m, 0))
			return false;
	return true;
}

static bool is_first_value(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	struct rs_rare *rare = rs_cell_row_now(region->cell, shape);
	const struct rs_rare_moments *extremes = &rs_rare_extremes(rare, shape)[quantity];
	return !(extremes->min_inverted | extremes->max);
}

/* Calls beyond a gap, before the gap gets memory: a few long calls take none. */
#define MOST_FAR 16

/* From the least octave on without a gap, as far as the fast path goes. */
static void fill_gaps(
	struct rs_thread *thread, const struct rs_thread_region *region, uint32_t quantity)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint64_t octaves = near_octaves(thread, region, quantity);
	uint32_t first = octaves ? (uint32_t)__builtin_ctzll(octaves) : 0;
	octaves = octaves >> first & ((UINT64_C(1) << RS_FAST_OCTAVES) - 1);
	for (uint32_t i = 0; octaves >> i; i++)
		if (!(octaves >> i & 1) &&
			!add_block(thread, region->cell, shape, quantity, first + i))
			return;
}

/* A value has a block, and the fast path may not find it. True: there are more blocks now. */
static __attribute__((noinline)) bool count_far(struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t quantity, uint32_t octave)
{
	struct rs_counts *counts = &region->table[quantity];
	if (octave - counts->first < counts->n || ++counts->n_far < MOST_FAR)
		return false;
	counts->n_far = 0;
	if (octave - counts->first < RS_FAST_OCTAVES)
		fill_gaps(thread, region, quantity);
	else /* the fast path goes elsewhere */
		counts->from = (uint16_t)(octave > 2 ? octave - 2 : 0);
	return true;
}

bool rs_cell_make_room(struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t quantity, uint64_t value)
{
	uint32_t octave = octave_of(rs_w_of(value));
	const struct rs_shape *shape = rs_shape_of(thread, region);
	struct blocks blocks = blocks_of(thread, region, quantity);
	struct rs_block *block = next_block(&blocks);
	if (is_first_value(thread, region, quantity)) { /* all counts are 0: any octave will do */
		if (block)
			atomic_store_explicit(link_of(block), rs_block_link(blocks.next, octave),
				memory_order_relaxed);
		return true;
	}
	while (block && blocks.octave != octave)
		block = next_block(&blocks);
	if (block)
		return region->table && count_far(thread, region, quantity, octave);
	bool is_added = add_block(thread, region->cell, shape, quantity, octave);
	if (!is_added)
		rs_cell_set_flag(region->cell, RS_CELL_HISTOGRAM_INCOMPLETE);
	return is_added;
}

/* ---- ranges ---- */

/* Tell the fast path the latest call. False: it may not fold that call, which is folded already or
 * has a value whose count it does not find. */
static bool set_latest(const struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	if (rs_cell_is_folded(cell, rs_cell_word(cell)) ||
		rs_cell_row_now(cell, thread->shape)->latest_uncounted)
		return false;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		struct rs_counts *counts = &region->table[m];
		uint64_t w = rs_load_64(rs_cell_latest(cell, m));
		if (octave_of(w) - counts->first >= counts->n)
			return false;
		*(m ? &counts->latest : &region->latest) = (uint32_t)rs_index_of(w);
	}
	return true;
}

/* The values from low to high of which there are counts. */
static struct rs_range range_of(const struct rs_counts *counts, uint64_t low, uint64_t high)
{
	uint32_t first = counts->first, last = first + counts->n - 1;
	uint64_t least = rs_block_low(first, 0), most = rs_block_low(last + 1, 0) - 1;
	most -= most >> 52; /* as a double, the w of a larger one is the next octave's */
	low = low < least ? least : low;
	high = high > most ? most : high;
	return (struct rs_range){low, high >= low ? high - low + 1 : 0};
}

void rs_cell_set_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_cell *cell = region->cell;
	struct rs_rare *rare = rs_cell_row_now(cell, thread->shape);
	const struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	region->table[0].range.width = 0;
	if (!set_latest(thread, region))
		return;
	for (uint32_t m = thread->n_events + 1; m-- > 0;) {
		struct rs_counts *counts = &region->table[m];
		counts->range = range_of(counts, ~extremes[m].min_inverted, extremes[m].max);
	}
	if (thread->runtime->slow_rules)
		rs_slow_calls_limit(thread->runtime, region);
}

void rs_cell_open_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	for (uint32_t m = 0; set_latest(thread, region) && m <= thread->n_events; m++)
		region->table[m].range = range_of(&region->table[m], 0, RS_VALUE_MAX);
}

/* ---- sums ---- */

uint64_t rs_cell_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums)
{
	const struct rs_cell *cell = region->cell;
	uint64_t word = rs_cell_word(cell);
	uint64_t weight = 0, weights = rs_cell_calls(word);
	bool samples = thread->runtime->samples;
	if (!rs_cell_is_folded(cell, word))
		weight = samples ? cell->latest_weight : 1;
	if (samples)
		weights = cell->weights + weight;
	sums[0] = cell->time_sum + weight * cell->latest_time;
	for (uint32_t e = 0; e < thread->n_events; e++)
		sums[1 + e] = weight * *rs_cell_latest(region->cell, 1 + e);
	struct blocks blocks = blocks_of(thread, region, 0);
	const struct rs_block *block;
	while (thread->n_events && (block = next_block(&blocks)))
		for (uint32_t e = 0; e < thread->n_events; e++)
			sums[1 + e] += block->sums[e];
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sums[m] = (sums[m] - weights) / 2;
	return weights;
}

uint64_t rs_cell_median(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t total = rs_cell_count_of(thread, region, 0), so_far = 0;
	uint64_t octaves = find_octaves(thread, region, 0);
	uint32_t octave = 0, i = 0;
	for (; octaves; octaves &= octaves - 1) {
		octave = (uint32_t)__builtin_ctzll(octaves);
		struct blocks blocks = blocks_of(thread, region, 0);
		const struct rs_block *block = next_block(&blocks);
		while (block && blocks.octave != octave)
			block = next_block(&blocks);
		for (i = 0; block && i < RS_BLOCK_BUCKETS; i++)
			if ((so_far += block->counts[i]) * 2 >= total)
				return rs_block_low(octave, i);
	}
	return rs_block_low(octave, RS_BLOCK_BUCKETS - 1);
}
