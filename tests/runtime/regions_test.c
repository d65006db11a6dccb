/* SPDX-License-Identifier: MIT */
/* Tests of region names: made at run time, too long, too many, or hostile. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/calls/calls.h"
#include "runtime/thread/thread.h"
#include "segment/slow_calls.h"

static struct fixture fixture;

Test(regions, functions_and_literals_meet)
{
	char name[] = "copy";
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("copy");
	REGIONSTAT_END("copy");
	regionstat_begin(name);
	memset(name, 'x', 4); /* END must compare the name's content, since the name was copied. */
	regionstat_end("copy");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "copy"), 2);
	cr_assert_null(fixture_accumulator(&fixture, "xxxx", 0));
}

Test(regions, longest_name_is_whole)
{
	char name[128];
	memset(name, 'n', 127);
	name[127] = '\0';
	fixture_start(&fixture, 0);
	regionstat_begin(name);
	regionstat_end(name);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, name), 1);
	cr_assert_eq(fixture.collection.regions[1].flags & RS_REGION_TRUNCATED, 0);
}

Test(regions, longer_names_stay_distinct)
{
	char one[1000], two[1000];
	memset(one, 'n', 999);
	one[999] = '\0';
	memcpy(two, one, sizeof(two));
	two[998] = 'm';
	fixture_start(&fixture, 0);
	for (int i = 0; i < 3; i++) {
		regionstat_begin(one);
		regionstat_end(one);
		regionstat_begin(two);
		regionstat_end(two);
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.n_regions, 3);
	for (int i = 1; i < 3; i++) {
		const struct rs_run_region *region = &fixture.collection.regions[i];
		cr_assert(region->flags & RS_REGION_TRUNCATED);
		cr_assert_eq(strspn(region->name, "n"), 110);
		cr_assert_eq(region->name[110], '~');
		cr_assert_eq(fixture_calls(&fixture, region->name), 3);
	}
}

/* The name has 3-byte characters. The limit of 110 bytes is no multiple of 3, so the cut moves to a
 * whole character. */
Test(regions, long_utf8_is_cut_at_a_character)
{
	char name[301];
	for (int i = 0; i < 100; i++)
		memcpy(name + 3 * i, "\xe2\x82\xac", 3);
	name[300] = '\0';
	fixture_start(&fixture, 0);
	regionstat_begin(name);
	regionstat_end(name);
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.regions[1].name[108], '~');
}

Test(regions, empty_and_null_names)
{
	fixture_start(&fixture, 0);
	regionstat_begin("");
	regionstat_end(NULL);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "(unnamed)"), 1);
}

Test(regions, too_many_go_to_other)
{
	char name[16];
	fixture_start(&fixture, 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		regionstat_begin(name);
		regionstat_end(name);
	}
	fixture_collect(&fixture);
	/* 4,096 entries, one of which is "(other)". */
	cr_assert_eq(fixture.collection.n_regions, 4096);
	cr_assert_eq(fixture_calls(&fixture, "region 0"), 1);
	cr_assert_eq(fixture_calls(&fixture, "region 4094"), 1);
	cr_assert_null(fixture_accumulator(&fixture, "region 4095", 0));
	cr_assert_eq(fixture_calls(&fixture, "(other)"), 5000 - 4095);
	/* Both markers of each call whose region found the table full. */
	cr_assert_eq(fixture.collection.diag[RS_SEGMENT_DIAG_REGIONS], 2 * (5000 - 4095));
}

static pthread_barrier_t barrier;

static void *race(void *data)
{
	char name[24];
	(void)data;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "raced %d", i);
		regionstat_begin(name);
		regionstat_end(name);
	}
	return NULL;
}

Test(regions, threads_agree_on_names)
{
	pthread_t threads[8];
	fixture_start(&fixture, 0);
	pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, race, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	fixture_collect(&fixture);
	cr_assert_eq(fixture.collection.n_regions, 201);
	for (int i = 0; i < 200; i++) {
		char name[24];
		snprintf(name, sizeof(name), "raced %d", i);
		cr_assert_eq(fixture_calls(&fixture, name), 8);
	}
}

/* A program may overwrite the segment and turn on sampling there, while its markers do not
 * sample. */
