/* SPDX-License-Identifier: MIT */
/*
 * Blocks of counts. A histogram has one block for each octave (segment/accumulator.h) that has
 * values. The slow path finds blocks by links in the segment. Any process may have written these
 * links, so each is checked before it is followed. The fast path uses private pointers.
 */
#include <string.h>

#include "runtime/calls/record.h"

static uint32_t sums_of(const struct rs_shape *shape, uint32_t counter)
{
	return counter ? 0 : shape->n_events;
}

static _Atomic uint64_t *link_of(struct rs_block *block)
{
	return (_Atomic uint64_t *)(void *)&block->link;
}

/* Return the block at an offset that was read from the segment. Return NULL if the offset is 0 or
 * no block can be there. The blocks of calibration are in private memory and need no check. */
static struct rs_block *block_at(const struct rs_thread *thread, uint64_t offset, uint32_t n_sums)
{
	const struct rs_runtime *runtime = thread->runtime;
	uint32_t bytes = rs_block_bytes(n_sums);
	bool is_own = thread->base != runtime->base;
	if (!offset || (!is_own && !rs_memory_is_present(runtime, offset, bytes)))
		return NULL;
	return (void *)(thread->base + offset);
}

/* A walk through the blocks of one histogram. */
struct blocks {
	const struct rs_thread *thread;
	uint64_t next;
	uint32_t n_sums;
	uint32_t n_left; /* how many more blocks the walk may visit; a longer list is damaged */
	uint32_t octave; /* octave of the latest block */
};

static struct blocks blocks_of(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	return (struct blocks){thread,
		rs_load_64(&rs_accumulator_blocks(region->accumulator, shape->n_events)[counter]),
		sums_of(shape, counter), RS_BLOCK_OCTAVES, 0};
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
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	struct blocks blocks = blocks_of(thread, region, counter);
	uint64_t octaves = 0;
	while (next_block(&blocks))
		octaves |= UINT64_C(1) << blocks.octave;
	return octaves;
}

/* Return a bit for each octave that has a block and that the fast path may use. */
static uint64_t near_octaves(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	return find_octaves(thread, region, counter) >> region->table[counter].from
								<< region->table[counter].from;
}

static uint32_t octave_of(uint64_t w)
{
	return rs_bucket_of_w(w) / RS_BLOCK_BUCKETS;
}

/* Return the block that the fast path finds for an octave, or NULL. This function is not inlined,
 * to keep the stack small. */
static __attribute__((noinline)) struct rs_block *near_block(
	const struct rs_thread_region *region, uint32_t counter, uint32_t octave)
{
	const struct rs_counts *counts = region->table ? &region->table[counter] : NULL;
	if (!counts || octave - counts->first >= counts->n)
		return NULL;
	uintptr_t first = (uintptr_t)counts->near[octave - counts->first] +
			  (1023 + (uintptr_t)octave) * RS_BLOCK_BUCKETS * sizeof(uint64_t);
	return (void *)(first - offsetof(struct rs_block, counts));
}

/* If the fast path finds the block, the list is not searched. So a call executes as many
 * instructions as in calibration. */
