/* SPDX-License-Identifier: MIT */
/*
 * Tests of the totals of sampled calls. Their errors are as large as stated, totals do not exceed
 * their whole, and self values add up. Tests draw calls as the runtime does: 32 first calls, 16
 * with each of the weights 3, 7, 15, ..., then one of each block of calls.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
#include "random.h"

#define N_FIRST 32u
#define N_STEP 16u
#define N_RUNS 100u /* regions in a segment */
#define TICKS 1000000000000 /* length of the run, and lifetime of each thread */

static const uint32_t one_group[] = {0};
static uint64_t state = 12;

static void start(void)
{
	fixture_start_segment(1, one_group, TICKS);
	builder_sample(&builder);
}

TestSuite(estimate, .init = start, .fini = fixture_finish, .timeout = 240);

/* Collect the segment, which must be undamaged. */
static void collect_all(void)
{
	collect();
	cr_assert_eq(collection.n_damaged, 0, "%s", collection.damage);
}

/* ---- times of calls ---- */

static uint64_t draw_normal(void)
{
	return (uint64_t)fmax(10000 + 2000 * random_normal(&state), 1);
}
static uint64_t draw_uniform(void)
{
	return 100 + (uint64_t)(random_uniform(&state) * 1900);
}
static uint64_t draw_bimodal(void)
{
	return random_uniform(&state) < 0.7 ? 150 : 1200;
}
static uint64_t draw_exponential(void)
{
	return 50 + (uint64_t)(-1000 * log(random_uniform(&state)));
}
static uint64_t draw_skewed(void)
{
	return 50 + (uint64_t)(500 * exp(random_normal(&state)));
}
static uint64_t (*const draws[])(void) = {
	draw_normal, draw_uniform, draw_bimodal, draw_exponential, draw_skewed};

/* ---- which calls are measured ---- */

struct sampler {
	uint64_t every; /* weight in the end */
	uint64_t weight; /* current weight */
	uint64_t n_left; /* measured calls until the weight grows */
	uint64_t place; /* index in the block of `weight` calls */
	uint64_t chosen;
};

/* Return the weight of the next call, or 0 if it is skipped. */
static uint64_t next_weight(struct sampler *sampler)
{
	if (sampler->weight == 0)
		*sampler = (struct sampler){sampler->every, 1, N_FIRST, 0, 0};
	if (sampler->place == sampler->weight) {
		sampler->place = 0;
		if (--sampler->n_left == 0 && sampler->weight < sampler->every) {
			uint64_t twice = 2 * sampler->weight + 1;
			sampler->weight = twice < sampler->every ? twice : sampler->every;
			sampler->n_left = sampler->weight < sampler->every ? N_STEP : UINT64_MAX;
		}
		sampler->chosen = random_next(&state) % sampler->weight;
	}
	return sampler->place++ == sampler->chosen ? sampler->weight : 0;
}

static struct rs_accumulator *add_region(uint32_t slot)
{
	static unsigned n;
	char name[16];
	snprintf(name, sizeof(name), "r%u", n++);
	return builder_accumulator(&builder, slot, builder_region(&builder, name));
}

static double mean_variance; /* of the last run_regions() */
static uint64_t first_factor = 1; /* how many times as long a region's first call takes */

/* Make a new region with n calls. Return the time of all, and set *represented. */
static uint64_t run_calls(struct rs_accumulator *accumulator, uint64_t n, uint64_t every,
	uint64_t (*draw)(void), uint64_t *represented)
{
	struct sampler sampler = {.every = every};
	uint64_t truth = 0;
	*represented = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t value = draw() * (i ? 1 : first_factor), weight = next_weight(&sampler);
		uint64_t deltas[] = {value, 2 * value};
		const struct builder_call call = {.deltas = deltas, .weight = weight};
		truth += value;
		if (weight == 0) {
			accumulator->skipped++;
			continue;
		}
		builder_record(&builder, accumulator, &call);
		*represented += weight * value;
	}
	return truth;
}

/*
 * Expect that so many of n totals are within two standard errors of the truth. For a normal
 * distribution that is 95.45 % of them, and of n totals four standard deviations more or fewer: 4 *
 * sqrt(0.9545 * 0.0455 / n).
 */
static void expect_covered(uint64_t n_covered, uint64_t n)
{
	double share = (double)n_covered / (double)n;
	double most = 4 * sqrt(0.9545 * 0.0455 / (double)n);
	cr_log_info("%.2f %% of %lu", 100 * share, (unsigned long)n);
	cr_expect_leq(fabs(share - 0.9545), most, "%.2f %% are covered, not 95.45 +- %.2f",
		100 * share, 100 * most);
}

