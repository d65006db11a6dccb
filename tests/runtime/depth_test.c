/* SPDX-License-Identifier: MIT */
/* Tests with more open calls on a thread than frames: which calls keep their frame, which are
 * dropped, and which are skipped. */
#include <stdio.h>
#include <sys/resource.h>

#include "fixture.h"
#include "runtime/adapter_table.h"

static struct fixture fixture;

/* A loop whose calls never end: when all frames are in use, the oldest are dropped. Calls that are
 * open around the loop or inside it keep their frames. */
Test(depth, missing_ends_take_no_room_for_good)
{
	fixture_start(&fixture, 0);
	REGIONSTAT_BEGIN("around");
	for (int i = 0; i < 50000; i++) {
		REGIONSTAT_BEGIN("no end");
		CALL_ONCE("within");
	}
	REGIONSTAT_END("around");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "within"), 50000);
	cr_assert_eq(fixture_calls(&fixture, "around"), 1);
	cr_assert_eq(fixture_diag(&fixture, "no end", RS_ACCUMULATOR_DIAG_LOST), 50000);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_DEPTH), 0);
}

/* Calls that begin and end in one stack frame, as an interpreter's do. The runtime drops none of
 * them. */
Test(depth, deep_in_one_stack_frame)
{
	enum { DEPTH = 16000 };
	fixture_start(&fixture, 0);
	for (int i = 0; i < DEPTH; i++)
		REGIONSTAT_BEGIN("deep");
	for (int i = 0; i < DEPTH; i++)
		REGIONSTAT_END("deep");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "deep"), DEPTH);
	cr_assert_eq(fixture_diag(&fixture, "deep", RS_ACCUMULATOR_DIAG_LOST), 0);
	cr_assert_eq(fixture_diag(&fixture, "deep", RS_ACCUMULATOR_DIAG_UNMATCHED), 0);
}

static __attribute__((noinline)) void recurse(int depth)
{
	REGIONSTAT_SCOPE("deep");
	if (depth > 1)
		recurse(depth - 1);
}

/* If memory for frames is refused, the report blames memory and not the depth. */
Test(depth, frames_without_memory)
{
	enum { DEPTH = 100 };
	struct rlimit limit, small;
	fixture_start(&fixture, 0);
	recurse(1);
	cr_assert_eq(getrlimit(RLIMIT_DATA, &limit), 0);
	/* Linux takes a limit of 0 as none (mm/mmap.c, may_expand_vm()). */
	small = (struct rlimit){4096, limit.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_DATA, &small), 0);
	recurse(DEPTH);
	cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0);
	fixture_collect(&fixture);
	uint64_t n_refused = fixture.collection.diag[RS_SEGMENT_DIAG_MEMORY];
	cr_assert_gt(n_refused, 0);
	cr_assert_eq(fixture_calls(&fixture, "deep") + n_refused, 1 + DEPTH);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_DEPTH), 0);
}

/* If memory is refused at a BEGIN, the report says so, and has nothing else of this call. There is
 * memory again at its END. The report still has markers of other calls that are not open. */
Test(depth, regions_without_memory)
{
	enum { N_REGIONS = 1000 };
	struct rlimit limit, small;
	uint64_t n_calls = 0;
	char name[32];
	fixture_start(&fixture, 0);
	recurse(1);
	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	small = (struct rlimit){4096, limit.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_AS, &small), 0);
	for (int i = 0; i < N_REGIONS; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		regionstat_begin(name);
	}
	regionstat_begin("no end");
	REGIONSTAT_NEXT("deep", "next");
	for (int i = 0; i < 3; i++) {
		REGIONSTAT_SCOPE("scope");
		REGIONSTAT_BEGIN("site");
		cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
		REGIONSTAT_WORK("site", 1, 1);
		REGIONSTAT_END("site");
	}
	for (int i = N_REGIONS - 1; i >= 0; i--) {
		snprintf(name, sizeof(name), "region %d", i);
		regionstat_end(name);
	}
	REGIONSTAT_END("next");
	REGIONSTAT_WORK("site", 1, 1);
	REGIONSTAT_END("site");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "scope"), 2);
	cr_assert_eq(fixture_calls(&fixture, "site"), 2);
	for (size_t i = 0; i < fixture.collection.n_results; i++) {
		const struct rs_result *result = &fixture.collection.results[i];
		const char *region = fixture.collection.regions[result->region].name;
		bool is_site = !strcmp(region, "site"), is_deep = !strcmp(region, "deep");
		n_calls += result->measured;
		cr_assert_eq(result->work_unmatched, is_site);
		for (int what = 0; what < RS_ACCUMULATOR_DIAG_CLAMPED; what++)
			cr_assert_eq(result->diag[what],
				what == RS_ACCUMULATOR_DIAG_UNMATCHED && (is_site || is_deep),
				"%d of %s", what, region);
	}
	cr_assert_eq(n_calls + fixture.collection.diag[RS_SEGMENT_DIAG_MEMORY],
		1 + N_REGIONS + 2 + 2 * 3);
}

