/* SPDX-License-Identifier: MIT */
/* Tests of the segment's clock: its points agree with CLOCK_MONOTONIC and with each other. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <sched.h>
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

/* Set the control word as a PAUSE or a RESUME does, and let the counting clock follow it. */
static void set_paused(struct rs_segment_header *header, bool paused, uint64_t ticks)
{
	uint64_t control = atomic_load(&header->control), changed;
	do
		changed = ((control & ~RS_CONTROL_PAUSED) + RS_CONTROL_GENERATION) |
			  (paused ? RS_CONTROL_PAUSED : 0);
	while (!atomic_compare_exchange_weak(&header->control, &control, changed));
	while (!rs_counting_follow(header, ticks))
		;
}

Test(clock, counting_stands_still_during_pauses)
{
	struct rs_segment_header header = {0};
	set_paused(&header, false, 50);
	cr_assert_eq(rs_counting_ticks(header.counting_clock, 100), 100);
	set_paused(&header, true, 100);
	cr_assert_eq(rs_counting_ticks(header.counting_clock, 250), 100);
	set_paused(&header, true, 300); /* another process pauses, too */
	cr_assert_eq(rs_counting_ticks(header.counting_clock, 400), 100);
	set_paused(&header, false, 1000);
	cr_assert_eq(rs_counting_ticks(header.counting_clock, 1007), 107);
	set_paused(&header, true, 1010);
	set_paused(&header, false, 2010);
	cr_assert_eq(rs_counting_ticks(header.counting_clock, 2010), 110);
	cr_assert_eq(rs_slot_lifetime(header.counting_clock, 95, 2015), 20);
	cr_assert_eq(rs_slot_lifetime(header.counting_clock, 0, 2015), 0, "it has ended");
	cr_assert_eq(rs_slot_lifetime(header.counting_clock, 110, 2009), 0, "a hostile end");
	cr_assert_eq(rs_slot_lifetime(header.counting_clock, 95, 20), 0, "before all pauses");
}

enum { N_ROUNDS = 200000 };

struct racing {
	struct rs_segment_header header;
	_Atomic uint64_t round,
		n_done; /* the round of both threads, and how many have done theirs */
};

static void *resume_in_each_round(void *argument)
{
	struct racing *racing = argument;
	for (uint64_t round = 1; round <= N_ROUNDS; round++) {
		while (atomic_load(&racing->round) != round)
			sched_yield();
		set_paused(&racing->header, false, now_ns());
		atomic_fetch_add(&racing->n_done, 1);
	}
	return NULL;
}

/* If one thread pauses while another resumes, the clock does what the later one says. */
Test(clock, counting_follows_the_later_of_two_threads)
{
	struct racing racing = {0};
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, resume_in_each_round, &racing), 0);
	for (uint64_t round = 1; round <= N_ROUNDS; round++) {
		atomic_store(&racing.round, round);
		set_paused(&racing.header, true, now_ns());
		while (atomic_load(&racing.n_done) != round)
			sched_yield();
		cr_assert_eq((racing.header.counting_clock & RS_CLOCK_STANDS) != 0,
			(racing.header.control & RS_CONTROL_PAUSED) != 0, "round %zu",
			(size_t)round);
	}
	pthread_join(thread, NULL);
}
