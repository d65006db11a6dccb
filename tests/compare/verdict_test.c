/* SPDX-License-Identifier: MIT */
/*
 * Verdicts on made-up series whose truth is known. Some tests make 1,000 series with
 * REGIONSTAT_SERIES=all, as in the suite `long`. By default they make a twentieth of that.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation.h"

/* Shares need hundreds of series, and are the same numbers with a sanitizer. The other tests run
 * with one. */
static void need_no_sanitizer(void)
{
#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("the same numbers as without a sanitizer");
#endif
}

static size_t n_series(size_t all)
{
	const char *text = getenv("REGIONSTAT_SERIES");
	return text && strcmp(text, "all") == 0 ? all : all / 20;
}

TestSuite(verdict, .timeout = 3000);

struct alarms {
	size_t rows, changed, work, shown[SIMULATED_EVENTS], machine, drift;
};

static struct alarms count_alarms(struct simulation simulation, size_t n)
{
	struct alarms alarms = {0};
	for (size_t i = 0; i < n; i++) {
		struct rs_comparison comparison;
		simulation.state = 1000 + i;
		simulation_make(&simulation, &comparison);
		for (size_t e = 0; e < comparison.n_events; e++)
			for (size_t r = 0; r < comparison.n_regions; r++) {
				alarms.rows++;
				alarms.shown[e] +=
					rs_comparison_difference(&comparison, e, r)->is_shown;
			}
		for (size_t r = 0; r < comparison.n_regions; r++) {
			alarms.work += comparison.regions[r].verdict == RS_VERDICT_WORK;
			alarms.changed += comparison.regions[r].verdict > RS_VERDICT_NONE;
		}
		alarms.machine += comparison.machine > RS_MACHINE_SAME;
		alarms.drift += comparison.has_drift;
		rs_comparison_finish(&comparison);
	}
	fprintf(stderr,
		"# %zu rows; changed: %zu, work changed: %zu; shown: time %zu, cpu-time %zu, calls "
		"%zu, "
		"page-faults %zu, instructions %zu; machine %zu; drift %zu\n",
		alarms.rows, alarms.changed, alarms.work, alarms.shown[SIMULATED_TIME],
		alarms.shown[SIMULATED_CPU_TIME], alarms.shown[SIMULATED_CALLS],
		alarms.shown[SIMULATED_FAULTS], alarms.shown[SIMULATED_INSTRUCTIONS],
		alarms.machine, alarms.drift);
	return alarms;
}

/* At most one false alarm in 500,000 rows. */
Test(verdict, equal_work_with_instructions_is_equal)
{
	need_no_sanitizer();
	for (int is_paired = 0; is_paired < 2; is_paired++) {
		struct simulation simulation = {
			.is_paired = is_paired, .has_instructions = true, .changed = RS_NONE};
		struct alarms alarms = count_alarms(simulation, n_series(1000));
		cr_expect_leq(alarms.changed, 1);
	}
}

/* At most one in 10,000 rows without instructions. */
Test(verdict, equal_work_without_instructions_is_equal)
{
	need_no_sanitizer();
	for (int is_paired = 0; is_paired < 2; is_paired++) {
		struct simulation simulation = {.is_paired = is_paired, .changed = RS_NONE};
		struct alarms alarms = count_alarms(simulation, n_series(1000));
		size_t shown = 0;
		for (size_t e = 0; e < SIMULATED_EVENTS; e++)
			shown += alarms.shown[e];
		cr_expect_leq((double)shown, (double)alarms.rows / 10000);
		cr_expect_leq((double)alarms.work, (double)alarms.rows / 10000);
	}
}

/* In how many of n series the changed region has the verdict "work changed", and none of the
 * others. */
static size_t count_found(struct simulation simulation, size_t n, size_t *others)
{
	size_t found = 0;
	*others = 0;
	for (size_t i = 0; i < n; i++) {
		struct rs_comparison comparison;
		simulation.state = 5000 + i;
		simulation_make(&simulation, &comparison);
		for (size_t r = 0; r < comparison.n_regions; r++)
			if (comparison.regions[r].verdict == RS_VERDICT_WORK)
				*(r == simulation.changed ? &found : others) += 1;
		rs_comparison_finish(&comparison);
	}
	fprintf(stderr, "# %zu of %zu found, %zu others\n", found, n, *others);
	return found;
}

Test(verdict, one_percent_more_work_is_found_by_instructions)
{
	need_no_sanitizer();
	struct simulation simulation = {.is_paired = true,
		.has_instructions = true,
		.changed = 42,
		.work = 1.01,
		.speed = 1};
	size_t others, n = n_series(1000);
	cr_expect_geq(count_found(simulation, n, &others), n * 95 / 100);
	cr_expect_eq(others, 0);
}

