/* SPDX-License-Identifier: MIT */
/* Distributions of regions whose histograms are known. */
#include <criterion/criterion.h>

#include <string.h>

#include "segment/cell.h"
#include "stats/distribution.h"
#include "stats/histogram.h"

static struct rs_region_copy regions[] = {
	{"(other)", 0, true}, {"a", 0, true}, {"a:b", 0, true}, {"", 0, false}};
static struct rs_collection collection = {.regions = regions, .n_regions = 4};
static struct rs_summary_column columns[] = {{"time", "ns", true, true},
	{"faults:u", "count", true, true}, {"cycles", "count", false, true}};
static struct rs_summary summary = {.columns = columns, .n_columns = 3};

static void expect_found(const char *wish, uint32_t wanted, size_t wanted_column)
{
	uint32_t region = 99;
	struct rs_distribution found = {.column = 99};
	cr_expect(rs_distribution_find(&summary, &collection, wish, &region, &found), "%s", wish);
	cr_expect_eq(region, wanted, "%s", wish);
	cr_expect_eq(found.column, wanted_column, "%s", wish);
	cr_expect_eq(found.is_cpu_time, strstr(wish, ":cpu-time") != NULL, "%s", wish);
}

Test(distribution, wishes)
{
	expect_found("a", 1, 0);
	expect_found("a:time", 1, 0);
	expect_found("a:faults:u", 1, 1);
	expect_found("a:b", 2, 0);
	expect_found("a:cpu-time", 1, 0);
	expect_found("a:b:cpu-time", 2, 0);
	expect_found("a:b:faults:u", 2, 1);
	static const char *const wrong[] = {"", "b", "a:", "a:cycles", "a:b:c", ":time"};
	uint32_t region;
	struct rs_distribution found;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_not(
			rs_distribution_find(&summary, &collection, wrong[i], &region, &found));
}

/* Two threads with values 0 to 9, 10 + i times each i, and one with others of another region. */
Test(distribution, small_counts)
{
	static struct rs_bucket buckets[10];
	for (uint32_t i = 0; i < 10; i++)
		buckets[i] = rs_histogram_bucket(i, 10 + i);
	struct rs_value values[3][RS_EVENT_FIRST + 1] = {0};
	struct rs_cell_copy cells[3] = {{.region = 1}, {.region = 2}, {.region = 1}};
	for (size_t i = 0; i < 3; i++) {
		values[i][RS_EVENT_FIRST].histogram = (struct rs_histogram){buckets, 10, false};
		cells[i].values = values[i];
	}
	collection.cells = cells;
	collection.n_cells = 3;
	struct rs_arena arena = {0};
	struct rs_distribution distribution = {0};
	const uint32_t event = RS_EVENT_FIRST;
	cr_assert(rs_distribution_make(&distribution, &arena, &collection, 1, &event, 1));
	cr_assert_eq(distribution.n_steps, 10);
	cr_expect_eq(distribution.calls, 2 * (100 + 45));
	cr_expect_eq(distribution.most, 38);
	for (size_t i = 0; i < 10; i++) {
		cr_expect_eq(distribution.steps[i].low, i);
		cr_expect_eq(distribution.steps[i].high, i);
		cr_expect_eq(distribution.steps[i].calls, 2 * (10 + i));
	}
	rs_arena_finish(&arena);
}

/* From 1 to 2^62 at once: three steps a decade, without a gap, and every call in the one that holds its value. */
Test(distribution, of_all_sizes)
{
	static struct rs_bucket buckets[62];
	for (uint32_t i = 0; i < 62; i++)
		buckets[i] = rs_histogram_bucket(UINT64_C(1) << i, 1);
	struct rs_value values[RS_EVENT_FIRST] = {{.histogram = {buckets, 62, false}}};
	struct rs_cell_copy cell = {.region = 1, .values = values};
	collection.cells = &cell;
	collection.n_cells = 1;
	struct rs_arena arena = {0};
	struct rs_distribution distribution = {0};
	const uint32_t event = RS_EVENT_TIME;
	cr_assert(rs_distribution_make(&distribution, &arena, &collection, 1, &event, 1));
	cr_assert_leq(distribution.n_steps, 3 * 19);
	uint64_t calls = 0;
	for (size_t i = 0; i < distribution.n_steps; i++) {
		const struct rs_distribution_step *step = &distribution.steps[i];
		uint64_t within = 0;
		for (uint32_t bit = 0; bit < 62; bit++)
			within += UINT64_C(1) << bit >= step->low &&
				  UINT64_C(1) << bit <= step->high;
		cr_expect_eq(step->calls, within);
		if (i > 0)
			cr_expect_eq(step->low, distribution.steps[i - 1].high + 1);
		calls += step->calls;
	}
	cr_expect_eq(calls, 62);
	rs_arena_finish(&arena);
}
