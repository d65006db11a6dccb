/* SPDX-License-Identifier: MIT */
/* Counters of a trace: intervals that are merged. */
#include <criterion/criterion.h>

#include "trace/counters.h"

static struct rs_trace_point point(uint32_t interval, uint32_t region, uint64_t calls, uint64_t p50)
{
	return (struct rs_trace_point){.begin_ns = interval * 10,
		.end_ns = interval * 10 + 10,
		.region = region,
		.interval = interval,
		.values = {[RS_COUNTER_CALLS] = calls,
			[RS_COUNTER_TIME] = calls * p50,
			[RS_COUNTER_P50] = p50,
			[RS_COUNTER_P99] = p50 + 1}};
}

Test(counters, two_intervals_become_one)
{
	struct rs_trace_point points[] = {
		point(0, 7, 1, 100),
		point(0, 8, 5, 200),
		point(1, 7, 3, 300),
		point(2, 8, 1, 400),
		point(3, 7, 2, 500),
		point(4, 8, 1, 600),
	};
	struct rs_trace_counters counters = {.points = points, .n = 6, .n_intervals = 5};
	rs_trace_counters_double(&counters);
	cr_assert_eq(counters.n, 5);
	cr_expect_eq(counters.n_intervals, 3);
	/* Calls and times add up. The percentiles are those of the interval with more calls. */
	cr_expect_eq(points[0].region, 7);
	cr_expect_eq(points[0].values[RS_COUNTER_CALLS], 4);
	cr_expect_eq(points[0].values[RS_COUNTER_TIME], 1000);
	cr_expect_eq(points[0].values[RS_COUNTER_P50], 300);
	cr_expect_eq(points[0].values[RS_COUNTER_P99], 301);
	cr_expect_eq(points[0].end_ns, 20);
	/* The others have no calls in the second interval of a pair. */
	cr_expect_eq(points[1].values[RS_COUNTER_CALLS], 5);
	cr_expect_eq(points[2].interval, 1);
	cr_expect_eq(points[3].interval, 1);
	cr_expect_eq(points[4].interval, 2);
	cr_expect_eq(points[4].end_ns, 50);
}
