/* SPDX-License-Identifier: MIT */
/* Tests of collecting segments that a program has overwritten: damage is reported, and wrong values
 * are not used. */
#include <criterion/criterion.h>

#include <string.h>

#include "fixture.h"
#include "random.h"
#include "segment/adapters.h"

static const uint32_t one_group[] = {0, 0};

static struct rs_accumulator *accumulator; /* region "victim" on slot 0, with 100 calls */
static uint32_t slot;

static void record_value(struct rs_accumulator *into, uint64_t value)
{
	uint64_t deltas[] = {value, value / 2, value / 3};
	struct builder_call call = {.deltas = deltas, .enabled_ns = 5, .running_ns = 5};
	builder_record(&builder, into, &call);
}

static void start(void)
{
	fixture_start_segment(2, one_group, 1000000);
	slot = builder_slot(&builder, builder_process(&builder, 70), 71, 5000);
	accumulator = builder_accumulator(&builder, slot, builder_region(&builder, "victim"));
	for (uint64_t i = 0; i < 100; i++)
		record_value(accumulator, 1000 + i);
}

TestSuite(hostile, .init = start, .fini = fixture_finish, .timeout = 60);

/* Assert that the accumulator is excluded and reported. */
static void assert_left_out(size_t n_accumulators)
{
	collect();
	cr_assert_eq(collection.n_results, n_accumulators);
	cr_assert_eq(collection.n_damaged, 1);
	cr_assert_neq(collection.damage[0], '\0');
}

/* Assert that the accumulator is kept without its first histogram. */
static void assert_histogram_spoiled(void)
{
	collect();
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.n_damaged, 1);
	cr_assert(collection.results[0].values[rs_event_of_counter(1)].histogram.incomplete);
	cr_assert_not(collection.results[0].values[RS_EVENT_TIME].histogram.incomplete);
	cr_assert_eq(collection.results[0].measured, 100);
}

Test(hostile, nothing_wrong_to_begin_with)
{
	collect();
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.n_damaged, 0);
}

static void assert_header_refused(void)
{
	struct rs_err err;
	cr_assert_not(try_to_collect(&err));
	cr_assert(strstr(err.text, "overwrote") && strstr(err.text, "try: "), "%s", err.text);
	cr_assert_null(collection.results);
}

/* A test of one damage to the header. */
#define REFUSED(name, damage)            \
	Test(hostile, name)              \
	{                                \
		damage;                  \
		assert_header_refused(); \
	}

REFUSED(header_magic, builder.segment.header->magic ^= 1)

REFUSED(header_version, builder.segment.header->abi = RS_SEGMENT_ABI + 1)

REFUSED(header_sizes, builder.segment.header->segment_bytes = 1)

REFUSED(header_event_count, builder.segment.header->n_events = RS_MAX_EVENTS)

REFUSED(header_one_event_fewer, builder.segment.header->n_events--)

REFUSED(header_one_group_more, builder.segment.header->n_groups++)

REFUSED(header_all_ones, memset(builder.base, 0xff, sizeof(struct rs_segment_header)))

Test(hostile, event_plan)
{
	struct rs_segment_event *events = (void *)(builder.base + RS_EVENTS_OFFSET);
	events[1].group = 7;
	assert_header_refused();
}

/* Any counts of adapters are valid, except those of an adapter that does not exist. */
Test(hostile, adapters_all_ones)
{
	memset(builder.base + RS_ADAPTERS_OFFSET, 0xff,
		RS_MAX_ADAPTERS * sizeof(struct rs_segment_adapter));
	collect();
	cr_assert_eq(collection.n_adapters, RS_ADAPTER_N);
	for (uint32_t i = 0; i < RS_ADAPTER_N; i++) {
		cr_assert_str_eq(collection.adapters[i].word, rs_adapter_word(i));
		cr_assert_eq(collection.adapters[i].counts[RS_ADAPTER_COUNT_REGIONS], UINT64_MAX);
	}
	cr_assert_eq(collection.n_damaged, RS_MAX_ADAPTERS - RS_ADAPTER_N);
}

