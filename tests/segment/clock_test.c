/* SPDX-License-Identifier: MIT */
/* Tests of the segment's clock: its points agree with CLOCK_MONOTONIC and with each other. */
#include <criterion/criterion.h>

#include <time.h>

#include "segment/segment.h"

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

Test(clock, monotonic_ticks_are_ns)
{
	struct rs_clock_point point = rs_clock_point_now(RS_CLOCK_MONOTONIC);
	cr_assert_eq(point.ticks, point.monotonic_ns);
}

Test(clock, points_lie_between_their_neighbours)
{
	enum rs_clock clock = rs_clock_choose();
	for (int i = 0; i < 100; i++) {
		uint64_t before = now_ns();
		struct rs_clock_point point = rs_clock_point_now(clock);
		uint64_t after = now_ns();
		cr_assert_geq(point.monotonic_ns, before);
		cr_assert_leq(point.monotonic_ns, after);
	}
}

Test(clock, ticks_advance)
{
	enum rs_clock clock = rs_clock_choose();
	struct rs_clock_point first = rs_clock_point_now(clock);
	struct rs_clock_point second;
	do
		second = rs_clock_point_now(clock);
	while (second.monotonic_ns - first.monotonic_ns < 1000000);
	cr_assert_gt(second.ticks, first.ticks);
}
