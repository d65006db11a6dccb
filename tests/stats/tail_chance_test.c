/* SPDX-License-Identifier: MIT */
/*
 * Tests of findings about slow calls, which must not be due to chance. In a thousand runs events do
 * not depend on times, and no finding may name them. In other runs events differ with time:
 * findings name them, the largest difference first.
 */
#include <criterion/criterion.h>

#include "fixture.h"
#include "random.h"

#define RUNS 1000
#define CALLS 1000

static uint64_t state = 1;

TestSuite(tail_chance, .init = fixture_start, .fini = fixture_finish);

/* Return the time of a call. All calls do the same on a machine with noise, of one of four
 * kinds. */
static uint64_t draw_time(unsigned kind)
{
	switch (kind % 4) {
	case 0:
		return 500 + (uint64_t)(1000 * random_uniform(&state));
	case 1:
		return (uint64_t)fmax(900 + 100 * random_normal(&state), 1);
	case 2:
		return (uint64_t)(600 * exp(0.4 * random_normal(&state)));
	default:
		return (uint64_t)(400 / sqrt(random_uniform(&state)));
	}
}

/* Return a count of events: uniform, normal, rare in bursts, with heavy tails, or mostly in one
 * call. */
static uint64_t draw_event(unsigned kind, int call)
{
	switch (kind % 5) {
	case 0:
		return (uint64_t)(100 * random_uniform(&state));
	case 1:
		return (uint64_t)fmax(10000 + 1000 * random_normal(&state), 0);
	case 2:
		return random_uniform(&state) < 0.01 ? 40 : 0;
	case 3:
		return (uint64_t)(1 / random_uniform(&state));
	default:
		return call == 0 ? 100000 : random_uniform(&state) < 0.3;
	}
}

static size_t n_shown(void)
{
	size_t n = 0;
	for (size_t i = 0; i < summary.regions[0].n_tails; i++)
		n += summary.regions[0].tails[i].n_shown;
	return n;
}

static void add_call(
	struct rs_accumulator *accumulator, uint64_t time, uint64_t a, uint64_t b, uint64_t c)
{
	struct builder_call call = CALL(time, a, b, c);
	builder_record(&builder, accumulator, &call);
}

Test(tail_chance, no_false_alarm_in_a_thousand_runs)
{
	size_t n_tails = 0, n_alarms = 0;
	for (unsigned run = 0; run < RUNS; run++) {
		plan.events[PLAN_EXAMPLE_CYCLES].generic = NULL; /* so that it is not a clock */
		struct rs_accumulator *accumulator = add_accumulator("even", 70, 71);
		for (int i = 0; i < CALLS; i++)
			add_call(accumulator, draw_time(run), draw_event(run, i),
				draw_event(run + 1, i), draw_event(run / 5, i));
		summarize();
		n_tails += summary.regions[0].n_tails;
		n_alarms += n_shown() > 0;
		fixture_finish();
		fixture_start();
	}
	cr_expect_eq(n_alarms, 0, "%zu of %d runs", n_alarms, RUNS);
	cr_expect_gt(n_tails, RUNS / 2, "there were %zu tails", n_tails);
}

/* Every hundredth call takes long, has 40 faults, which the others do not have, and twice the
 * instructions. In one case the first call has a thousand times as much of everything. */
Test(tail_chance, what_is_no_chance_has_a_finding)
{
	for (int has_first = 0; has_first < 2; has_first++) {
		struct rs_accumulator *accumulator = add_accumulator("slow", 70, 71);
		for (int i = 0; i < CALLS; i++) {
			bool slow = i % 100 == 50;
			uint64_t work = 5000 + (uint64_t)(100 * random_uniform(&state));
			if (i == 0 && has_first)
				add_call(accumulator, 100000000, 5000000, 1000000, 40000);
			else
				add_call(accumulator, slow ? 5000 : 900, slow ? 2 * work : work,
					1000, slow ? 40 : 0);
		}
		summarize();
		const struct rs_summary_region *region = &summary.regions[0];
		cr_assert_eq(region->n_tails, 1);
		const struct rs_tail *tail = &region->tails[0];
		cr_expect_eq(tail->calls, has_first ? 11 : 10);
		cr_expect_eq(tail->bound_ns, 2048);
		cr_expect_float_eq(tail->share, has_first ? 0.011 : 0.01, 1e-12);
		cr_assert_eq(tail->n_shown, 2);
		cr_expect_eq(tail->shown[0], COLUMN_FAULTS);
		cr_expect_eq(tail->events[COLUMN_FAULTS].total, has_first ? 40400 : 400);
		cr_expect(isinf(tail->events[COLUMN_FAULTS].ratio));
		cr_expect_eq(tail->shown[1], COLUMN_INSTRUCTIONS);
		cr_expect_not(tail->events[COLUMN_TIME].is_known);
		cr_expect_not(tail->events[COLUMN_BRANCHES].is_known);
		fixture_finish();
		fixture_start();
	}
}

/* Two of ten slow calls had a fault and no other call had any. That may be chance. */
Test(tail_chance, too_few_of_them)
{
	struct rs_accumulator *accumulator = add_accumulator("slow", 70, 71);
	for (int i = 0; i < CALLS; i++)
		add_call(accumulator, i % 100 == 50 ? 5000 : 900, 1000, 5000, i == 50 || i == 150);
	summarize();
	cr_expect_eq(summary.regions[0].n_tails, 1);
	cr_expect_eq(n_shown(), 0);
}

/* An event explains nothing if slow calls have less of it, hardly more, or some in one of a hundred
 * calls. */
Test(tail_chance, nothing_worth_a_word)
{
	struct rs_accumulator *accumulator = add_accumulator("slow", 70, 71);
	for (int i = 0; i < 100 * CALLS; i++) {
		bool slow = i % 100 == 50;
		add_call(accumulator, slow ? 5000 : 900, slow ? 1400 : 1000, slow ? 100 : 5000,
			i % 2000 == 50);
	}
	summarize();
	cr_expect_eq(summary.regions[0].n_tails, 1);
	cr_expect_eq(n_shown(), 0);
}

/* Clocks are not reported. If instructions are equal, they are reported only beside another
 * event. */
Test(tail_chance, clocks_and_work)
{
	for (int has_faults = 0; has_faults < 2; has_faults++) {
		struct rs_accumulator *accumulator = add_accumulator("slow", 70, 71);
		for (int i = 0; i < CALLS; i++) {
			bool slow = i % 100 == 50;
			add_call(accumulator, slow ? 5000 : 900, 1000 + slow, slow ? 10000 : 1800,
				slow && has_faults ? 3 : 0);
		}
		summarize();
		const struct rs_tail *tail = &summary.regions[0].tails[0];
		cr_assert_eq(summary.regions[0].n_tails, 1);
		cr_assert_eq(tail->n_shown, has_faults ? 2 : 0);
		if (has_faults) {
			cr_expect_eq(tail->shown[0], COLUMN_FAULTS);
			cr_expect_eq(tail->shown[1], COLUMN_INSTRUCTIONS);
		}
		fixture_finish();
		fixture_start();
	}
}
