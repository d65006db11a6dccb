/* SPDX-License-Identifier: MIT */
/* Tests of merging runs: any order and grouping has the same result. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "plan_example.h"
#include "random.h"
#include "record/load.h"
#include "record/save.h"
#include "stats/merge.h"
#include "stats/run_merge.h"

#define N_RUNS 6u
#define N_NAMES 5u
#define N_TRIALS 20u

/* The order of a sum of about 1000 doubles changes only the last of 53 bits. */
#define ROUNDING 1e-12

static const char *const names[N_NAMES] = {"render", "parse", "a:b", "lock", "flush"};
/* Calls and page faults of each region, counted when they are recorded. */
static uint64_t n_calls[N_NAMES], n_faults[N_NAMES];

static struct plan_example plans[2];
static struct rs_total totals[N_RUNS][PLAN_EXAMPLE_EVENTS];
static struct rs_outcome outcomes[N_RUNS];
static struct rs_run runs[N_RUNS];
static struct rs_err err;

/* Put the same events into groups of another order. */
static void reorder(struct plan_example *plan)
{
	const struct rs_event faults = plan->events[2];
	memmove(&plan->events[1], &plan->events[0], 2 * sizeof(faults));
	plan->events[0] = faults;
	plan->events[0].counter = 1;
	plan->events[1].counter = 2;
	plan->events[2].counter = 3;
	plan->events[0].group = 0;
	plan->events[1].group = plan->events[2].group = 1;
	plan->groups[0].n_events = 1;
	plan->groups[1].first = 1;
	plan->groups[1].n_events = 2;
}

/* Record a random number of calls of a region on a slot. is_reordered: the events of this run are
 * in the other order. */
static void fill(struct builder *builder, uint32_t slot, uint32_t region, size_t name,
	bool is_reordered, uint64_t *state)
{
	struct rs_accumulator *accumulator = builder_accumulator(builder, slot, region);
	for (uint64_t n = random_next(state) % 20; n > 0; n--) {
		uint64_t time = 1 + random_next(state) % (UINT64_C(1) << random_next(state) % 30);
		uint64_t faults = random_next(state) % 100;
		uint64_t deltas[4] = {time, 3 * time, time / 2, faults};
		if (is_reordered) {
			deltas[1] = faults;
			deltas[2] = 3 * time;
			deltas[3] = time / 2;
		}
		builder_record(builder, accumulator,
			&(struct builder_call){.deltas = deltas,
				.enabled_ns = time,
				.running_ns = time,
				.start_ticks = 1 + random_next(state) % 1000,
				.pid = 70,
				.tid = 71 + slot});
		n_calls[name]++;
		n_faults[name] += faults;
	}
	accumulator->pending = random_next(state) % 3;
	atomic_store(&accumulator->diag[RS_ACCUMULATOR_DIAG_LOST], random_next(state) % 3);
}

/* Make a run with some of the regions, which have other indexes in each run. */
static void make_run(size_t index, uint64_t *state)
{
	static const uint32_t groups[2][3] = {{0, 0, 1}, {0, 1, 1}};
	bool is_reordered = index % 2;
	struct builder builder;
	uint32_t regions[N_NAMES];
	builder_init(&builder, 3, groups[is_reordered]);
	builder_process(&builder, (uint32_t)(70 + index));
	for (size_t i = 0; i < N_NAMES; i++)
		regions[(i + index) % N_NAMES] = builder_region(
			&builder, names[(i + index) % N_NAMES]);
	for (uint32_t s = 0; s < 1 + index % 3; s++) {
		uint32_t slot = builder_slot(&builder, 0, 71 + s, 100000);
		for (size_t i = 0; i < N_NAMES; i++)
			if (random_next(state) % 4 > 0)
				fill(&builder, slot, regions[i], i, is_reordered, state);
	}
	outcomes[index] = (struct rs_outcome){.started = true, .totals = totals[index]};
	outcomes[index].begin = (struct rs_clock_point){1000, 1000};
	outcomes[index].end = (struct rs_clock_point){2001000, 2001000 + index};
	for (size_t e = 0; e < PLAN_EXAMPLE_EVENTS; e++)
		totals[index][e] = (struct rs_total){true, random_next(state) % 1000, 10, 10};
	runs[index] = (struct rs_run){
		.label = "run", .plan = &plans[is_reordered].plan, .outcome = &outcomes[index]};
	cr_assert(rs_collect(&runs[index], builder.segment.fd, 3, 2, &outcomes[index].begin,
			  &outcomes[index].begin, &err),
		"%s", err.text);
	cr_assert_eq(runs[index].n_damaged, 0, "%s", runs[index].damage);
	builder_finish(&builder);
}

