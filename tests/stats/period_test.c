/* SPDX-License-Identifier: MIT */
/* Tests of periods: a week of a service by a clock that runs ahead. Periods and scrapes add up to
 * the run, and memory does not grow. */
#include <criterion/criterion.h>

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "fixture.h"
#include "random.h"
#include "report/service_metrics.h"
#include "stats/histogram.h"
#include "stats/period.h"
#include "stats/run_merge.h"

#define SCRAPE_S UINT64_C(600)
#define SCRAPES (UINT64_C(7) * 86400 / SCRAPE_S)
#define SCRAPES_A_PERIOD (UINT64_C(3600) / SCRAPE_S)
#define N_REGIONS 2u
/* Sums of a few thousand doubles in another order */
#define ROUNDING 1e-9

static struct rs_err err;
static struct rs_accumulator *accumulators[N_REGIONS];
static uint64_t n_calls[N_REGIONS], state = 7;
static struct rs_run *latest, *begin; /* owned; they may be the same */
static struct rs_run sum;

TestSuite(period, .init = fixture_start, .fini = fixture_finish);

static void check(bool done)
{
	cr_assert(done, "%s", err.text);
}

/* Let a scrape's time pass, during which a few calls end. The clocks are read with an error, so the
 * length of a tick differs from scrape to scrape. */
static void pass(uint64_t scrape)
{
	outcome.end.ticks = outcome.begin.ticks + 2 * scrape * SCRAPE_S * 1000000000;
	outcome.end.monotonic_ns = outcome.begin.monotonic_ns + scrape * SCRAPE_S * 1000000000 +
				   random_next(&state) % 2000;
	for (uint32_t r = 0; r < N_REGIONS; r++) {
		for (uint64_t n = random_next(&state) % 4; n > 0; n--, n_calls[r]++)
			record(accumulators[r], (100 + random_next(&state) % 40 * 50) << 8 * r, 1);
	}
}

/* is_torn: the program changed the first result while it was read, so this result is missing */
static void look(bool is_torn)
{
	summarize();
	if (!latest)
		return;
	rs_summary_finish(&summary);
	run_record.results += is_torn;
	run_record.n_results -= is_torn;
	check(rs_period_add_up(&run_record, latest, true));
	check(rs_summary_init(&summary, &options, &run_record, &err));
}

/* Add the period to the sum, which keeps its size, as of the merge command. */
static void add_period(bool is_last)
{
	struct rs_run part, both = {0}, collapsed = {0};
	check(rs_period_make(&part, &run_record, begin, is_last));
	check(!sum.plan || rs_run_merge(&both, &sum, &err));
	check(rs_run_collapse(&both, &part, &err));
	check(rs_run_collapse(&collapsed, &both, &err));
	rs_run_finish(&sum);
	sum = collapsed;
	rs_run_finish(&both);
	rs_run_finish(&part);
}

static void release(struct rs_run *run)
{
	if (!run)
		return;
	free((struct rs_outcome *)run->outcome);
	rs_run_finish(run);
	free(run);
}

/* Keep the run of the scrape as the latest one. */
static void keep(bool is_end_of_period)
{
	struct rs_run *run = malloc(sizeof(*run));
	struct rs_outcome *own = malloc(sizeof(*own));
	cr_assert(run && own);
	*run = run_record;
	*own = outcome;
	run->outcome = own;
	run_record = (struct rs_run){0};
	rs_summary_finish(&summary);
	summary = (struct rs_summary){0};
	if (latest != begin)
		release(latest);
	latest = run;
	if (!is_end_of_period)
		return;
	release(begin);
	begin = run;
}

/* What a scraper adds up: increments of counters and buckets. */
struct scraped {
	uint64_t last[N_REGIONS][16 + RS_SERVICE_BOUNDS];
	uint64_t sums[N_REGIONS][16 + RS_SERVICE_BOUNDS];
};

static void scrape_one(struct scraped *scraped, size_t region, size_t series, uint64_t value)
{
	uint64_t *last = &scraped->last[region][series];
	cr_assert(value >= *last, "region %zu, series %zu: %lu < %lu", region, series,
		(unsigned long)value, (unsigned long)*last);
	scraped->sums[region][series] += value - *last;
	*last = value;
}

static void scrape(struct scraped *scraped)
{
	static struct rs_service_buckets buckets;
	struct rs_arena arena = {0};
	const struct rs_service service = rs_service_make(&summary, &arena);
	for (size_t i = 0; i < service.n_rows; i++) {
		uint64_t value, n = 0;
		size_t region = summary.merged[service.rows[i].first].index -
				1; /* after "(other)" */
		for (size_t c = 0; c < rs_service_n_counters; c++)
			if (rs_service_count(
				    &service, &rs_service_counters[c], &service.rows[i], &value))
				scrape_one(scraped, region, c, value);
		if (!rs_service_fill(&service, &service.events[0], &service.rows[i], &buckets))
			continue;
		for (size_t b = 0; b < service.events[0].n; b++) {
			n += buckets.counts[b];
			scrape_one(scraped, region, 16 + service.events[0].first + b, n);
		}
		scrape_one(scraped, region, 15, buckets.sum);
	}
	rs_arena_finish(&arena);
}

