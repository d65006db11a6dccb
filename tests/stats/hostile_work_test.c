/* SPDX-License-Identifier: MIT */
/*
 * Tests of work that a program has overwritten: damage is reported, and no value exceeds what the
 * calls allow. Expected values follow from the values that tests write.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "fixture.h"

#define N_CALLS 10u

static struct rs_accumulator *accumulator; /* region "victim" with N_CALLS calls, all with work */
static struct rs_work *work; /* work of accumulator */

/* Add the work of an accumulator, with the sums of all of its ENDs. */
static struct rs_work *add_work(struct rs_accumulator *into, uint64_t bytes, uint64_t flops)
{
	uint64_t offset = builder_take(&builder, sizeof(struct rs_work));
	struct rs_work *added = (void *)(builder.base + offset);
	added->copies[N_CALLS % 2] = (struct rs_work_sums){N_CALLS, N_CALLS, bytes, flops};
	into->work = (uint32_t)(offset / RS_OFFSET_UNIT);
	return added;
}

static struct rs_accumulator *add_calls(const char *name)
{
	struct rs_accumulator *added = add_accumulator(name, 70, 71);
	for (uint32_t i = 0; i < N_CALLS; i++)
		record(added, 200, 1);
	return added;
}

static void start(void)
{
	fixture_start();
	accumulator = add_calls("victim");
	work = add_work(accumulator, 6400, 320);
}

TestSuite(hostile_work, .init = start, .fini = fixture_finish, .timeout = 60);

/* Assert that the accumulator is kept without work, and that n_damaged damages are reported. */
static void assert_not_believed(uint64_t n_damaged)
{
	collect();
	cr_assert_eq(collection.n_damaged, n_damaged, "%s", collection.damage);
	cr_assert_eq(collection.results[0].measured, N_CALLS);
	cr_assert_eq(collection.results[0].work_calls, 0);
	cr_assert_eq(collection.results[0].work_bytes, 0);
	cr_assert_eq(collection.results[0].work_flops, 0);
}

Test(hostile_work, nothing_wrong_to_begin_with)
{
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.results[0].work_calls, N_CALLS);
	cr_assert_eq(collection.results[0].work_bytes, 6400);
	cr_assert_eq(collection.results[0].work_flops, 320);
}

Test(hostile_work, offsets_out_of_range)
{
	const uint32_t offsets[] = {1, RS_DATA_OFFSET / RS_OFFSET_UNIT - 1,
		RS_SEGMENT_BYTES / RS_OFFSET_UNIT - 1, UINT32_MAX};
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		accumulator->work = offsets[i];
		assert_not_believed(1);
	}
}

/* The offset leads into the accumulator itself. */
Test(hostile_work, offset_of_a_accumulator)
{
	accumulator->work =
		(uint32_t)((uint64_t)((char *)accumulator - builder.base) / RS_OFFSET_UNIT);
	assert_not_believed(1);
}

/* If two accumulators name the same block or overlapping ones, only one is accepted. */
Test(hostile_work, blocks_that_overlap)
{
	struct rs_accumulator *other = add_calls("other");
	for (uint32_t shift = 0; shift < 2; shift++) {
		other->work = accumulator->work + shift;
		collect();
		cr_assert_eq(collection.n_damaged, 1);
		cr_assert_eq(collection.n_results, 2);
		cr_assert_eq(collection.results[0].work_bytes, 6400);
		cr_assert_eq(collection.results[1].work_calls, 0);
	}
}

Test(hostile_work, stamps_that_lie)
{
	for (uint32_t copy = 0; copy < 2; copy++)
		work->copies[copy] = (struct rs_work_sums){UINT64_MAX - copy, N_CALLS + 1, 1, 1};
	assert_not_believed(1);
	/* the sums have more calls than ENDs */
	for (uint32_t copy = 0; copy < 2; copy++)
		work->copies[copy] = (struct rs_work_sums){2, 3, 1, 1};
	assert_not_believed(1);
	/* the sums have work but no calls */
	for (uint32_t copy = 0; copy < 2; copy++)
		work->copies[copy] = (struct rs_work_sums){N_CALLS, 0, 1, 0};
	assert_not_believed(1);
}

/* The other copy may have any values, since an END may be unfinished. */
Test(hostile_work, other_copy_out_of_nowhere)
{
	work->copies[!(N_CALLS % 2)] = (struct rs_work_sums){
		N_CALLS + 1, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	collect();
	cr_assert_eq(collection.n_damaged, 0);
	cr_assert_eq(collection.results[0].work_calls, N_CALLS);
	cr_assert_eq(collection.results[0].work_bytes, 6400);
}

/* Sums of one or two accumulators stay at the largest number. */
Test(hostile_work, sums_near_the_end)
{
	work->copies[N_CALLS % 2].bytes = work->copies[N_CALLS % 2].flops = UINT64_MAX - 1;
	struct rs_accumulator *other = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 10000), accumulator->region);
	for (uint32_t i = 0; i < N_CALLS; i++)
		record(other, 200, 1);
	add_work(other, 2, UINT64_MAX);
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_assert_eq(summary.regions[0].work.calls, 2 * N_CALLS);
	cr_assert_eq(summary.regions[0].work.bytes, UINT64_MAX);
	cr_assert_eq(summary.regions[0].work.flops, UINT64_MAX);
}

/* Regions of one work that refer to each other, to themselves or to no region are treated like
 * other regions. */
Test(hostile_work, regions_of_each_other)
{
	struct rs_accumulator *others[] = {add_calls("self"), add_calls("first"),
		add_calls("second"), add_calls("astray"), add_calls("far")};
	uint32_t self = others[0]->region, first = others[1]->region;
	builder_region_at(&builder, self)->work_of = 1 + self;
	builder_region_at(&builder, first)->work_of = 1 + first + 1;
	builder_region_at(&builder, first + 1)->work_of = 1 + first;
	builder_region_at(&builder, first + 2)->work_of = RS_MAX_REGIONS;
	builder_region_at(&builder, first + 3)->work_of = UINT32_MAX;
	summarize();
	cr_assert_eq(summary.n_works, 0);
	cr_assert_eq(summary.n_regions, 6);
	for (size_t i = 0; i < summary.n_regions; i++)
		cr_assert_eq(summary.regions[i].calls, N_CALLS);
}

/* All calls of regions of one work belong to their region, however many such regions there are. */
Test(hostile_work, more_regions_of_one_than_there_can_be)
{
	uint32_t n_works = 2 * RS_MAX_WORKS;
	for (uint32_t i = 0; i < n_works; i++) {
		char name[32];
		snprintf(name, sizeof(name), "victim [%u]", i);
		uint32_t region = builder_region(&builder, name);
		record(builder_accumulator(&builder, 0, region), 200, 1);
		builder_region_at(&builder, region)->work_of = 1 + accumulator->region;
		builder_region_at(&builder, region)->work_bytes = i;
	}
	builder_region_at(&builder, accumulator->region)->n_works = UINT32_MAX;
	summarize();
	cr_assert_eq(summary.n_regions, 1);
	cr_assert_eq(summary.regions[0].calls, N_CALLS + n_works);
	cr_assert_eq(summary.n_works, n_works);
	for (uint32_t i = 0; i < n_works; i++)
		cr_assert_eq(summary.works[i].calls, 1);
}
