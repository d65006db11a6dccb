/* SPDX-License-Identifier: MIT */
/* Tests of shares of regions, which add up for all values. */
#include <criterion/criterion.h>

#include <math.h>

#include "stats/builder.h"

#define N_MOST 100
#define EVENT RS_EVENT_FIRST
#define N_COLUMNS (EVENT + 1)

static struct rs_arena arena;
static struct rs_summary summary;
static struct rs_summary_column columns[N_COLUMNS];
static struct rs_summary_region regions[N_MOST];
static struct rs_value values[N_MOST][N_COLUMNS], run_values[N_COLUMNS];

static void start(void)
{
	summary = (struct rs_summary){.columns = columns,
		.n_columns = N_COLUMNS,
		.merged = regions,
		.whole.lifetimes_ns = 1000,
		.total.values = run_values};
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(glance, .init = start, .fini = finish);

static struct rs_value value_of(uint64_t self)
{
	return (struct rs_value){
		.total = self, .self = self < INT64_MAX ? (int64_t)self : INT64_MAX};
}

static struct rs_summary_region *add(uint64_t self, uint64_t clock)
{
	size_t i = summary.n_merged++;
	values[i][0] = value_of(self);
	values[i][EVENT] = value_of(clock);
	regions[i] = (struct rs_summary_region){.parent_row = RS_NO_ROW, .values = values[i]};
	return &regions[i];
}

static void make(void)
{
	rs_glance_make(&summary, &arena);
}

static uint32_t sum_of(size_t column)
{
	const struct rs_shares *shares = &summary.shares[column];
	uint32_t sum = shares->outside == RS_NO_SHARE ? 0 : shares->outside;
	for (size_t i = 0; i < summary.n_merged; i++)
		sum += shares->thousandths[i] == RS_NO_SHARE ? 0 : shares->thousandths[i];
	return sum;
}

/* Thirds of 100.0 % are 33.3 % each, and the first region gets the rest. */
Test(glance, thirds)
{
	summary.whole.lifetimes_ns = 900;
	for (int i = 0; i < 3; i++)
		add(300, 0);
	make();
	const struct rs_shares *shares = &summary.shares[0];
	cr_expect_eq(shares->thousandths[0], 334);
	cr_expect_eq(shares->thousandths[1], 333);
	cr_expect_eq(shares->thousandths[2], 333);
	cr_expect_eq(shares->outside, 0);
}

Test(glance, always_a_thousand_and_never_off_by_one)
{
	srand(1);
	for (int round = 0; round < 300; round++) {
		summary.n_merged = 0;
		uint64_t shift = (uint64_t)rand() % 34, whole = 0;
		for (int n = 1 + rand() % (N_MOST - 1); n > 0; n--) {
			uint64_t self = (uint64_t)(rand() % 1000) << shift;
			add(self, 0);
			whole += self;
		}
		whole += ((uint64_t)(rand() % 3000) << shift) + 1;
		summary.whole.lifetimes_ns = whole;
		make();
		cr_assert_eq(sum_of(0), 1000);
		for (size_t i = 0; i < summary.n_merged; i++) {
			double exact = 1000.0 * (double)values[i][0].self / (double)whole;
			cr_assert_lt(fabs(summary.shares[0].thousandths[i] - exact), 1.0 + 1e-9);
		}
	}
}

Test(glance, huge_values)
{
	summary.whole.lifetimes_ns = UINT64_MAX;
	for (int i = 0; i < 4; i++)
		add(UINT64_MAX / 4, 0);
	make();
	cr_expect_eq(sum_of(0), 1000);
	summary.n_merged = 0;
	for (int i = 0; i < 4; i++)
		add(UINT64_MAX, 0);
	make();
	cr_expect_eq(sum_of(0), 1000);
	cr_expect_eq(summary.shares[0].thousandths[3], 250);
	cr_expect_eq(summary.shares[0].outside, RS_NO_SHARE);
}

/* Asynchronous calls, and values without a total, have no share. */
Test(glance, what_is_no_part)
{
	add(900, 0)->is_apart = true;
	add(500, 0);
	add(77, 0);
	values[2][0].status = RS_VALUE_NOT_COUNTED;
	make();
	const struct rs_shares *shares = &summary.shares[0];
	cr_expect_eq(shares->thousandths[0], RS_NO_SHARE);
	cr_expect_eq(shares->thousandths[1], 500);
	cr_expect_eq(shares->thousandths[2], RS_NO_SHARE);
	cr_expect_eq(shares->outside, 500);
}

/* If the run counts an event and no region does, its share outside of regions is unknown. */
Test(glance, only_the_run_counts)
{
	add(500, 0);
	add(100, 0)->is_apart = true;
	values[0][EVENT].status = RS_VALUE_NOT_COUNTED;
	run_values[EVENT] = value_of(1600);
	make();
	cr_expect_eq(summary.shares[EVENT].outside, RS_NO_SHARE);
	cr_expect_eq(summary.shares[0].outside, 500);
}

/* The whole of an event is its count over the run. If that is unknown, it is the sum of the
 * regions. */
Test(glance, events)
{
	add(500, 100);
	add(500, 300);
	run_values[EVENT] = value_of(1600);
	make();
	cr_expect_eq(summary.shares[EVENT].thousandths[1], 187);
	cr_expect_eq(summary.shares[EVENT].thousandths[0], 63); /* 62.5 lost most by rounding */
	cr_expect_eq(summary.shares[EVENT].outside, 750);
	run_values[EVENT].status = RS_VALUE_NOT_COUNTED;
	make();
	cr_expect_eq(summary.shares[EVENT].thousandths[0], 250);
	cr_expect_eq(summary.shares[EVENT].outside, RS_NO_SHARE);
	run_values[EVENT] = value_of(399);
	make();
	cr_expect_eq(summary.shares[EVENT].thousandths[1], 750);
	cr_expect_eq(summary.shares[EVENT].outside, RS_NO_SHARE);
}

/* The whole of on-CPU and off-CPU time is that of the threads. Overhead is on-CPU time. */
Test(glance, on_and_off_cpu)
{
	add(500, 0);
	values[0][RS_EVENT_CPU_TIME] = value_of(100);
	values[0][RS_EVENT_BLOCKED] = value_of(300);
	make();
	cr_expect_eq(summary.shares[RS_EVENT_BLOCKED].outside, RS_NO_SHARE);
	summary.whole.has_cpu = true;
	summary.whole.overhead_ns = 20;
	summary.whole.cpu_ns = 200;
	summary.whole.off_ns[RS_OFF_BLOCKED] = 800;
	make();
	cr_expect_eq(summary.shares[RS_EVENT_CPU_TIME].thousandths[0], 500);
	cr_expect_eq(summary.shares[RS_EVENT_CPU_TIME].overhead, 100);
	cr_expect_eq(summary.shares[RS_EVENT_CPU_TIME].unmarked, 80);
	cr_expect_eq(summary.shares[RS_EVENT_BLOCKED].thousandths[0], 375);
	cr_expect_eq(summary.shares[RS_EVENT_BLOCKED].unmarked, 500);
}

Test(glance, nothing_at_all)
{
	make();
	cr_expect_eq(summary.shares[0].outside, 1000);
	summary.whole.lifetimes_ns = 0;
	add(0, 0);
	make();
	cr_expect_eq(summary.shares[0].outside, RS_NO_SHARE);
}