Test(hostile, one_adapter)
{
	struct rs_segment_adapter *adapters = (void *)(builder.base + RS_ADAPTERS_OFFSET);
	adapters[RS_ADAPTER_PAPI].counts[RS_ADAPTER_COUNT_IGNORED] = 7;
	collect();
	cr_assert_eq(collection.n_adapters, 1);
	cr_assert_str_eq(collection.adapters[0].word, "papi");
	cr_assert_eq(collection.adapters[0].counts[RS_ADAPTER_COUNT_IGNORED], 7);
	cr_assert_eq(collection.adapters[0].counts[RS_ADAPTER_COUNT_LOADED], 0);
	cr_assert_eq(collection.n_damaged, 0);
}

Test(hostile, everything_but_the_header_all_ones)
{
	memset(builder.base + RS_REGIONS_OFFSET, 0xff, BUILDER_BYTES - RS_REGIONS_OFFSET);
	builder.segment.header->n_regions = UINT32_MAX;
	builder.segment.header->n_slots = UINT32_MAX;
	builder.segment.header->n_processes = UINT32_MAX;
	collect();
	cr_assert_eq(collection.n_results, 0);
	cr_assert_eq(collection.n_damaged, RS_MAX_REGIONS + RS_MAX_PROCESSES + RS_MAX_SLOTS);
}

Test(hostile, list_leads_back_to_its_head)
{
	struct rs_accumulator *last = builder_accumulator(
		&builder, slot, builder_region(&builder, "last"));
	record_value(last, 1);
	last->next = builder_slot_at(&builder, slot)->first_accumulator;
	assert_left_out(2);
}

Test(hostile, all_slots_share_a_list)
{
	uint64_t first = builder_slot_at(&builder, slot)->first_accumulator;
	while (builder.segment.header->n_slots < RS_MAX_SLOTS)
		builder_slot_at(&builder, builder_slot(&builder, 0, 1, 1))->first_accumulator =
			first;
	collect();
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.n_damaged, RS_MAX_SLOTS - 1);
}

Test(hostile, offsets_at_the_ends)
{
	uint32_t bytes = rs_accumulator_bytes(2, 1);
	uint64_t offsets[] = {1, 64, RS_DATA_OFFSET - 64, RS_DATA_OFFSET + 1, RS_SEGMENT_BYTES - 64,
		RS_SEGMENT_BYTES - bytes, RS_SEGMENT_BYTES - bytes + 64, RS_SEGMENT_BYTES,
		RS_SEGMENT_BYTES + 64, UINT64_MAX - 63, UINT64_MAX, UINT64_C(1) << 63};
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		accumulator->next = offsets[i];
		assert_left_out(1);
	}
}

/* A test of one damage, after which n_left accumulators are left. */
#define LEFT_OUT(name, n_left, damage)   \
	Test(hostile, name)              \
	{                                \
		damage;                  \
		assert_left_out(n_left); \
	}

LEFT_OUT(list_of_one_accumulator_leads_to_itself, 1,
	accumulator->next = builder_slot_at(&builder, slot)->first_accumulator)

LEFT_OUT(slots_share_a_list, 1,
	builder_slot_at(&builder, builder_slot(&builder, 0, 72, 1))->first_accumulator =
		builder_slot_at(&builder, slot)->first_accumulator)

LEFT_OUT(accumulators_overlap, 1,
	builder_slot_at(&builder, builder_slot(&builder, 0, 72, 1))->first_accumulator =
		builder_slot_at(&builder, slot)->first_accumulator + 64)

LEFT_OUT(region_twice_in_a_slot, 1,
	record_value(builder_accumulator(&builder, slot, accumulator->region), 1))

/* The overhead of all 100 calls does not fit in 64 bits. */
LEFT_OUT(overhead_overflows, 0, rs_accumulator_inside(accumulator, 2)[0] = INT64_MAX)

LEFT_OUT(accumulator_of_no_region, 0,
	accumulator->region = (uint16_t)builder.segment.header->n_regions)

LEFT_OUT(accumulator_of_a_region_without_name, 0,
	builder_region_at(&builder, accumulator->region)->state = RS_REGION_EMPTY)

LEFT_OUT(accumulator_size, 0, accumulator->accumulator_units++)

LEFT_OUT(more_calls_than_possible, 0, accumulator->calls_word = RS_MAX_CALLS << 2)

