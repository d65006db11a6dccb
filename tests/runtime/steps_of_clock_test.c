/* SPDX-License-Identifier: MIT */
/*
 * A test of the calibration with a clock that advances in steps, as many do. The TSC of some
 * processors has steps of 10 ns, and the counter of arm64 has steps of up to 40 ns. The linker
 * replaces the clock (--wrap). Each reading takes READING ticks on average, and nothing else takes
 * time.
 */
#include "fixture.h"

#include "../stats/random.h"
#include "runtime/state.h"

#define READING 27
#define STEP 41
/* A time is one of two multiples of STEP, so its standard deviation is at most STEP / 2. A result
 * is the mean of 48 tries. This is 3.5 of its standard deviations. */
#define TOLERANCE (STEP / 4)

/* If calls were skipped, the second reading after them takes this much less time: the END of a
 * measured call that follows. */
static uint64_t less_after_skipped;

/* If a BEGIN directly follows an END, its reading is this much later. */
static uint64_t later_at_once;

/* Return true if this reading is that of a BEGIN, and the one before it was that of an END. */
static bool is_at_once(void)
{
	static bool was_open;
	static uint64_t opened;
	const struct rs_thread_region *plain = &rs_self->regions[RS_MAX_REGIONS - 1];
	bool is_open = plain->innermost != NULL;
	bool is_begin = is_open && plain->innermost->ticket != opened;
	bool result = is_begin && was_open;
	was_open = is_open;
	opened = is_open ? plain->innermost->ticket : 0;
	return result;
}

/* Return how often the clock was read since calibration has last skipped a call. */
static uint32_t n_readings_after_skipped(void)
{
	static uint64_t skipped;
	static uint32_t n;
	const struct rs_thread_region *plain = &rs_self->regions[RS_MAX_REGIONS - 1];
	n++;
	if (rs_self->probe.is_calibrating && plain->accumulator->skipped != skipped) {
		skipped = plain->accumulator->skipped;
		n = 1;
	}
	return n;
}

uint64_t __wrap_rs_clock_monotonic(void);

uint64_t __wrap_rs_clock_monotonic(void)
{
	static uint64_t now = 1000000000, state = 1;
	/* Vary the length, so that tries are at all points of a step. */
	now += READING - 2 + random_next(&state) % 5;
	if (less_after_skipped && rs_self && n_readings_after_skipped() == 2)
		now -= less_after_skipped;
	uint64_t reading = now;
	if (later_at_once && rs_self && rs_self->probe.is_calibrating && is_at_once())
		reading += later_at_once;
	return reading - reading % STEP;
}

static void expect(const char *name, int64_t ticks, int64_t expected)
{
	cr_expect_geq(ticks, expected - TOLERANCE, "%s: %ld", name, ticks);
	cr_expect_leq(ticks, expected + TOLERANCE, "%s: %ld", name, ticks);
}

/* A pair of markers reads the clock twice. A probe reads it around both markers, too: each of its
 * two times contains a marker's reading and its own second one. Its slow path reads the clock
 * before them, so none of these takes less. */
static void expect_all(const struct rs_thread *thread)
{
	int64_t pair = 2 * READING - (int64_t)less_after_skipped;
	expect("inside", (int64_t)thread->cost->inside[0], pair - READING);
	expect("pair", (int64_t)thread->cost->pair[0], pair);
	expect("probe", thread->runtime->probe_ticks, 4 * READING - pair);
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

/* If most calls are skipped, the overhead of a measured call is that after skipped calls, also if
 * it is less than that after measured calls. */
Test(steps_of_clock, calls_after_skipped_ones_take_less)
{
	struct fixture fixture;
	less_after_skipped = READING - 3;
	start(&fixture, RS_SEGMENT_SAMPLES, 50);
	expect_all(rs_self);
}

/* Programs have other work between their calls, so a BEGIN does not read the clock later. */
Test(steps_of_clock, calls_at_once_begin_later)
{
	struct fixture fixture;
	later_at_once = READING - 3;
	start(&fixture, 0, 1);
	expect("inside", (int64_t)rs_self->cost->inside[0], READING);
}
