/* SPDX-License-Identifier: MIT */
/* Tests of a region without a name, of a name without a region, and of regions that another process
 * writes into. cli/region_names.py tests names. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/calls/calls.h"
#include "runtime/thread/thread.h"
#include "segment/slow_calls.h"

static struct fixture fixture;

Test(regions, empty_and_null_names)
{
	fixture_start(&fixture, 0);
	regionstat_begin("");
	regionstat_end(NULL);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "(unnamed)"), 1);
}

/* A name that no region has may have the hash bucket of a region. */
Test(regions, unknown_name_has_no_values)
{
	char name[16];
	uint32_t n = 0, wanted = rs_name_hash("call", 4) % RS_REGION_BUCKETS;
	struct regionstat_values values;
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("call");
	REGIONSTAT_END("call");
	do
		sprintf(name, "%u", n++);
	while (rs_name_hash(name, (uint32_t)strlen(name)) % RS_REGION_BUCKETS != wanted);
	regionstat_read(name, REGIONSTAT_TIME, REGIONSTAT_THREAD, &values);
	cr_assert_eq(values.calls_, 0);
}

/* Without memory for more names, calls count for "(other)". The table is not full, and takes all
 * names when there is memory again. */
Test(regions, names_without_memory)
{
	enum { N_NAMES = RS_MAX_REGIONS - 8 };
	struct rlimit limit, small;
	char name[32];
	fixture_start(&fixture, 0);
	CALL_ONCE("first");
	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	small = (struct rlimit){4096, limit.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_AS, &small), 0);
	fixture_call_each("refused", 2 * RS_MAX_REGIONS);
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	fixture_collect(&fixture);
	cr_assert_gt(fixture.collection.diag[RS_SEGMENT_DIAG_MEMORY], 0);
	cr_assert_eq(fixture.collection.diag[RS_SEGMENT_DIAG_REGIONS], 0);
	uint32_t n_names = N_NAMES - (uint32_t)fixture.collection.n_regions;
	cr_assert_gt(n_names, N_NAMES / 2);
	fixture_call_each("accepted", n_names);
	snprintf(name, sizeof(name), "accepted %u", n_names - 1);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "accepted 0"), 1);
	cr_assert_eq(fixture_calls(&fixture, name), 1);
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
	struct rs_thread_region *region = fixture_region("call");
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