static void start(void)
{
	for (size_t i = 0; i < 2; i++)
		plan_example_init(&plans[i]);
	reorder(&plans[1]);
}

static void finish(void)
{
	for (size_t i = 0; i < N_RUNS; i++)
		rs_run_finish(&runs[i]);
}

TestSuite(merge, .init = start, .fini = finish);

/* Return the index of an event among the values of a run. */
static uint32_t value_of(const struct rs_run *run, const char *event)
{
	for (size_t i = 0; i < run->plan->n_events; i++)
		if (strcmp(run->plan->events[i].name, event) == 0)
			return rs_event_of_counter(run->plan->events[i].counter);
	return 0;
}

static const struct rs_result *find_row(
	const struct rs_run *run, const struct rs_merge *merge, const char *name)
{
	for (size_t i = 0; i < merge->n_rows; i++)
		if (strcmp(run->regions[merge->rows[i].region].name, name) == 0)
			return &merge->rows[i];
	return NULL;
}

static void expect_same_value(const struct rs_value *a, const struct rs_value *b)
{
	cr_expect_eq(a->status, b->status);
	cr_expect_eq(a->counted, b->counted);
	cr_expect_eq(a->weight, b->weight);
	cr_expect_eq(a->sum, b->sum);
	cr_expect_eq(a->min, b->min);
	cr_expect_eq(a->max, b->max);
	cr_expect_eq(a->total, b->total);
	cr_expect_eq(a->self, b->self);
	cr_expect_eq(a->enabled_ns, b->enabled_ns);
	cr_expect_eq(a->running_ns, b->running_ns);
	cr_expect_eq(a->slowest, b->slowest);
	cr_expect_leq(fabs(a->square - b->square), ROUNDING * a->square);
	cr_assert_eq(a->histogram.n, b->histogram.n);
	cr_expect(a->histogram.n == 0 || memcmp(a->histogram.buckets, b->histogram.buckets,
						 a->histogram.n * sizeof(struct rs_bucket)) == 0);
}

static void expect_same_result(const struct rs_run *of_a, const struct rs_result *a,
	const struct rs_run *of_b, const struct rs_result *b)
{
	static const char *const events[] = {"instructions", "cycles", "page-faults"};
	cr_expect_eq(a->calls, b->calls);
	cr_expect_eq(a->n_threads, b->n_threads);
	cr_expect(memcmp(a->diag, b->diag, sizeof(a->diag)) == 0);
	cr_expect_eq(a->slowest_start_ns, b->slowest_start_ns);
	cr_expect_eq(a->slowest_tid, b->slowest_tid);
	for (uint32_t v = 0; v < RS_EVENT_FIRST; v++)
		expect_same_value(&a->values[v], &b->values[v]);
	cr_assert_eq(a->n_octaves, b->n_octaves);
	for (size_t e = 0; e < 3; e++) {
		uint32_t in_a = value_of(of_a, events[e]), in_b = value_of(of_b, events[e]);
		expect_same_value(&a->values[in_a], &b->values[in_b]);
		for (size_t o = 0; o < a->n_octaves; o++) {
			cr_expect_eq(a->octaves[o].low_ns, b->octaves[o].low_ns);
			cr_expect_eq(a->octaves[o].weight, b->octaves[o].weight);
			cr_expect_eq(a->octaves[o].sums[in_a - RS_EVENT_FIRST],
				b->octaves[o].sums[in_b - RS_EVENT_FIRST]);
		}
	}
}

static void expect_same(const struct rs_run *a, const struct rs_run *b)
{
	struct rs_arena arena = {0};
	struct rs_merge of_a, of_b;
	rs_merge_make(&of_a, &arena, a, RS_MERGE_REGION);
	rs_merge_make(&of_b, &arena, b, RS_MERGE_REGION);
	cr_expect_eq(of_a.n_rows, of_b.n_rows);
	cr_expect_eq(a->n_processes, b->n_processes);
	cr_expect_eq(a->n_threads, b->n_threads);
	for (size_t i = 0; i < of_a.n_rows; i++) {
		const char *name = a->regions[of_a.rows[i].region].name;
		const struct rs_result *other = find_row(b, &of_b, name);
		cr_assert(other, "%s", name);
		expect_same_result(a, &of_a.rows[i], b, other);
	}
	for (size_t i = 0; i < PLAN_EXAMPLE_EVENTS; i++)
		for (size_t j = 0; j < PLAN_EXAMPLE_EVENTS; j++)
			if (!strcmp(a->plan->events[i].name, b->plan->events[j].name))
				cr_expect_eq(
					a->outcome->totals[i].value, b->outcome->totals[j].value);
	cr_expect_eq(a->outcome->end.monotonic_ns, b->outcome->end.monotonic_ns);
	rs_arena_finish(&arena);
}