LEFT_OUT(more_uncounted_than_calls, 0, builder_groups(&builder, accumulator)->uncounted = 101)

LEFT_OUT(min_above_max, 0, builder_extremes(&builder, accumulator)->min_inverted = ~UINT64_C(1100))

LEFT_OUT(sum_above_what_max_allows, 0, builder_sums(&builder, accumulator, 1000)[0] = UINT64_MAX)

LEFT_OUT(squares_below_what_the_sum_needs, 0, *rs_accumulator_square(accumulator, 2, 2) /= 2)

LEFT_OUT(row_that_was_never_written, 0,
	memset((char *)accumulator + rs_accumulator_rare_offset(2, 1, 0), 0,
		2 * rs_rare_bytes(2, 1)))

LEFT_OUT(longer_off_the_pmu_than_all_calls_took, 0,
	builder_groups(&builder, accumulator)->unstable_ticks = 100 * 1099)

LEFT_OUT(counted_for_longer_than_asked, 0,
	builder_groups(&builder, accumulator)->answered_ticks = UINT64_MAX)

LEFT_OUT(missed_for_longer_than_asked, 0,
	builder_groups(&builder, accumulator)->missed_ticks = UINT64_MAX)

LEFT_OUT(sampling_flag_out_of_nowhere, 0, builder.segment.header->flags = RS_SEGMENT_SAMPLES)

LEFT_OUT(uncounted_weights_where_none_are, 0,
	builder_groups(&builder, accumulator)->uncounted_weights = 1)

Test(hostile, name_without_end)
{
	struct rs_region *region = builder_region_at(&builder, builder_region(&builder, "a"));
	memset(region->name, 'a', RS_NAME_BYTES);
	region->name_bytes = RS_NAME_BYTES - 1;
	assert_left_out(1);
}

Test(hostile, running_above_enabled_is_cut)
{
	builder_groups(&builder, accumulator)->running_ns = UINT64_MAX;
	collect();
	cr_assert_eq(collection.results[0].values[RS_EVENT_FIRST].running_ns, 500);
}

/* A tick takes 1000 ns. The time of a call that the event missed does not fit in 64 bits. */
Test(hostile, missed_for_longer_than_64_bits_have)
{
	const uint64_t deltas[] = {UINT64_C(1) << 60, 1, 1}, short_deltas[] = {1, 1, 1};
	struct builder_call call = {.deltas = short_deltas, .enabled_ns = 999, .running_ns = 999};
	accumulator = builder_accumulator(&builder, slot, builder_region(&builder, "long"));
	builder_record(&builder, accumulator, &call);
	call = (struct builder_call){.deltas = deltas, .not_counted = 1};
	builder_record(&builder, accumulator, &call);
	builder_groups(&builder, accumulator)->answered_ticks -= deltas[0];
	builder_groups(&builder, accumulator)->missed_ticks += deltas[0];
	outcome.end = (struct rs_clock_point){1, 1000};
	collect();
	cr_assert_eq(collection.n_results, 2);
	cr_assert_eq(collection.results[1].values[RS_EVENT_FIRST].running_ns, 999);
	cr_assert_eq(collection.results[1].values[RS_EVENT_FIRST].enabled_ns, UINT64_MAX);
}

/* Without the counts of time the sums of events, which lie behind them, are unknown. */
Test(hostile, counts_outside_or_shared)
{
	uint64_t *blocks = builder_blocks(&builder, accumulator),
		 before[2] = {blocks[0], blocks[1]};
	uint64_t words[] = {1, UINT64_MAX, RS_DATA_OFFSET - 64, RS_SEGMENT_BYTES - 8,
		builder_slot_at(&builder, slot)->first_accumulator, before[0] + 1, before[0] + 8};
	for (size_t m = 0; m < 2; m++) {
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			blocks[m] = words[i];
			collect();
			cr_assert_geq(collection.n_damaged, 1, "%zu", i);
			cr_assert_eq(collection.n_results, m, "%zu", i);
			if (m)
				cr_assert(collection.results[0]
						  .values[rs_event_of_counter(1)]
						  .histogram.incomplete);
		}
		blocks[m] = before[m];
	}
	blocks[0] = before[1];
	blocks[1] = before[0];
	collect();
	cr_assert_leq(collection.n_results, 1);
}

