/* SPDX-License-Identifier: MIT */
/*
 * The note on averages above the 90th percentile. Expected figures are arithmetic: of n calls the
 * fastest nine tenths, rounded up, took p90 at most each, and p90 is within 0.8 percent.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "plan_example.h"
#include "stats/arena.h"
#include "stats/warnings.h"

#define N_REGIONS 6

static struct rs_arena arena;
static struct plan_example plan;
static struct rs_summary_column columns[] = {{.name = "time"}, {.name = "task-clock"}};
static struct rs_value values[N_REGIONS][2];
static struct rs_bucket buckets[N_REGIONS][2];
static struct rs_summary_region regions[N_REGIONS];
static char names[N_REGIONS][8];
static struct rs_summary summary;
static struct rs_messages notes;

static void start(void)
{
	plan_example_init(&plan);
	summary = (struct rs_summary){.columns = columns, .n_columns = 1, .regions = regions};
	notes = (struct rs_messages){.arena = &arena};
}

static void finish(void)
{
	rs_arena_finish(&arena);
}

TestSuite(tails, .init = start, .fini = finish);

static void add(uint64_t calls, double avg, uint64_t p90, uint64_t cpu_percent)
{
	size_t i = summary.n_regions++;
	snprintf(names[i], sizeof(names[i]), "%c", (char)('a' + i));
	uint64_t total = (uint64_t)(avg * (double)calls);
	/* nineteen of twenty calls took as long as p90 */
	buckets[i][0] = (struct rs_bucket){.low = p90, .high = p90 + 1, .count = 95};
	buckets[i][1] = (struct rs_bucket){
		.low = UINT32_MAX, .high = UINT32_MAX + 1ull, .count = 5};
	values[i][0] = (struct rs_value){.counted = calls,
		.weight = calls,
		.total = total,
		.sum = total,
		.max = UINT32_MAX,
		.histogram = {buckets[i], 2, false}};
	values[i][1] = (struct rs_value){.total = total / 100 * cpu_percent};
	regions[i] = (struct rs_summary_region){
		.name = names[i], .calls = calls, .values = values[i]};
	regions[i].cpu_time.status = RS_VALUE_NOT_SUPPORTED;
	for (int k = 0; k < RS_OFF_N; k++)
		regions[i].off[k].status = RS_VALUE_NOT_SUPPORTED;
}

/* "" where there is no note. */
static const char *tell(void)
{
	struct rs_warnings_source source = {.plan = &plan.plan, .summary = &summary};
	rs_warnings_of_tails(&notes, &source);
	cr_assert_leq(notes.n, 1);
	return notes.n > 0 ? notes.items[0].text : "";
}

static void count_task_clock(void)
{
	plan.events[PLAN_EXAMPLE_TASK_CLOCK].in_regions = true;
	summary.n_columns = 2;
}

/* 90 calls of 100 ns at most are 9,070 of 100,000 ns: 9.07 %, which leaves 90.9 for the others. */
Test(tails, the_least_share_of_the_slowest_tenth)
{
	add(100, 1000, 100, 0);
	cr_expect_str_eq(tell(), "avg is above p90 where a few calls took much of the time:\n"
				 "  'a': the slowest tenth took at least 90% of its time\n"
				 "  try: -e task-clock, which tells whether they waited");
}

/* 10 of 11 calls are nine tenths, rounded up: 1,007.8 of 2,200 ns, which leaves 54.2. */
Test(tails, few_calls)
{
	add(11, 200, 100, 0);
	cr_expect(strstr(tell(), "at least 54% of its time"), "%s", tell());
}

Test(tails, averages_that_are_not_above)
{
	add(100, 100, 100, 0);
	add(100, 109, 100, 0);
	add(100, 1000, 100, 0);
	values[2][0].histogram.n = 0;
	add(100, 1000, 100, 0);
	values[3][0].weight = 0;
	cr_expect_str_eq(tell(), "");
}

Test(tails, who_waited_and_who_did_not)
{
	count_task_clock();
	add(100, 1000, 100, 4);
	add(100, 500, 100, 97);
	cr_expect_str_eq(tell(),
		"avg is above p90 where a few calls took much of the time:\n"
		"  'a': the slowest tenth took at least 90% of its time\n"
		"  'b': the slowest tenth took at least 81% of its time; on a CPU for 97% of it");
}

/* Two threads' clocks differ by a little: never more than all of the time. */
Test(tails, no_more_than_all_of_the_time)
{
	count_task_clock();
	add(100, 1000, 100, 103);
	cr_expect(strstr(tell(), "on a CPU for 100% of it"));
}

Test(tails, task_clock_that_was_not_counted)
{
	count_task_clock();
	add(100, 1000, 100, 4);
	values[0][1].status = RS_VALUE_NOT_COUNTED;
	cr_expect_not(strstr(tell(), "CPU"));
}

/* Those with most time, the rest in a word. */
Test(tails, many_regions)
{
	for (unsigned i = 0; i < N_REGIONS; i++)
		add(100, 1000 + 100 * i, 100, 0);
	const char *text = tell();
	const char *first = strstr(text, "'f'"), *last = strstr(text, "'c'");
	cr_expect(first && last && first < last, "%s", text);
	cr_expect_not(strstr(text, "'b'"));
	cr_expect(strstr(text, "\n  and others\n"));
}

/* Rows of one region, of several threads: told once, of the one with most time. */
Test(tails, rows_of_one_region)
{
	add(100, 1000, 100, 0);
	add(100, 2000, 100, 0);
	add(100, 1500, 100, 0);
	names[1][0] = names[2][0] = 'a';
	cr_expect_str_eq(tell(), "avg is above p90 where a few calls took much of the time:\n"
				 "  'a': the slowest tenth took at least 95% of its time\n"
				 "  try: -e task-clock, which tells whether they waited");
}