/* Expect that the standard error of an on-CPU time has two parts: one by chance, and 1 % of the
 * total. The second is for interrupts and context switches, which a sample may not show. */
static void expect_variance(const struct rs_value *time, double by_chance)
{
	double least = 0.01 * (double)time->total, wanted = by_chance + least * least;
	/* A value and its double are in buckets whose middles differ in their rounding. */
	cr_expect_float_eq(time->variance, wanted, 1e-2 * wanted);
}

/* Make N_RUNS regions with n_calls calls each, and return how many totals of the event are within
 * their error. Set mean_variance. The mean of all errors must be chance too: within four standard
 * deviations. */
static uint64_t run_regions(uint64_t n_calls, uint64_t every, uint64_t (*draw)(void))
{
	uint64_t truths[N_RUNS], represented, n_covered = 0;
	double off = 0, variance = 0;
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, TICKS);
	for (unsigned i = 0; i < N_RUNS; i++)
		truths[i] = run_calls(add_region(slot), n_calls, every, draw, &represented);
	collect_all();
	cr_assert_eq(collection.n_results, N_RUNS);
	for (unsigned i = 0; i < N_RUNS; i++) {
		const struct rs_value *time = &collection.results[i].values[RS_EVENT_TIME];
		const struct rs_value *event = &collection.results[i].values[RS_EVENT_FIRST];
		double error = (double)event->total - 2 * (double)truths[i];
		cr_expect_eq(collection.results[i].calls, n_calls);
		/* An event has twice the value of the time. */
		expect_variance(time, event->variance / 4);
		cr_expect_eq(time->self, (int64_t)time->total);
		cr_expect_leq(fabs(2 * (double)time->total - (double)event->total), 2);
		n_covered += error * error <= 4 * event->variance;
		off += error;
		variance += event->variance;
	}
	cr_expect_leq(
		fabs(off), 4 * sqrt(variance), "totals are %.0f too high on average", off / N_RUNS);
	mean_variance = variance / N_RUNS;
	fixture_finish();
	start();
	return n_covered;
}

Test(estimate, errors_cover_the_truth)
{
	static const struct {
		uint64_t n_calls, every;
	} cases[] = {{20000, 51}, {10000, 101}, {60000, 1001}, {3000, 11}, {2000, 51}};
	for (size_t d = 0; d < sizeof(draws) / sizeof(draws[0]); d++) {
		uint64_t n_covered = 0, n = 0;
		for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
			n_covered += run_regions(cases[c].n_calls, cases[c].every, draws[d]);
			n += N_RUNS;
		}
		expect_covered(n_covered, n);
	}
}

/* A first call that takes 200 times as long was measured, so it makes no error larger. */
Test(estimate, a_long_first_call_does_not_count_in_errors)
{
	static const uint64_t n_calls[] = {2000, 60000};
	for (size_t d = 0; d < sizeof(draws) / sizeof(draws[0]); d++)
		for (size_t i = 0; i < sizeof(n_calls) / sizeof(n_calls[0]); i++) {
			first_factor = 1;
			run_regions(n_calls[i], 51, draws[d]);
			double usual = mean_variance;
			first_factor = 200;
			uint64_t n_covered = run_regions(n_calls[i], 51, draws[d]);
			cr_expect_leq(mean_variance, 1.5 * usual, "draw %zu of %lu calls", d,
				(unsigned long)n_calls[i]);
			expect_covered(n_covered, N_RUNS);
		}
	first_factor = 1;
}

static uint64_t draw_same(void)
{
	return 777;
}

/* Equal calls have no error by chance, whatever the number of latest calls that are represented. */
Test(estimate, equal_calls_are_exact)
{
	uint64_t truth, represented;
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, TICKS);
	for (uint64_t n = 1; n < 3000; n += 97) {
		truth = run_calls(add_region(slot), n, 101, draw_same, &represented);
		cr_assert_eq(truth, 777 * n);
	}
	collect_all();
	for (size_t i = 0; i < collection.n_results; i++) {
		const struct rs_result *accumulator = &collection.results[i];
		const struct rs_value *time = &accumulator->values[RS_EVENT_TIME];
		cr_expect_eq(time->total, 777 * (accumulator->calls));
		cr_expect_eq(accumulator->values[RS_EVENT_FIRST].variance, 0);
		if (accumulator->calls == accumulator->measured)
			cr_expect_eq(time->variance, 0);
		else
			expect_variance(time, 0);
	}
}

/* On each thread one call of `outer` contains all calls of `inner`, so half of the estimates would
 * exceed it. No estimate does, self values add up to the whole, and none is below 0. The sum over
 * all threads is within two standard errors of the truth, as if only the sum had a limit. */