/* A list that leads back to itself, or from one histogram into another; an octave that no value
 * has. */
Test(hostile, links_astray)
{
	struct rs_block *block = (void *)(builder.base + builder_blocks(&builder, accumulator)[1]);
	const uint64_t link = block->link, *blocks = builder_blocks(&builder, accumulator);
	const uint64_t links[] = {rs_block_link(blocks[1], (uint32_t)(link & 0xff)),
		rs_block_link(blocks[1], 62), rs_block_link(blocks[0], (uint32_t)(link & 0xff)),
		rs_block_link(0, RS_BLOCK_OCTAVES), UINT64_MAX, link | UINT64_C(1) << 63};
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		block->link = links[i];
		collect();
		cr_assert_geq(collection.n_damaged, 1, "%zu", i);
		cr_assert_eq(collection.n_results, 1, "%zu", i);
		cr_assert(
			collection.results[0].values[rs_event_of_counter(1)].histogram.incomplete);
	}
}

Test(hostile, counts_in_a_hole_are_none)
{
	builder_blocks(&builder, accumulator)[1] = RS_SEGMENT_BYTES - sizeof(struct rs_block);
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.results[0].values[rs_event_of_counter(1)].histogram.n, 0);
	cr_assert(collection.results[0].values[rs_event_of_counter(1)].histogram.incomplete);
}

Test(hostile, histogram_of_too_many)
{
	uint64_t *first = builder_count(&builder, accumulator, 1, 512);
	*first += 2; /* one of the two is taken for the latest call */
	assert_histogram_spoiled();
	memset(first, 0xff, RS_BLOCK_BUCKETS * sizeof(*first));
	assert_histogram_spoiled();
}

Test(hostile, latest_values)
{
	static const uint64_t values[] = {0, 2, 1 << 20, UINT64_MAX, UINT64_MAX - 1};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		accumulator->latest_time = values[i];
		assert_left_out(0);
	}
}

Test(hostile, damage_in_one_slot_leaves_the_others)
{
	uint32_t other = builder_slot(&builder, 0, 72, 1);
	record_value(builder_accumulator(&builder, other, accumulator->region), 9);
	builder_slot_at(&builder, slot)->state = 99;
	assert_left_out(1);
	cr_assert_eq(collection.n_results, 1);
	cr_assert_eq(collection.threads[collection.results[0].thread].tid, 72);
}

/* Lists lead through all extents of a segment that is full of accumulators. Each byte is read only
 * once. */
Test(hostile, long_tangled_lists)
{
	uint64_t state = 6;
	uint32_t bytes = rs_accumulator_bytes(2, 1);
	uint64_t first = builder_slot_at(&builder, slot)->first_accumulator;
	uint64_t n = (BUILDER_BYTES - RS_DATA_OFFSET) / bytes;
	for (uint64_t i = 1; i < n; i++) {
		struct rs_accumulator *next = (void *)(builder.base + first + i * bytes);
		memcpy(next, accumulator, bytes);
		next->region = (uint16_t)(i % 2);
		next->next = first + random_next(&state) % n * bytes;
		for (uint32_t counter = 0; counter < 3; counter++)
			builder_blocks(&builder, next)[counter] =
				random_next(&state) % RS_SEGMENT_BYTES & ~UINT64_C(7);
	}
	while (builder.segment.header->n_slots < RS_MAX_SLOTS)
		builder_slot_at(&builder, builder_slot(&builder, 0, 1, 1))->first_accumulator =
			first + random_next(&state) % n * bytes;
	collect();
	cr_assert_leq(collection.n_results, n);
	cr_assert_geq(collection.n_damaged, RS_MAX_SLOTS - n);
}

Test(hostile, counts_beside_the_calls)
{
	accumulator->skipped = accumulator->pending = UINT64_MAX;
	accumulator->pair_ticks = accumulator->skip_ticks = UINT32_MAX;
	accumulator->own_ticks = UINT64_MAX;
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(rs_result_skipped(&collection.results[0]), RS_MAX_CALLS - 1);
}