static regionstat_ticket_ __attribute__((noinline)) begin_by_api(struct regionstat_site_ *site)
{
	volatile char deeper[256] = {0};
	regionstat_ticket_ ticket = regionstat_table_()->begin_(site);
	(void)deeper[0]; /* Prevents a tail call. */
	return ticket;
}

/* Calls that functions of another API begin. These functions return at once, so all calls have the
 * same stack frame. The runtime drops none of these calls: neither for more of them nor for the
 * marker header's markers in an outer stack frame. */
Test(depth, what_another_api_pairs_is_kept)
{
	enum { DEPTH = 20000, ROOM = 16384 };
	static struct regionstat_site_ outer = {"outer", 0, RS_SITE_BY_API},
				       inner = {"inner", 0, RS_SITE_BY_API};
	static regionstat_ticket_ tickets[DEPTH];
	fixture_start(&fixture, 0);
	regionstat_ticket_ first = begin_by_api(&outer);
	for (int i = 0; i < DEPTH; i++)
		tickets[i] = begin_by_api(&inner);
	CALL_ONCE("plain");
	for (int i = DEPTH - 1; i >= 0; i--)
		regionstat_scope_end_(&tickets[i]);
	regionstat_scope_end_(&first);
	CALL_ONCE("plain");
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "outer"), 1);
	cr_assert_eq(fixture_calls(&fixture, "plain"), 1);
	cr_assert_geq(fixture_calls(&fixture, "inner"), ROOM - 1);
	cr_assert_eq(fixture_calls(&fixture, "inner") +
			     fixture_process_diag(&fixture, RS_PROCESS_DIAG_DEPTH),
		DEPTH + 1);
	for (int what = 0; what < RS_ACCUMULATOR_DIAG_CLAMPED; what++) {
		cr_assert(what == RS_ACCUMULATOR_DIAG_RECURSIVE ||
			  !fixture_diag(&fixture, "inner", (enum rs_accumulator_diag)what));
		cr_assert_eq(fixture_diag(&fixture, "outer", (enum rs_accumulator_diag)what), 0);
	}
}

/* Open calls of the marker header's markers are dropped as usual beside those of another API. */
Test(depth, missing_ends_go_beside_what_another_api_pairs)
{
	enum { OPEN = 100, MISSING = 50000 };
	static struct regionstat_site_ kept = {"kept", 0, RS_SITE_BY_API};
	regionstat_ticket_ tickets[OPEN];
	fixture_start(&fixture, 0);
	for (int i = 0; i < OPEN; i++)
		tickets[i] = begin_by_api(&kept);
	for (int i = 0; i < MISSING; i++)
		REGIONSTAT_BEGIN("no end");
	for (int i = OPEN - 1; i >= 0; i--)
		regionstat_scope_end_(&tickets[i]);
	fixture_collect(&fixture);
	cr_assert_eq(fixture_calls(&fixture, "kept"), OPEN);
	cr_assert_eq(fixture_diag(&fixture, "kept", RS_ACCUMULATOR_DIAG_LOST), 0);
	cr_assert_eq(fixture_diag(&fixture, "no end", RS_ACCUMULATOR_DIAG_LOST), MISSING);
	cr_assert_eq(fixture_process_diag(&fixture, RS_PROCESS_DIAG_DEPTH), 0);
}