struct rs_block *rs_accumulator_block(const struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t counter, uint64_t w)
{
	uint32_t octave = octave_of(w), least = UINT32_MAX;
	struct rs_block *block, *nearest = near_block(region, counter, octave);
	if (nearest)
		return nearest;
	struct blocks blocks = blocks_of(thread, region, counter);
	while ((block = next_block(&blocks))) {
		/* If two blocks are equally near, use the one of the lower octave. */
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

uint64_t rs_accumulator_count_of(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	struct blocks blocks = blocks_of(thread, region, counter);
	const struct rs_block *block;
	uint64_t count = 0;
	while ((block = next_block(&blocks)))
		count += rs_block_count(block);
	return count;
}

const uint64_t rs_zeros[1 + RS_MAX_EVENTS];

void rs_accumulator_set_near(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	struct rs_counts *counts = &region->table[counter];
	struct rs_block_sums *known = rs_table_sums(thread->shape, region->table);
	struct blocks blocks = blocks_of(thread, region, counter);
	uint64_t octaves = near_octaves(thread, region, counter), filled = 0;
	uint32_t first = octaves ? (uint32_t)__builtin_ctzll(octaves) : 0, n_sums = 0;
	struct rs_block *block;
	counts->range.width = 0;
	counts->n = 0;
	known->n = counter ? known->n : 0;
	atomic_signal_fence(memory_order_seq_cst);
	while ((block = next_block(&blocks))) {
		uint32_t place = blocks.octave - first;
		/* This address is below the array, because a bucket's index includes the bias of a
		 * double's exponent. */
		uintptr_t base = (uintptr_t)block->counts -
				 (1023 + (uintptr_t)blocks.octave) * sizeof(block->counts);
		if (octaves && place < RS_FAST_OCTAVES) {
			counts->near[place] = (uint64_t *)base;
			filled |= UINT64_C(1) << place;
		}
		if (!counter && n_sums++ < RS_MAX_SUMS)
			known->sums[n_sums - 1] = block->sums;
	}
	counts->blocks = (uint64_t **)((uintptr_t)counts->near -
				       (1023 + (uintptr_t)first) * sizeof(counts->near[0]));
	counts->first = (uint16_t)first;
	/* Use the filled places: another process may have changed the list since `octaves`. */
	counts->n = (uint16_t)__builtin_ctzll(~filled | UINT64_C(1) << RS_FAST_OCTAVES);
	if (counter)
		return;
	while (!n_sums || (n_sums % RS_SUMS_STEP && n_sums < RS_MAX_SUMS))
		known->sums[n_sums++] = rs_zeros;
	/* n is stored last, because a handler that reads n must find that many sums. */
	atomic_signal_fence(memory_order_seq_cst);
	known->n = n_sums <= RS_MAX_SUMS ? n_sums : 0;
}

/* Add a block at the front of the list. The list is complete even if the process is killed. */
static bool add_block(struct rs_thread *thread, struct rs_accumulator *accumulator,
	const struct rs_shape *shape, uint32_t counter, uint32_t octave)
{
	uint64_t *first = &rs_accumulator_blocks(accumulator, shape->n_events)[counter];
	uint64_t offset = rs_memory_take(
		thread, rs_block_bytes(sums_of(shape, counter)), RS_DATA_UNIT);
	if (!offset)
		return false;
	struct rs_block *block = (void *)(thread->base + offset);
	block->link = rs_block_link(*first & (RS_SEGMENT_BYTES - 1), octave);
	/* Release pairs with the acquire load of the accumulator's readers. */
	__atomic_store_n(first, offset, __ATOMIC_RELEASE);
	return true;
}

bool rs_accumulator_take_counts(
	struct rs_thread *thread, struct rs_accumulator *accumulator, const struct rs_shape *shape)
{
	for (uint32_t m = 0; m <= shape->n_events; m++)
		if (!add_block(thread, accumulator, shape, m, 0))
			return false;
	return true;
}

static bool is_first_value(
	const struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	struct rs_rare *rare = rs_accumulator_row_now(region->accumulator, shape);
	const struct rs_rare_moments *extremes = &rs_rare_extremes(rare, shape)[counter];
	return !(extremes->min_inverted | extremes->max);
}

/* To save memory, a gap between octaves gets blocks only after this many calls beyond it. */
#define MOST_FAR 16

/* Add the missing blocks between the lowest and the highest octave that have one, within the
 * RS_FAST_OCTAVES octaves of the fast path. */
static void fill_gaps(
	struct rs_thread *thread, const struct rs_thread_region *region, uint32_t counter)
{
	const struct rs_shape *shape = rs_shape_of(thread, region);
	uint64_t octaves = near_octaves(thread, region, counter);
	uint32_t first = octaves ? (uint32_t)__builtin_ctzll(octaves) : 0;
	octaves = octaves >> first & ((UINT64_C(1) << RS_FAST_OCTAVES) - 1);
	for (uint32_t i = 0; octaves >> i; i++)
		if (!(octaves >> i & 1) &&
			!add_block(thread, region->accumulator, shape, counter, first + i))
			return;
}

/* Count a call whose value has a block that the fast path does not find. Return true if blocks were
 * added, or if the fast path should use other octaves from now on. */
static __attribute__((noinline)) bool count_far(struct rs_thread *thread,
	const struct rs_thread_region *region, uint32_t counter, uint32_t octave)
{
	struct rs_counts *counts = &region->table[counter];
	/* Calibration needs the fast path from the first calls on. */
	if (++counts->n_far < MOST_FAR && !thread->probe.is_calibrating)
		return false;
	counts->n_far = 0;
	if (octave - counts->first < RS_FAST_OCTAVES)
		fill_gaps(thread, region, counter);
	else /* Let the fast path's octaves begin two octaves below this value. */
		counts->from = (uint16_t)(octave > 2 ? octave - 2 : 0);
	return true;
}

bool rs_accumulator_make_room(struct rs_thread *thread, const struct rs_thread_region *region,
	uint32_t counter, uint64_t value)
{
	uint32_t octave = octave_of(rs_w_of(value));
	const struct rs_shape *shape = rs_shape_of(thread, region);
	if (near_block(region, counter, octave))
		return false;
	struct blocks blocks = blocks_of(thread, region, counter);
	struct rs_block *block = next_block(&blocks);
	/* All counts are 0, so this block can be used for any octave. */
	if (is_first_value(thread, region, counter)) {
		if (block)
			atomic_store_explicit(link_of(block), rs_block_link(blocks.next, octave),
				memory_order_relaxed);
		return true;
	}
	while (block && blocks.octave != octave)
		block = next_block(&blocks);
	if (block)
		return region->table && count_far(thread, region, counter, octave);
	bool is_added = add_block(thread, region->accumulator, shape, counter, octave);
	if (!is_added)
		rs_accumulator_set_flag(region->accumulator, RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE);
	return is_added;
}

/* ---- ranges ---- */

/* Prepare the region so that the next call's fast path adds the latest call to the histograms.
 * Return false if the latest call was already added, or if the fast path cannot find the count of a
 * value. */
static bool set_latest(const struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_accumulator *accumulator = region->accumulator;
	if (rs_accumulator_is_folded(accumulator, rs_accumulator_word(accumulator)) ||
		rs_load_32(&rs_accumulator_row_now(accumulator, thread->shape)->latest_uncounted))
		return false;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		struct rs_counts *counts = &region->table[m];
		uint64_t w = rs_load_64(rs_accumulator_latest(accumulator, m));
		if (octave_of(w) - counts->first >= counts->n)
			return false;
		*(m ? &counts->latest : &region->latest) = w;
	}
	return true;
}

/* Return the range of those values from low to high that have counts. */
static struct rs_range range_of(const struct rs_counts *counts, uint64_t low, uint64_t high)
{
	uint32_t first = counts->first, last = first + counts->n - 1;
	uint64_t least = rs_block_low(first, 0), most = rs_block_low(last + 1, 0) - 1;
	/* As a double, the w of a greater value would be rounded up to the next octave. */
	most -= most >> 52;
	low = low < least ? least : low;
	high = high > most ? most : high;
	return (struct rs_range){low, high >= low ? high - low + 1 : 0};
}

void rs_accumulator_set_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	struct rs_accumulator *accumulator = region->accumulator;
	struct rs_rare *rare = rs_accumulator_row_now(accumulator, thread->shape);
	const struct rs_rare_moments *extremes = rs_rare_extremes(rare, thread->shape);
	region->table[0].range.width = 0;
	if (!set_latest(thread, region))
		return;
	for (uint32_t m = thread->n_events + 1; m-- > 0;) {
		struct rs_counts *counts = &region->table[m];
		counts->range = range_of(counts, ~rs_load_64(&extremes[m].min_inverted),
			rs_load_64(&extremes[m].max));
	}
	if (thread->runtime->slow_rules)
		rs_slow_calls_limit(thread, region);
}

