/* SPDX-License-Identifier: MIT */
/*
 * Tests of events by the length of calls. The markers have every number of events, on a simulated
 * PMU with exact counts, and with read(). Expected values follow from the calls that are made here.
 * They do not depend on which calls lost the CPU and therefore took long.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "simulated_pmu.h"

static struct fixture fixture;

#define N_FAST 200u
#define N_SLOW 20u
#define FAST 100u
#define SLOW 9000u

/* Duration in ticks from which a call is slow: the start of an octave. */
#define LONG (UINT64_C(1) << 21)

static uint64_t ticks(void)
{
	return rs_clock_point_now(fixture.segment.header->clock).ticks;
}

static void call(bool is_slow)
{
	REGIONSTAT_BEGIN("call");
	uint64_t begin = ticks();
	simulated_pmu_count(is_slow ? SLOW : FAST);
	/* A bit longer, since overhead is subtracted. */
	while (is_slow && ticks() - begin < LONG + LONG / 4)
		;
	REGIONSTAT_END("call");
}

static void call_all(void)
{
	for (uint32_t i = 0; i < N_FAST; i++) {
		call(false);
		if (i % (N_FAST / N_SLOW) == 0)
			call(true);
	}
	fixture_collect(&fixture);
}

/* weights_of() returns the number of the slow calls, or of the others. sum_of() returns their count
 * of an event. */
static uint64_t weights_of(bool is_long)
{
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "call", 0);
	uint64_t n = 0;
	for (uint32_t i = 0; i < accumulator->n_octaves; i++)
		if ((accumulator->octaves[i].low_ns >= LONG) == is_long)
			n += accumulator->octaves[i].weight;
	return n;
}

static uint64_t sum_of(bool is_long, uint32_t event)
{
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "call", 0);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < accumulator->n_octaves; i++)
		if ((accumulator->octaves[i].low_ns >= LONG) == is_long)
			sum += accumulator->octaves[i].sums[event];
	return sum;
}

static void expect_exact(uint32_t n_events)
{
	cr_expect_eq(weights_of(true) + weights_of(false), N_FAST + N_SLOW);
	cr_expect_geq(weights_of(true), N_SLOW);
	for (uint32_t e = 0; e < n_events; e++) {
		cr_expect_eq(sum_of(false, e), FAST * weights_of(false), "%u of %u", e, n_events);
		cr_expect_eq(sum_of(true, e), N_SLOW * SLOW + FAST * (weights_of(true) - N_SLOW));
	}
}

/* Markers are compiled for some constant numbers of events, and for any number. */
ParameterizedTestParameters(octaves, of_events)
{
	static uint32_t values[] = {1, 2, 4, 5};
	return cr_make_param_array(uint32_t, values, sizeof(values) / sizeof(values[0]));
}

ParameterizedTest(uint32_t *n_events, octaves, of_events)
{
	simulated_pmu_start(&fixture, *n_events, 48, 1000);
	call_all();
	expect_exact(*n_events);
}

/* A measured call counts as often as its weight says. */
Test(octaves, samples)
{
	simulated_pmu_start_sampled(&fixture, 2, 3);
	for (int i = 0; i < 10; i++)
		call_all();
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "call", 0);
	cr_expect_lt(accumulator->measured, accumulator->weight);
	cr_expect_eq(weights_of(true) + weights_of(false), accumulator->weight);
	cr_expect_eq(sum_of(false, 0), FAST * weights_of(false));
	cr_expect_eq(sum_of(true, 1) + sum_of(false, 1),
		accumulator->values[rs_event_of_counter(2)].sum);
}

/* Page faults are read with read(). */
Test(octaves, by_system_calls)
{
	fixture_start(&fixture, 3);
	for (int i = 0; i < 100; i++)
		call(i % 10 == 0);
	fixture_collect(&fixture);
	const struct rs_result *accumulator = fixture_accumulator(&fixture, "call", 0);
	cr_expect_eq(weights_of(true) + weights_of(false), 100);
	cr_expect_geq(weights_of(true), 10);
	for (uint32_t e = 0; e < 3; e++)
		cr_expect_eq(sum_of(true, e) + sum_of(false, e),
			accumulator->values[rs_event_of_counter(1 + e)].sum);
}

/* Without events there are no sums by octave, and no memory for them. */
Test(octaves, time_alone)
{
	fixture_start(&fixture, 0);
	call(false);
	fixture_collect(&fixture);
	cr_expect_eq(fixture_accumulator(&fixture, "call", 0)->n_octaves, 0);
}
