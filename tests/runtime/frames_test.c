/* SPDX-License-Identifier: MIT */
/* Tests of nesting: every rule for open calls. */
#include "fixture.h"

#include <stdio.h>

static struct fixture fixture;

static void spin_ticks(uint64_t ticks)
{
	enum rs_clock clock = fixture.segment.header->clock;
	uint64_t begin = rs_clock_point_now(clock).ticks;
	while (rs_clock_point_now(clock).ticks - begin < ticks)
		;
}

/* total() and self() return a region's total and self time. */
static uint64_t total(const char *region)
{
	return fixture_accumulator(&fixture, region, 0)->values[RS_EVENT_TIME].total;
}

static int64_t self(const char *region)
{
	return fixture_accumulator(&fixture, region, 0)->values[RS_EVENT_TIME].self;
}

/* Markers with sites and markers with names begin and end the same calls, also on the fast path.
 * The last call of A takes the fast path, because earlier calls were shorter, longer and about
 * equal. */
Test(frames, sites_and_names_mix)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("outer");
	for (uint64_t i = 1; i <= 1000; i++) {
		REGIONSTAT_BEGIN("A");
		spin_ticks(10 * i);
		REGIONSTAT_END("A");
	}
	REGIONSTAT_BEGIN("A");
	spin_ticks(1000);
	regionstat_next("A", "B");
	spin_ticks(1000);
	REGIONSTAT_NEXT("B", "C");
	spin_ticks(1000);
	regionstat_end("C");
	REGIONSTAT_END("outer");
	fixture_collect(&fixture);
	cr_expect_eq(fixture_calls(&fixture, "A"), 1001);
	cr_expect_eq(fixture_calls(&fixture, "B"), 1);
	cr_expect_eq(fixture_calls(&fixture, "C"), 1);
	uint64_t within = total("A") + total("B") + total("C");
	cr_assert_eq((uint64_t)self("outer"), total("outer") - within);
}

/* Begin four calls with other calls in them, and end the first n of them in an order. The self
 * times of all regions add up to the outermost total, whichever calls are open in between. Each
 * case has regions of its own. */
static void check_order(const int order[4], int n)
{
	static struct regionstat_site_ sites[5 * 4 * 3 * 2 * 4];
	static char names[sizeof(sites) / sizeof(sites[0])][16];
	static size_t n_sites;
	regionstat_ticket_ tickets[4];
	char around[16], within[16];
	snprintf(around, sizeof(around), "around %zu", n_sites);
	snprintf(within, sizeof(within), "within %zu", n_sites);
	struct regionstat_site_ *site = &sites[n_sites];
	regionstat_begin(around);
	for (int i = 0; i < 4; i++) {
		snprintf(names[n_sites], sizeof(names[0]), "%zu", n_sites);
		site[i].name_ = names[n_sites++];
		tickets[i] = regionstat_table_()->begin_(&site[i]);
		spin_ticks(10000);
		regionstat_begin(within);
		spin_ticks(10000);
		regionstat_end(within);
	}
	for (int i = 0; i < n; i++) {
		regionstat_table_()->end_(tickets[order[i]]);
		spin_ticks(10000);
	}
	regionstat_end(around);
	fixture_collect(&fixture);
	int64_t sum = self(around) + self(within);
	for (int i = 0; i < n; i++) {
		const char *name = site[order[i]].name_;
		cr_assert_eq(fixture_calls(&fixture, name), 1);
		cr_expect_geq(self(name), 10000);
		sum += self(name);
	}
	cr_expect_eq((uint64_t)sum, total(around), "%d %d %d %d: %d end", order[0], order[1],
		order[2], order[3], n);
}

/* ENDs in any order, and missing ENDs. */
Test(frames, selfs_are_the_whole_in_any_order)
{
	fixture_start(&fixture, 0);
	for (int code = 0; code < 4 * 4 * 4 * 4; code++) {
		int order[4], seen = 0;
		for (int i = 0; i < 4; i++) {
			order[i] = code >> 2 * i & 3;
			seen |= 1 << order[i];
		}
		for (int n = 0; seen == 15 && n <= 4; n++)
			check_order(order, n);
	}
}

/* The same site twice in one stack frame, as when a function is inlined into itself. Tickets
 * distinguish the two calls. */
Test(frames, recursion_inlined_into_one_frame)
{
	static struct regionstat_site_ site = {"inlined", 0};
	fixture_start(&fixture, 0);
	regionstat_ticket_ outer = regionstat_table_()->begin_(&site);
	regionstat_ticket_ inner = regionstat_table_()->begin_(&site);
	cr_assert_neq(outer, inner);
	spin_ticks(100000);
	regionstat_table_()->end_(inner);
	regionstat_table_()->end_(outer);
	regionstat_table_()->end_(outer); /* This call has ended already. */
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "inlined"), 2);
	cr_assert_eq(fixture_diag(&fixture, "inlined", RS_ACCUMULATOR_DIAG_RECURSIVE), 1);
	cr_assert_eq(fixture_diag(&fixture, "inlined", RS_ACCUMULATOR_DIAG_LOST), 0);
	cr_assert_eq(fixture_diag(&fixture, "inlined", RS_ACCUMULATOR_DIAG_UNMATCHED), 1);
	/* The total contains the time that both calls had in common once. */
	cr_assert_geq(total("inlined"), 100000);
	cr_assert_lt(total("inlined"),
		fixture_accumulator(&fixture, "inlined", 0)->values[RS_EVENT_TIME].sum);
	cr_assert_eq(self("inlined"), (int64_t)total("inlined"));
}

