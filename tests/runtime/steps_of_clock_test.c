/* SPDX-License-Identifier: MIT */
/*
 * A test of the calibration with a clock that advances in steps, as many do: the TSC of some
 * processors in steps of 10 ns, the counter of arm64 in steps of up to 40 ns. The linker replaces
 * the clock (--wrap). Each reading takes READING ticks on average, and nothing else takes time.
 */
#include "fixture.h"

#include "../stats/random.h"
#include "runtime/state.h"

#define READING 27
#define STEP 41
/* A time is one of two multiples of STEP, so its standard deviation is at most STEP / 2. A result is
 * the mean of 48 tries. This is 3.5 of its standard deviations. */
#define TOLERANCE (STEP / 4)

uint64_t __wrap_rs_clock_monotonic(void);

uint64_t __wrap_rs_clock_monotonic(void)
{
	static uint64_t now = 1000000000, state = 1;
	/* Vary the length, so that tries are at all points of a step. */
	now += READING - 2 + random_next(&state) % 5;
	return now - now % STEP;
}

static void expect(const char *name, int64_t ticks, int64_t expected)
{
	cr_expect_geq(ticks, expected - TOLERANCE, "%s: %ld", name, ticks);
	cr_expect_leq(ticks, expected + TOLERANCE, "%s: %ld", name, ticks);
}

/* A pair of markers reads the clock twice. A probe reads it around both markers, too: each of its
 * two times contains a marker's reading and its own second one. */
static void expect_all(const struct rs_thread *thread)
{
	expect("inside", (int64_t)thread->cost->inside[0], READING);
	expect("pair", (int64_t)thread->cost->pair[0], 2 * READING);
	expect("probe", thread->runtime->probe_ticks, 4 * READING - 2 * READING);
	/* Work takes no time, so nothing overlaps with it. */
	expect("overlap", thread->runtime->overlap_ticks, 0);
}

static void start(struct fixture *fixture, uint32_t flags, uint32_t sample_calls)
{
	fixture_make(fixture, 0);
	fixture->segment.header->clock = RS_CLOCK_MONOTONIC;
	fixture->segment.header->flags |= flags;
	fixture->segment.header->sample_calls = sample_calls;
	fixture_attach(fixture);
	CALL_ONCE("first");
}

Test(steps_of_clock, all_calls_measured)
{
	struct fixture fixture;
	start(&fixture, 0, 1);
	expect_all(rs_self);
}

Test(steps_of_clock, most_calls_skipped)
{
	struct fixture fixture;
	start(&fixture, RS_SEGMENT_SAMPLES, 50);
	expect_all(rs_self);
}