Test(estimate, children_are_no_more_than_their_parents)
{
	uint32_t outer_region = builder_region(&builder, "outer");
	uint32_t inner_region = builder_region(&builder, "inner");
	uint32_t process = builder_process(&builder, 70), n_slots = 200, n_bound = 0;
	double all = 0, sum = 0, variance = 0;
	for (uint32_t i = 0; i < n_slots; i++) {
		uint32_t slot = builder_slot(&builder, process, 71 + i, TICKS);
		struct rs_accumulator *outer = builder_accumulator(&builder, slot, outer_region);
		struct rs_accumulator *inner = builder_accumulator(&builder, slot, inner_region);
		inner->parents[0] = (uint16_t)(RS_PARENT_FIRST + outer_region);
		uint64_t represented,
			truth = run_calls(inner, 5000, 101, draw_exponential, &represented);
		uint64_t deltas[] = {truth, 2 * truth};
		builder_record(&builder, outer,
			&(const struct builder_call){.deltas = deltas, .children = represented});
		all += (double)truth;
	}
	collect_all();
	cr_assert_eq(collection.n_results, 2 * n_slots);
	for (uint32_t i = 0; i < n_slots; i++) {
		const struct rs_value *outer = &collection.results[2 * i].values[RS_EVENT_TIME];
		const struct rs_value *inner = &collection.results[2 * i + 1].values[RS_EVENT_TIME];
		cr_expect_leq(inner->total, outer->total);
		cr_expect_geq(outer->self, 0);
		cr_expect_geq(inner->self, 0);
		/* each value is rounded to a ns */
		cr_expect_leq(llabs(outer->self + inner->self - (int64_t)outer->total), 1);
		n_bound += outer->self == 0;
		sum += (double)inner->total;
		variance += collection.results[2 * i + 1].values[RS_EVENT_FIRST].variance / 4;
	}
	cr_log_info("%.0f of %.0f, error %.0f", sum, all, sqrt(variance));
	cr_expect_leq(fabs(sum - all), 2 * sqrt(variance));
	cr_expect_geq(n_bound, n_slots / 5, "of %u estimates hardly one was too high", n_slots);
}

/* Record 41 calls of `region` that take 4,100 ticks per 100 of `value`. If is_sampled, the last
 * three measured ones represent nine: by spread_of_weights() the uncertainty is 3 * 3 * 2 averages.
 * The first call takes 0 and the second one twice as much, so that nothing is known of the
 * shortest. Calls nested in them took `children`. */
static void add_41(uint32_t slot, uint32_t region, uint32_t parent, uint64_t value,
	uint64_t children, bool is_sampled, uint64_t n_recursive)
{
	struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, region);
	if (parent != RS_NO_REGION)
		accumulator->parents[0] = (uint16_t)(RS_PARENT_FIRST + parent);
	for (uint64_t i = 0; i < (is_sampled ? 35 : 41); i++) {
		uint64_t deltas[] = {i < 2 ? i * 2 * value : value, 0};
		builder_record(&builder, accumulator,
			&(const struct builder_call){.deltas = deltas,
				.children = i == 0 ? children : 0,
				.weight = is_sampled && i >= 32 ? 3 : 1});
	}
	accumulator->skipped = is_sampled ? 6 : 0;
	accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = n_recursive;
}

/* Regions nest in each other. Their estimates are 41 * value. An excess is divided in proportion to
 * 18 * value^2, or 0 if all calls were measured. If only one call of the first region is outside of
 * its other calls, this region's uncertainty is 2 * 41 / 1 - 1 times as large. */