void rs_accumulator_open_ranges(struct rs_thread *thread, struct rs_thread_region *region)
{
	for (uint32_t m = 0; set_latest(thread, region) && m <= thread->n_events; m++)
		region->table[m].range = range_of(&region->table[m], 0, RS_VALUE_MAX);
}

/* ---- sums ---- */

uint64_t rs_accumulator_sums(
	struct rs_thread *thread, const struct rs_thread_region *region, uint64_t *sums)
{
	const struct rs_accumulator *accumulator = region->accumulator;
	uint64_t word = rs_accumulator_word(accumulator);
	uint64_t weight = 0, weights = rs_accumulator_calls(word);
	bool samples = thread->runtime->samples;
	if (!rs_accumulator_is_folded(accumulator, word))
		weight = samples ? accumulator->latest_weight : 1;
	if (samples)
		weights = accumulator->weights + weight;
	sums[0] = accumulator->time_sum + weight * accumulator->latest_time;
	for (uint32_t e = 0; e < thread->n_events; e++)
		sums[1 + e] = weight * *rs_accumulator_latest(region->accumulator, 1 + e);
	struct blocks blocks = blocks_of(thread, region, 0);
	const struct rs_block *block;
	while (thread->n_events && (block = next_block(&blocks)))
		for (uint32_t e = 0; e < thread->n_events; e++)
			sums[1 + e] += block->sums[e];
	for (uint32_t m = 0; m <= thread->n_events; m++)
		sums[m] = (sums[m] - weights) / 2;
	return weights;
}

uint64_t rs_accumulator_median(struct rs_thread *thread, const struct rs_thread_region *region)
{
	uint64_t total = rs_accumulator_count_of(thread, region, 0), so_far = 0;
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