/* Two calls of one region that overlap without nesting, as two fibers make them. The total is the
 * time during which at least one is open. */
Test(frames, calls_of_one_region_cross)
{
	static struct regionstat_site_ site = {"fiber", 0};
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("around");
	regionstat_ticket_ first = regionstat_table_()->begin_(&site);
	spin_ticks(100000);
	regionstat_ticket_ second = regionstat_table_()->begin_(&site);
	spin_ticks(100000);
	regionstat_table_()->end_(first);
	spin_ticks(100000);
	regionstat_table_()->end_(second);
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	const struct rs_value *time =
		&fixture_accumulator(&fixture, "fiber", 0)->values[RS_EVENT_TIME];
	cr_assert_eq(fixture_calls(&fixture, "fiber"), 2);
	cr_assert_geq(time->min, 200000);
	cr_assert_geq(total("fiber"), 300000);
	cr_assert_leq(total("fiber"), total("around"));
	cr_assert_eq((uint64_t)(self("fiber") + self("around")), total("around"));
	for (int what = 0; what < RS_ACCUMULATOR_DIAG_N; what++)
		if (what != RS_ACCUMULATOR_DIAG_RECURSIVE)
			cr_assert_eq(
				fixture_diag(&fixture, "fiber", (enum rs_accumulator_diag)what), 0);
}

Test(frames, next_leaves_no_gap)
{
	fixture_start_with(&fixture, 0, RS_SEGMENT_RAW, 1);
	REGIONSTAT_BEGIN("around");
	REGIONSTAT_BEGIN("first");
	spin_ticks(1000);
	REGIONSTAT_NEXT("first", "second");
	spin_ticks(1000);
	REGIONSTAT_NEXT("second", "third");
	REGIONSTAT_END("third");
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "first"), 1);
	cr_assert_eq(fixture_calls(&fixture, "second"), 1);
	cr_assert_eq(fixture_calls(&fixture, "third"), 1);
	const struct rs_result *first = fixture_accumulator(&fixture, "first", 0);
	const struct rs_result *second = fixture_accumulator(&fixture, "second", 0);
	const struct rs_result *third = fixture_accumulator(&fixture, "third", 0);
	cr_assert_eq(first->slowest_start_ns + first->values[RS_EVENT_TIME].total,
		second->slowest_start_ns);
	cr_assert_eq(second->slowest_start_ns + second->values[RS_EVENT_TIME].total,
		third->slowest_start_ns);
	cr_assert_eq((uint64_t)self("around"),
		total("around") - total("first") - total("second") - total("third"));
}

/* The first call never ends. The second does not count, since it begins while counting is
 * paused. */
Test(frames, lost_and_begun_again_while_paused)
{
	fixture_start(&fixture, 0);
	_Atomic uint64_t *control = &fixture.segment.header->control;
	REGIONSTAT_BEGIN("lost");
	*control = *control + RS_CONTROL_GENERATION + RS_CONTROL_PAUSED;
	REGIONSTAT_BEGIN("lost");
	*control = *control + RS_CONTROL_GENERATION - RS_CONTROL_PAUSED;
	fixture_collect(&fixture);
	cr_assert_eq(fixture_diag(&fixture, "lost", RS_ACCUMULATOR_DIAG_LOST), 0);
	cr_assert_eq(fixture_diag(&fixture, "lost", RS_ACCUMULATOR_DIAG_OPEN), 1);
}

/* Regions that share "(other)" are one region, so calls of them recurse. */
Test(frames, regions_in_other_nest)
{
	fixture_start(&fixture, 0);
	fixture_call_each("region", RS_MAX_REGIONS - 1);
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_BEGIN("outer");
		CALL_ONCE("inner");
		REGIONSTAT_END("outer");
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "(other)"), 6);
	for (int what = 0; what < RS_ACCUMULATOR_DIAG_CLAMPED; what++)
		cr_assert_eq(fixture_diag(&fixture, "(other)", (enum rs_accumulator_diag)what),
			what == RS_ACCUMULATOR_DIAG_RECURSIVE ? 3 : 0);
}

static void __attribute__((noinline)) begin_wrapped(void)
{
	REGIONSTAT_BEGIN("wrapped");
}

/* A call that begins in one stack frame and ends in another. END ends the innermost call of that
 * name. */
Test(frames, begun_by_a_wrapper)
{
	fixture_start(&fixture, 0);
	begin_wrapped();
	for (int i = 0; i < 3; i++) {
		begin_wrapped();
		REGIONSTAT_END("wrapped");
	}
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "wrapped"), 3);
	cr_assert_eq(fixture_diag(&fixture, "wrapped", RS_ACCUMULATOR_DIAG_OPEN), 1);
	cr_assert_eq(fixture_diag(&fixture, "wrapped", RS_ACCUMULATOR_DIAG_RECURSIVE), 0);
}