Test(estimate, an_excess_is_divided_by_uncertainty)
{
	static const struct {
		uint64_t values[3];
		bool is_sampled[3];
		uint64_t totals[3];
		uint64_t n_recursive;
	} cases[] = {
		/* an exact value never changes */
		{{100, 200}, {true, false}, {8200, 8200}},
		{{100, 200}, {false, true}, {4100, 4100}},
		{{100, 100, 200}, {true, true, false}, {8200, 8200, 8200}},
		{{100, 200, 200}, {false, true, true}, {4100, 4100, 4100}},
		{{100, 200, 200}, {true, true, false}, {8200, 8200, 8200}},
		/* 4100 is divided 1 : 4 */
		{{100, 200}, {true, true}, {4920, 4920}},
		/* 8200 is divided 81 : 9 */
		{{100, 300}, {true, true}, {11480, 11480}, 40},
		/* no excess */
		{{200, 100}, {true, true}, {8200, 4100}},
	};
	uint32_t process = builder_process(&builder, 70), regions[3];
	uint32_t slots[sizeof(cases) / sizeof(cases[0])];
	for (uint32_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (uint32_t r = 0; r < 3; r++)
			regions[r] = builder_region(
				&builder, (char[]){(char)('a' + r), (char)('0' + c), 0});
		slots[c] = builder_slot(&builder, process, 71 + c, TICKS);
		for (uint32_t r = 0; r < 3 && cases[c].values[r] > 0; r++)
			add_41(slots[c], regions[r], r > 0 ? regions[r - 1] : RS_NO_REGION,
				cases[c].values[r], r < 2 ? 41 * cases[c].values[r + 1] : 0,
				cases[c].is_sampled[r], r == 0 ? cases[c].n_recursive : 0);
	}
	collect_all();
	size_t i = 0;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (uint32_t r = 0; r < 3 && cases[c].values[r] > 0; r++) {
			const struct rs_value *time =
				&collection.results[i++].values[RS_EVENT_TIME];
			uint64_t nested = r < 2 ? cases[c].totals[r + 1] : 0;
			cr_expect_eq(time->total, cases[c].totals[r], "case %zu, %u: %lu", c, r,
				(unsigned long)time->total);
			cr_expect_eq(time->self, (int64_t)(cases[c].totals[r] - nested),
				"case %zu, %u", c, r);
		}
	cr_expect_eq(i, collection.n_results);
}

/* Calls that are nested in a call of the same region are no part of the total. Each outermost call
 * contains up to three others, and only the innermost one works. So all of them take the same time,
 * but only one of them is part of the total. */
Test(estimate, errors_of_recursive_regions_cover_the_truth)
{
	uint64_t n_covered = 0, truths[N_RUNS] = {0};
	uint32_t slot = builder_slot(&builder, builder_process(&builder, 70), 71, TICKS);
	for (unsigned i = 0; i < N_RUNS; i++) {
		struct rs_accumulator *accumulator = add_region(slot);
		struct sampler sampler = {.every = 51};
		for (unsigned n = 0; n < 4000; n++) {
			uint64_t n_inner = random_next(&state) % 4, value = draw_normal();
			for (uint64_t k = 0; k <= n_inner; k++) {
				uint64_t deltas[] = {value, 2 * value};
				struct builder_call call = {.deltas = deltas,
					.weight = next_weight(&sampler),
					.inner = k > 0 ? value : 0};
				accumulator->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] += k > 0;
				if (call.weight > 0)
					builder_record(&builder, accumulator, &call);
				else
					accumulator->skipped++;
			}
			truths[i] += value;
		}
	}
	collect_all();
	for (unsigned i = 0; i < N_RUNS; i++) {
		const struct rs_value *time = &collection.results[i].values[RS_EVENT_TIME];
		double error = (double)time->total - (double)truths[i];
		n_covered += error * error <= 4 * time->variance;
	}
	expect_covered(n_covered, N_RUNS);
}

/* The outermost region takes all of its thread's lifetime. */
Test(estimate, no_thread_has_more_than_its_lifetime)
{
	uint64_t represented, truths[N_RUNS];
	uint32_t process = builder_process(&builder, 70);
	uint32_t region = builder_region(&builder, "all");
	for (uint32_t i = 0; i < N_RUNS; i++) {
		uint32_t slot = builder_slot(&builder, process, 71 + i, TICKS);
		struct rs_accumulator *accumulator = builder_accumulator(&builder, slot, region);
		truths[i] = run_calls(accumulator, 5000, 101, draw_exponential, &represented);
		builder_slot_at(&builder, slot)->lifetime_ticks = truths[i];
	}
	collect_all();
	for (uint32_t i = 0; i < N_RUNS; i++) {
		const struct rs_value *time = &collection.results[i].values[RS_EVENT_TIME];
		cr_expect_leq(time->total, truths[i]);
		cr_expect_eq((int64_t)time->total, time->self);
	}
}

/* No call was measured on one thread. Its calls are estimated from those of other threads. */
Test(estimate, a_thread_without_a_measured_call)
{
	uint32_t process = builder_process(&builder, 70), region = builder_region(&builder, "r");
	uint64_t represented;
	struct rs_accumulator *accumulator = builder_accumulator(
		&builder, builder_slot(&builder, process, 71, TICKS), region);
	run_calls(accumulator, 32, 101, draw_same, &represented);
	accumulator = builder_accumulator(
		&builder, builder_slot(&builder, process, 72, TICKS), region);
	accumulator->skipped = 68;
	collect_all();
	cr_assert_eq(collection.n_results, 2);
	cr_expect_eq(collection.results[0].values[RS_EVENT_TIME].total, 777 * 100);
	cr_expect_eq(collection.results[1].values[RS_EVENT_TIME].total, 0);
}
