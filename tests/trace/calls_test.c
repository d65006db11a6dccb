/* SPDX-License-Identifier: MIT */
/* Which calls of a trace stay when there are too many. */
#include <criterion/criterion.h>

#include "trace/calls.h"

enum { OUTER, INNER };

/* Add calls of INNER that take 1 to n ticks, each in a call of OUTER. They end in that order. */
static void add_pairs(struct rs_traced_calls *calls, uint64_t n, uint16_t flags)
{
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t begin = i * 10 * n;
		struct rs_traced_call *inner = rs_traced_calls_add(calls);
		*inner = (struct rs_traced_call){.begin = begin + 1,
			.end = begin + 1 + i,
			.time = i << 1,
			.from = 1,
			.number = 2 * i,
			.tid = 1,
			.pid = 1,
			.region = INNER,
			.parent = OUTER,
			.flags = flags};
		struct rs_traced_call *outer = rs_traced_calls_add(calls);
		*outer = (struct rs_traced_call){.begin = begin,
			.end = begin + 2 + i,
			.time = 2 << 1,
			.number = 2 * i + 1,
			.tid = 1,
			.pid = 1,
			.region = OUTER,
			.parent = RS_TRACE_NO_REGION,
			.flags = flags & RS_TRACED_RECENT};
	}
}

/* Count the calls of INNER that take at least so many ticks, and check that each has its parent. */
static size_t count_inner(const struct rs_traced_calls *calls, uint64_t least)
{
	size_t n = 0;
	for (size_t i = 0; i < calls->n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(calls, i);
		if (call->region != INNER)
			continue;
		n += call->time >> 1 >= least;
		cr_assert(i > 0);
		cr_expect_eq(rs_traced_call_at(calls, i - 1)->begin, call->begin - 1,
			"the call around call %zu is lost", i);
	}
	return n;
}

/* Before and after calls are sorted. */
Test(traced_calls, a_call_stays_with_its_parent)
{
	for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
		struct rs_traced_calls calls;
		rs_traced_calls_init(&calls, 0, 100000);
		add_pairs(&calls, 4096, RS_TRACE_SLOW);
		if (is_sorted)
			rs_traced_calls_sort(&calls);
		rs_traced_calls_thin(&calls, 1024);
		rs_traced_calls_sort(&calls);
		cr_expect_leq(calls.n, 1024);
		cr_expect_geq(calls.n, 256);
		/* The slowest ones stay, and the trace says from which time on. */
		uint64_t least = calls.complete_from[INNER];
		cr_expect_gt(least, 2048);
		cr_expect_eq(count_inner(&calls, least), 4097 - least);
		rs_traced_calls_finish(&calls);
	}
}

Test(traced_calls, a_call_is_slow_by_its_time)
{
	struct rs_traced_calls calls;
	static uint64_t slow_from[RS_MAX_REGIONS];
	slow_from[INNER] = 4000;
	rs_traced_calls_init(&calls, 0, 100000);
	calls.slow_from = slow_from;
	add_pairs(&calls, 4096, 0);
	rs_traced_calls_thin(&calls, 1024);
	rs_traced_calls_sort(&calls);
	cr_expect_leq(calls.n, 1024);
	cr_expect_eq(count_inner(&calls, 4000), 97);
	rs_traced_calls_finish(&calls);
}

Test(traced_calls, recent_ones_do_not_push_out_slow_ones)
{
	struct rs_traced_calls calls;
	rs_traced_calls_init(&calls, 0, 1u << 20);
	add_pairs(&calls, 4000, RS_TRACED_RECENT);
	add_pairs(&calls, 100, RS_TRACE_SLOW);
	rs_traced_calls_thin(&calls, 1024);
	rs_traced_calls_sort(&calls);
	size_t n_slow = 0, n_recent = 0;
	for (size_t i = 0; i < calls.n; i++) {
		const struct rs_traced_call *call = rs_traced_call_at(&calls, i);
		n_slow += (call->flags & RS_TRACE_SLOW) != 0;
		n_recent += (call->flags & RS_TRACED_RECENT) != 0;
		if (call->flags & RS_TRACED_RECENT)
			cr_expect_geq(call->end, calls.recent_since, "it is not one of the last");
	}
	cr_expect_eq(n_slow, 100);
	cr_expect_gt(n_recent, 256);
	cr_expect_eq(calls.complete_from[INNER], 0);
	rs_traced_calls_finish(&calls);
}

Test(traced_calls, a_ring_has_the_last_ones)
{
	struct rs_traced_calls calls, ring;
	rs_traced_calls_init(&calls, 0, 100000);
	rs_traced_calls_init(&ring, 0, 1024);
	ring.is_ring = true;
	for (uint64_t i = 0; i < 3000; i++)
		rs_traced_calls_add(&ring)->number = i;
	rs_traced_calls_append(&calls, &ring);
	cr_assert_eq(calls.n, 1024);
	for (size_t i = 0; i < calls.n; i++)
		cr_expect_eq(rs_traced_call_at(&calls, i)->number, 3000 - 1024 + i);
	rs_traced_calls_finish(&ring);
	rs_traced_calls_finish(&calls);
}

/* "outer" has a child with a record, and "lost" and "last" have no record. Only "outer" and "last"
 * are open, so the slice of "lost" ends with its child. */
Test(traced_calls, a_call_without_a_record_is_open_only_if_that_is_known)
{
	enum { LAST = INNER + 1, LOST };
	static const struct {
		uint64_t begin, end, from;
		uint16_t region, parent, flags;
	} made[] = {{10, 20, 5, INNER, OUTER, 0}, {110, 120, 10, INNER, LOST, RS_TRACED_RECENT},
		{210, 220, 10, INNER, LAST, RS_TRACED_RECENT | RS_TRACED_LAST},
		{230, 240, 30, INNER, LAST, RS_TRACED_RECENT | RS_TRACED_LAST}};
	static const struct {
		uint64_t begin, end;
	} expected[] = {{5, UINT64_MAX}, {10, 20}, {100, 120}, {110, 120}, {200, UINT64_MAX}};
	struct rs_result results[] = {{.region = OUTER, .diag[RS_ACCUMULATOR_DIAG_OPEN] = 1},
		{.region = LAST, .diag[RS_ACCUMULATOR_DIAG_OPEN] = 1}, {.region = LOST}};
	struct rs_run_thread thread = {.tid = 1};
	struct rs_run run = {
		.results = results, .n_results = 3, .threads = &thread, .n_threads = 1};
	struct rs_traced_calls calls;
	rs_traced_calls_init(&calls, 0, 100000);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		*rs_traced_calls_add(&calls) = (struct rs_traced_call){.begin = made[i].begin,
			.end = made[i].end,
			.from = made[i].from,
			.number = i,
			.tid = 1,
			.pid = 1,
			.region = made[i].region,
			.parent = made[i].parent,
			.flags = made[i].flags};
	rs_traced_calls_sort(&calls);
	rs_traced_calls_add_missing(&calls, &run);
	cr_assert_eq(calls.n, 7);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		cr_expect_eq(rs_traced_call_at(&calls, i)->begin, expected[i].begin);
		cr_expect_eq(rs_traced_call_at(&calls, i)->end, expected[i].end, "call %zu", i);
	}
	rs_traced_calls_finish(&calls);
}