Test(verdict, five_percent_more_work_is_found_by_time)
{
	need_no_sanitizer();
	struct simulation simulation = {.is_paired = true, .changed = 42, .work = 1.05, .speed = 1};
	size_t others, n = n_series(1000);
	cr_expect_geq(count_found(simulation, n, &others), n * 95 / 100);
	/* Of what is shown at most a hundredth may be false. Beside the true one, a false one is
	 * half of it: 2 of 100 series. By chance up to 4 standard deviations more. */
	const double expected = (double)n / 50;
	cr_expect_leq((double)others, expected + 4 * sqrt(expected));
}

Test(verdict, intervals_cover_the_truth)
{
	need_no_sanitizer();
	for (int kind = 0; kind < 4; kind++) {
		struct simulation simulation = {.is_paired = kind & 1,
			.has_instructions = kind & 2,
			.changed = 42,
			.work = 1.03,
			.speed = 1};
		size_t n = 0, covered[SIMULATED_EVENTS] = {0};
		for (size_t i = 0; i < n_series(1000); i++) {
			struct rs_comparison comparison;
			simulation.state = 9000 + i;
			simulation_make(&simulation, &comparison);
			for (size_t r = 0; r < SIMULATED_REGIONS; r++) {
				double truth = r == simulation.changed ? simulation.work : 1;
				n++;
				for (size_t e = 0; e < comparison.n_events; e++) {
					const struct rs_estimate *estimate =
						&rs_comparison_difference(&comparison, e, r)
							 ->estimate;
					covered[e] += estimate->low <= truth &&
						      truth <= estimate->high;
				}
			}
			rs_comparison_finish(&comparison);
		}
		fprintf(stderr,
			"# covered: time %.3f, cpu-time %.3f, faults %.3f, instructions %.3f\n",
			(double)covered[SIMULATED_TIME] / (double)n,
			(double)covered[SIMULATED_CPU_TIME] / (double)n,
			(double)covered[SIMULATED_FAULTS] / (double)n,
			(double)covered[SIMULATED_INSTRUCTIONS] / (double)n);
		for (size_t e = 0; e < SIMULATED_EVENTS - (size_t)!simulation.has_instructions;
			e++) {
			if (e == SIMULATED_CALLS) /* exact */
				continue;
			cr_expect_geq((double)covered[e], 0.93 * (double)n, "%zu", e);
			cr_expect_leq((double)covered[e], 0.97 * (double)n, "%zu", e);
		}
	}
}

/* Instructions are the same, and on-CPU time is not. */
Test(verdict, equal_work_at_another_speed)
{
	for (uint64_t i = 0; i < 20; i++) {
		struct rs_comparison comparison;
		struct simulation simulation = {.state = i,
			.is_paired = i & 1,
			.has_instructions = true,
			.changed = 42,
			.work = 1,
			.speed = 1.2};
		simulation_make(&simulation, &comparison);
		cr_expect_eq(comparison.regions[42].verdict, RS_VERDICT_SPEED);
		cr_expect_eq(comparison.regions[42].event, SIMULATED_CPU_TIME);
		rs_comparison_finish(&comparison);
	}
}

/* A slower machine, or one that a burner slows from the middle on, is no slower program. */
Test(verdict, a_slower_machine_is_not_a_slower_program)
{
	static const double factors[] = {2, 1.2, 0.8};
	for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
		for (int kind = 0; kind < 4; kind++) {
			bool is_paired = kind & 1;
			struct simulation simulation = {.state = 77 + i,
				.is_paired = is_paired,
				.has_instructions = kind & 2,
				.changed = RS_NONE,
				.machine = factors[i],
				.machine_from = 0.5};
			struct rs_comparison comparison;
			size_t n_changed = 0;
			simulation_make(&simulation, &comparison);
			for (size_t r = 0; r < SIMULATED_REGIONS; r++)
				n_changed += comparison.regions[r].verdict == RS_VERDICT_WORK;
			cr_expect_eq(n_changed, 0, "%zu", n_changed);
			cr_expect_eq(comparison.machine,
				is_paired ? RS_MACHINE_SAME : RS_MACHINE_CHANGED, "%d at %g",
				comparison.machine, factors[i]);
			cr_expect_eq(comparison.has_drift, is_paired);
			rs_comparison_finish(&comparison);
		}
}

/* ---- small ones by hand ---- */

enum {
	PARENT,
	CHILD,
	OTHER,
	RUN,
	N_BY_HAND,
};

#define N_RUNS 6u

static struct rs_comparison by_hand;

static void set(size_t region, size_t run, double calls, double total, double self)
{
	*rs_comparison_point(&by_hand, 0, region, run) = rs_point_make(calls, total, self);
	*rs_comparison_point(&by_hand, 1, region, run) = rs_point_make(1, calls, calls);
}

