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
			.flags = flags,
			.age = (uint16_t)(n - i)};
		struct rs_traced_call *outer = rs_traced_calls_add(calls);
		*outer = (struct rs_traced_call){.begin = begin,
			.end = begin + 2 + i,
			.time = 2 << 1,
			.number = 2 * i + 1,
			.tid = 1,
			.pid = 1,
			.region = OUTER,
			.parent = RS_TRACE_NO_REGION,
			.flags = flags & RS_TRACED_RECENT,
			.age = (uint16_t)(n - i)};
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

Test(traced_calls, a_sorted_call_stays_with_its_parent)
{
	struct rs_traced_calls calls;
	rs_traced_calls_init(&calls, 0, 100000);
	add_pairs(&calls, 4096, RS_TRACE_SLOW);
	rs_traced_calls_sort(&calls);
	rs_traced_calls_thin(&calls, 1024);
	cr_expect_leq(calls.n, 1024);
	cr_expect_geq(calls.n, 256);
	/* The slowest ones stay, and the trace says from which time on. */
	uint64_t least = calls.complete_from[INNER];
	cr_expect_gt(least, 2048);
	cr_expect_eq(count_inner(&calls, least), 4097 - least);
	rs_traced_calls_finish(&calls);
}

Test(traced_calls, an_unsorted_call_stays_with_its_parent)
{
	struct rs_traced_calls calls;
	rs_traced_calls_init(&calls, 0, 100000);
	add_pairs(&calls, 4096, RS_TRACE_SLOW);
	rs_traced_calls_thin(&calls, 1024);
	rs_traced_calls_sort(&calls);
	uint64_t least = calls.complete_from[INNER];
	cr_expect_eq(count_inner(&calls, least), 4097 - least);
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
			cr_expect_lt(call->age, calls.recent_most, "it is not one of the last");
	}
	cr_expect_eq(n_slow, 100);
	cr_expect_gt(n_recent, 256);
	cr_expect_eq(calls.complete_from[INNER], 0);
	rs_traced_calls_finish(&calls);
}