/* Expect that each call is there once. */
static void expect_all(const struct rs_run *run)
{
	struct rs_arena arena = {0};
	struct rs_merge merge;
	uint32_t faults = value_of(run, "page-faults");
	rs_merge_make(&merge, &arena, run, RS_MERGE_REGION);
	for (size_t i = 0; i < N_NAMES; i++) {
		const struct rs_result *row = find_row(run, &merge, names[i]);
		cr_assert(row);
		cr_expect_eq(row->calls, n_calls[i]);
		cr_expect_eq(row->values[faults].sum, n_faults[i]);
	}
	rs_arena_finish(&arena);
}

static void add(struct rs_run *into, const struct rs_run *run)
{
	cr_assert(rs_run_merge(into, run, &err), "%s", err.text);
}

Test(merge, in_any_order_and_grouping)
{
	uint64_t state = 11;
	for (size_t trial = 0; trial < N_TRIALS; trial++) {
		struct rs_run all = {0}, other = {0}, first = {0}, second = {0};
		size_t order[N_RUNS], cut = 1 + random_next(&state) % (N_RUNS - 1);
		memset(n_calls, 0, sizeof(n_calls));
		memset(n_faults, 0, sizeof(n_faults));
		finish();
		for (size_t i = 0; i < N_RUNS; i++) {
			size_t place = random_next(&state) % (i + 1);
			make_run(i, &state);
			order[i] = order[place];
			order[place] = i;
		}
		for (size_t i = 0; i < N_RUNS; i++)
			add(&all, &runs[i]);
		for (size_t i = 0; i < N_RUNS; i++)
			add(i < cut ? &first : &second, &runs[order[i]]);
		add(&other, &second);
		add(&other, &first);
		expect_all(&all);
		expect_same(&all, &other);
		rs_run_finish(&first);
		rs_run_finish(&second);
		rs_run_finish(&other);
		rs_run_finish(&all);
	}
}

Test(merge, is_a_run_that_can_be_saved)
{
	static char *argv[] = {(char *)"program", NULL};
	uint64_t state = 7;
	struct rs_run all = {0}, read = {0};
	char *text = NULL;
	size_t bytes = 0;
	for (size_t i = 0; i < N_RUNS; i++) {
		make_run(i, &state);
		runs[i].argv = argv;
		add(&all, &runs[i]);
	}
	FILE *stream = open_memstream(&text, &bytes);
	fputs("{\n", stream);
	cr_assert(rs_run_save(&all, stream));
	fputs("\"end\":0}\n", stream);
	fclose(stream);
	cr_assert(rs_run_load(&read, NULL, text, bytes, &err), "%s", err.text);
	expect_same(&all, &read);
	rs_run_finish(&read);
	rs_run_finish(&all);
	free(text);
}

Test(merge, other_events_are_refused)
{
	uint64_t state = 3;
	struct rs_run all = {0};
	make_run(0, &state);
	make_run(1, &state);
	plans[1].events[0].name = (char *)"major-faults";
	add(&all, &runs[0]);
	cr_expect_not(rs_run_merge(&all, &runs[1], &err));
	cr_expect(strstr(err.text, "'major-faults' is not in both"), "%s", err.text);
	cr_expect_eq(all.n_results, runs[0].n_results);
	expect_same(&all, &runs[0]);
	runs[0].how.raw = true;
	cr_expect_not(rs_run_merge(&all, &runs[0], &err));
	rs_run_finish(&all);
}

Test(merge, regions_of_different_objects_are_apart)
{
	uint64_t state = 5;
	struct rs_run all = {0};
	make_run(0, &state);
	add(&all, &runs[0]);
	for (size_t i = 0; i < runs[0].n_regions; i++)
		runs[0].regions[i].object = "/usr/lib/libother.so";
	add(&all, &runs[0]);
	cr_expect_eq(all.n_regions, 2 * runs[0].n_regions);
	cr_expect_eq(all.n_results, 2 * runs[0].n_results);
	rs_run_finish(&all);
}