/* Instructions and calls of a parent, its child, and another region, in three runs a side. */
static void make_by_hand(void)
{
	rs_comparison_init(&by_hand, N_BY_HAND, 2, N_RUNS);
	by_hand.events[0] = (struct rs_compared_event){"instructions", "count", RS_KIND_WORK};
	by_hand.events[1] = (struct rs_compared_event){"calls", "count", RS_KIND_CALLS};
	by_hand.regions[CHILD].parent = PARENT;
	by_hand.regions[RUN].is_run = true;
	for (unsigned k = 0; k < N_RUNS; k++) {
		by_hand.runs[k] = (struct rs_compared_run){k % 2, k / 2};
		set(PARENT, k, 10, 100000, 60000);
		set(CHILD, k, 100, 40000, 40000);
		set(OTHER, k, 7, 70000, 70000);
	}
}

static void finish_by_hand(void)
{
	rs_comparison_finish(&by_hand);
}

static enum rs_verdict verdict_of(size_t region)
{
	return by_hand.regions[region].verdict;
}

TestSuite(by_hand, .init = make_by_hand, .fini = finish_by_hand);

Test(by_hand, counts_without_spread_are_compared_exactly)
{
	for (unsigned k = 1; k < N_RUNS; k += 2)
		set(OTHER, k, 7, 70700, 70700);
	rs_comparison_judge(&by_hand);
	cr_expect_eq(verdict_of(OTHER), RS_VERDICT_WORK);
	const struct rs_estimate *estimate =
		&rs_comparison_difference(&by_hand, 0, OTHER)->estimate;
	cr_expect(estimate->is_exact);
	cr_expect_float_eq(estimate->ratio, 1.01, 1e-5);
	cr_expect_eq(verdict_of(PARENT), RS_VERDICT_NONE);
}

/* The child does less, the parent as much more: inlined, or called elsewhere. */
Test(by_hand, a_cost_that_moves_is_no_change_of_two)
{
	for (unsigned k = 1; k < N_RUNS; k += 2) {
		set(PARENT, k, 10, 100000, 80000);
		set(CHILD, k, 100, 20000, 20000);
	}
	rs_comparison_judge(&by_hand);
	cr_expect_eq(verdict_of(PARENT), RS_VERDICT_MOVED);
	cr_expect_eq(verdict_of(CHILD), RS_VERDICT_MOVED);
	cr_expect_eq(by_hand.regions[CHILD].partner, PARENT);
	cr_expect_eq(verdict_of(OTHER), RS_VERDICT_NONE);
}

Test(by_hand, a_child_that_does_less_is_its_own_change)
{
	for (unsigned k = 1; k < N_RUNS; k += 2) {
		set(PARENT, k, 10, 80000, 60000);
		set(CHILD, k, 100, 20000, 20000);
	}
	rs_comparison_judge(&by_hand);
	cr_expect_eq(verdict_of(PARENT), RS_VERDICT_NONE, "its own work is the same");
	cr_expect_eq(verdict_of(CHILD), RS_VERDICT_WORK);
}

/* ---- a region of short calls ---- */

/* 5 regions with 1,000 calls. The last one has calls of 30 ns, which differ from run to run by up
 * to 8 ns. Those of the first take 17 % longer on the new side. */
static void make_with_a_short_region(struct rs_comparison *comparison, uint64_t seed)
{
	static const double ns[] = {1300, 1300, 2600, 400, 30};
	struct simulation random = {.state = seed};
	rs_comparison_init(comparison, 5, 1, 20);
	comparison->events[0] = (struct rs_compared_event){"cpu-time", "ns", RS_KIND_SPEED};
	comparison->design.is_paired = true;
	for (unsigned k = 0; k < 20; k++) {
		double machine = 0.04 * (simulation_uniform(&random) - 0.5);
		comparison->runs[k] = (struct rs_compared_run){k % 2, k / 2};
		for (size_t r = 0; r < 5; r++) {
			double noise = 0.06 * (simulation_uniform(&random) - 0.5);
			double call = ns[r] * exp(machine + noise) * (r == 0 && k % 2 ? 1.17 : 1);
			call += r == 4 ? 16 * (simulation_uniform(&random) - 0.5) : 0;
			*rs_comparison_point(comparison, 0, r, k) = rs_point_make(
				1000, 1000 * call, 1000 * call);
		}
	}
	rs_comparison_judge(comparison);
}

/* A difference is found beside a region whose calls are as short as their markers. A difference of
 * some ns of that region is none. */
Test(verdict, a_region_of_short_calls_hides_no_difference)
{
	unsigned n_found = 0, n_others = 0;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct rs_comparison comparison;
		make_with_a_short_region(&comparison, seed);
		const struct rs_difference *first = rs_comparison_difference(&comparison, 0, 0);
		n_found += comparison.regions[0].verdict == RS_VERDICT_WORK &&
			   fabs(first->estimate.ratio - 1.17) < 0.04;
		for (size_t r = 1; r < 5; r++)
			n_others += comparison.regions[r].verdict != RS_VERDICT_NONE;
		rs_comparison_finish(&comparison);
	}
	cr_expect_geq(n_found, 99u, "%u of 100", n_found);
	cr_expect_leq(n_others, 4u, "%u of 400", n_others);
}