static void check_scraped(const struct scraped *scraped)
{
	for (size_t i = 0; i < N_REGIONS; i++) {
		const struct rs_value *time = &summary.merged[i].values[RS_EVENT_TIME];
		cr_assert_eq(scraped->sums[i][0], n_calls[i]);
		cr_assert_eq(scraped->sums[i][1], time->total);
		cr_assert_eq(scraped->sums[i][15], time->sum);
	}
}

static void check_value(const struct rs_value *value, const struct rs_value *other)
{
	cr_assert_eq(value->status, other->status);
	cr_assert_eq(value->counted, other->counted);
	cr_assert_eq(value->weight, other->weight);
	cr_assert_eq(value->sum, other->sum);
	cr_assert_eq(value->min, other->min);
	cr_assert_eq(value->max, other->max);
	cr_assert_eq(value->total, other->total);
	cr_assert_eq(value->self, other->self);
	cr_assert(fabs(value->square - other->square) <= ROUNDING * other->square);
	cr_assert_eq(value->histogram.n, other->histogram.n);
	if (value->histogram.n > 0)
		cr_assert_arr_eq(value->histogram.buckets, other->histogram.buckets,
			value->histogram.n * sizeof(struct rs_bucket));
}

/* The periods together have the rows of the run. */
static void check_sum(void)
{
	struct rs_summary of_periods;
	check(rs_summary_init(&of_periods, &options, &sum, &err));
	cr_assert_eq(of_periods.elapsed_ns, summary.elapsed_ns);
	cr_assert_eq(of_periods.n_merged, summary.n_merged);
	/* the overhead within one call, of which there is no sum */
	cr_assert_float_eq(sum.processes[0].inside_ns, 20, 0.01);
	for (size_t i = 0; i < summary.n_merged; i++) {
		const struct rs_summary_region *a = &of_periods.merged[i], *b = &summary.merged[i];
		cr_assert_eq(a->calls, b->calls);
		for (size_t c = 0; c < summary.n_columns; c++)
			check_value(&a->values[c], &b->values[c]);
	}
	rs_summary_finish(&of_periods);
}

Test(period, a_week)
{
	static struct scraped scraped;
	size_t bytes[2] = {0};
	for (uint32_t r = 0; r < N_REGIONS; r++)
		accumulators[r] = add_accumulator(r == 0 ? "render" : "parse", 70, 71 + r);
	for (uint32_t i = 0; i < N_REGIONS; i++)
		builder_process_at(&builder, i)->inside_ticks = 40;
	for (uint64_t i = 1; i <= SCRAPES; i++) {
		bool is_end = i % SCRAPES_A_PERIOD == 0;
		pass(i);
		look(i % 5 == 2);
		scrape(&scraped);
		if (is_end)
			add_period(i == SCRAPES);
		if (i == SCRAPES)
			break;
		keep(is_end);
		if (i == SCRAPES / 7 || i == SCRAPES - SCRAPES_A_PERIOD)
			bytes[i > SCRAPES / 7] = mallinfo2().uordblks;
	}
	check_scraped(&scraped);
	check_sum();
	/* after a day nearly every bucket has a call */
	cr_assert_leq(bytes[1], bytes[0] + bytes[0] / 8, "%zu and %zu", bytes[0], bytes[1]);
	rs_run_finish(&sum);
	if (latest != begin)
		release(latest);
	release(begin);
}

/* A thread waits for a CPU for 220 ns, and then it sleeps. Until its next look, the wait counts as
 * preempted, and then as blocked. Its CPU time is 10 ns in the first period, and 0 in the
 * others. */
Test(period, a_thread_that_waits_for_a_cpu_and_sleeps)
{
	static const uint64_t ns[][3] = {{230, 0, 220}, {330, 320, 0}, {350, 100, 240}},
			      expected[][3] = {{230, 0, 220}, {100, 100, 0}, {20, 0, 20}};
	add_accumulator("render", 70, 71);
	struct rs_slot *slot = builder_slot_at(&builder, 0);
	for (int i = 0; i < 3; i++) {
		struct rs_run part;
		slot->lifetime_ticks = 2 * ns[i][0];
		slot->off_ticks[RS_OFF_BLOCKED] = 2 * ns[i][1];
		slot->off_ticks[RS_OFF_PREEMPTED] = 2 * ns[i][2];
		look(false);
		check(rs_period_make(&part, &run_record, begin, i == 2));
		cr_expect_eq(part.threads[0].lifetime_ns, expected[i][0]);
		cr_expect_eq(part.threads[0].off_ns[RS_OFF_BLOCKED], expected[i][1]);
		cr_expect_eq(part.threads[0].off_ns[RS_OFF_PREEMPTED], expected[i][2]);
		rs_run_finish(&part);
		keep(true);
	}
	release(begin);
}