Test(regions, scribbled_sampling, .timeout = 30)
{
	fixture_start(&fixture, 0);
	fixture.segment.header->sample_calls = 1000;
	for (int i = 0; i < 100; i++) {
		REGIONSTAT_BEGIN("one");
		REGIONSTAT_NEXT("one", "two");
		REGIONSTAT_END("two");
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "one"), 100);
	cr_assert_eq(fixture_calls(&fixture, "two"), 100);
}

/* The words of an accumulator from which the fast path's ranges follow. */
struct scribbled {
	struct rs_accumulator *accumulator;
	struct rs_rare *rare;
	struct rs_rare_moments *extremes;
	uint64_t *inside;
	_Atomic bool is_over;
	_Atomic uint64_t n; /* rounds of scribble() */
};

static void *scribble(void *data)
{
	struct scribbled *words = data;
	for (uint64_t i = 0; !words->is_over; i = ++words->n) {
		const uint64_t any = i * UINT64_C(0x9e3779b97f4a7c15);
		__atomic_store_n(&words->accumulator->region, (uint16_t)any, __ATOMIC_RELAXED);
		__atomic_store_n(&words->rare->latest_uncounted, i % 7 == 0, __ATOMIC_RELAXED);
		__atomic_store_n(&words->extremes->min_inverted, ~(i % 1024), __ATOMIC_RELAXED);
		__atomic_store_n(&words->extremes->max, any >> i % 64, __ATOMIC_RELAXED);
		__atomic_store_n(words->inside, any >> i % 64, __ATOMIC_RELAXED);
	}
	return NULL;
}

#define SLOW_TICKS UINT64_C(20000)

static void call_slowly(uint64_t ticks)
{
	REGIONSTAT_BEGIN("call");
	const uint64_t begin = rs_ticks(rs_self->clock);
	while (rs_ticks(rs_self->clock) - begin < ticks)
		;
	REGIONSTAT_END("call");
}

/* The range that the fast path may record lies in octaves with counts and excludes slow calls,
 * whatever another process writes into the segment meanwhile. */
Test(regions, scribbled_extremes, .timeout = 60)
{
	const struct rs_slow_rule rule = {.glob = "*", .counters = 1, .above = SLOW_TICKS};
	const uint32_t n_rules = 1;
	pthread_t thread;
	fixture_make(&fixture, 0);
	int fd = fixture.segment.fd;
	uint64_t offset = RS_SLOW_CALLS_OFFSET;
	cr_assert_eq(pwrite(fd, &n_rules, sizeof(n_rules), (off_t)offset), sizeof(n_rules));
	offset += offsetof(struct rs_slow_calls, rules);
	cr_assert_eq(pwrite(fd, &rule, sizeof(rule), (off_t)offset), sizeof(rule));
	fixture_attach(&fixture);
	for (uint64_t ticks = SLOW_TICKS / 4; ticks <= 4 * SLOW_TICKS; ticks *= 2)
		call_slowly(ticks);
	struct rs_thread_region *region =
		&rs_self->regions[rs_region_index(rs_self->runtime, "call")];
	struct scribbled words = {.accumulator = region->accumulator,
		.rare = rs_accumulator_row_now(region->accumulator, rs_self->shape),
		.inside = rs_accumulator_inside(region->accumulator, 0)};
	words.extremes = rs_rare_extremes(words.rare, rs_self->shape);
	cr_assert_eq(pthread_create(&thread, NULL, scribble, &words), 0);
	const struct rs_counts *counts = region->table;
	const struct rs_range *range = &counts->range;
	while (words.n < 500000) {
		rs_accumulator_set_ranges(rs_self, region);
		if (!range->width)
			continue;
		uint64_t last = range->low + range->width - 1;
		cr_assert_leq(last, SLOW_TICKS + rs_self->cost->inside[0]);
		cr_assert_geq(
			rs_bucket_of_w(rs_w_of(range->low)) / RS_BLOCK_BUCKETS, counts->first);
		cr_assert_lt(rs_bucket_of_w(rs_w_of(last)) / RS_BLOCK_BUCKETS,
			counts->first + counts->n);
	}
	words.is_over = true;
	cr_assert_eq(pthread_join(thread, NULL), 0);
}
