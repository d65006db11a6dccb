/* SPDX-License-Identifier: MIT */
/*
 * Advice that follows from sums over calls: who was off a CPU, whose cycles were longer, who had more of
 * the work, which percentiles say nothing. 2 ticks are 1 ns, the run takes 1 ms.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "fixture.h"

/* The third event is task-clock. */
static void start(void)
{
	fixture_start();
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	plan.events[PLAN_EXAMPLE_FAULTS].generic = NULL;
	plan.events[PLAN_EXAMPLE_FAULTS].unit = "ns";
}

TestSuite(advice, .init = start, .fini = fixture_finish);

static void add(struct rs_cell *cell, int n, uint64_t time_ns, uint64_t clock_ns, uint64_t cycles)
{
	uint64_t deltas[] = {2 * time_ns, 1000, cycles, clock_ns};
	struct builder_call call = call_of(deltas);
	for (int i = 0; i < n; i++)
		builder_record(&builder, cell, &call);
}

/* The message of a code; NULL: there is none. At most one. */
static const struct rs_message *find(const struct rs_message *messages, size_t n, const char *code)
{
	const struct rs_message *found = NULL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(messages[i].about.code, code) != 0)
			continue;
		cr_expect_null(found, "%s is told twice", code);
		found = &messages[i];
	}
	return found;
}

static const struct rs_message *note(const char *code)
{
	return find(summary.notes, summary.n_notes, code);
}

static void expect_note(const char *code, const char *region, double number, const char *first_line)
{
	const struct rs_message *message = note(code);
	cr_assert(message, "%s is not told", code);
	cr_expect_str_eq(message->about.region, region);
	cr_expect_float_eq(message->about.number, number, 1e-9);
	cr_expect_eq(
		strncmp(message->text, first_line, strlen(first_line)), 0, "%s", message->text);
	cr_expect(strstr(message->text, "\n  try: "), "%s", message->text);
}

Test(advice, off_a_cpu)
{
	add(add_cell("solve", 70, 71), 10, 10000, 9900, 1000);
	add(add_cell("io", 70, 72), 5, 10000, 400, 100);
	add(add_cell("sleep", 70, 73), 10, 10000, 1000, 100);
	summarize();
	expect_note("off-cpu", "sleep", 2,
		"threads were off a CPU for part of the time of: 'sleep' (90% of 100 us), 'io' "
		"(96% of 50 us)\n");
}

/* On a CPU nearly always; next to nothing of the run; not counted in some calls; longer there than by
 * the clock, as two clocks may have it; less than markers are known to. */
Test(advice, not_known_to_be_off_a_cpu)
{
	add(add_cell("solve", 70, 71), 10, 10000, 9100, 1000);
	add(add_cell("short", 70, 72), 1, 9000, 0, 1000);
	add(add_cell("equal", 70, 74), 10, 10000, 10100, 1000);
	/* 20 of 60 ns, between markers that take 1,500: who knows */
	struct rs_cell *cell = add_cell("tiny", 70, 75);
	cell->pair_ticks = 3000;
	add(cell, 1000, 60, 40, 100);
	cell = add_cell("partly", 70, 73);
	add(cell, 10, 10000, 1000, 100);
	uint64_t deltas[] = {100, 50, 100, 0};
	struct builder_call call = call_of(deltas);
	call.not_counted = 2;
	builder_record(&builder, cell, &call);
	summarize();
	cr_expect_null(note("off-cpu"));
}

Test(advice, cycles_of_two_lengths)
{
	add(add_cell("slow", 70, 71), 1, 11000000, 10000000, 21000000);
	add(add_cell("fast", 70, 72), 1, 11000000, 10000000, 44800000);
	add(add_cell("short", 70, 73), 1, 1000000, 1000000, 100);
	summarize();
	expect_note("frequency", "slow", 4.48 / 2.1,
		"cycles were not equally long: 2.10 GHz in 'slow', 4.48 GHz in 'fast'\n");
}

Test(advice, cycles_of_one_region_on_two_threads)
{
	struct rs_cell *cell = add_cell("slow", 70, 71);
	add(cell, 1, 11000000, 10000000, 20000000);
	cell = builder_cell(&builder, builder_slot(&builder, 0, 72, 10000), cell->region);
	add(cell, 1, 11000000, 10000000, 30000000);
	summarize();
	expect_note("frequency", "slow", 1.5,
		"cycles were not equally long: 2.00 GHz in 'slow', 3.00 GHz in 'slow' on another "
		"thread\n");
}

/* Nearly the same; cycles of user space alone, beside all of the time. */
Test(advice, cycles_that_say_nothing)
{
	add(add_cell("slow", 70, 71), 1, 11000000, 10000000, 40000000);
	add(add_cell("fast", 70, 72), 1, 11000000, 10000000, 44800000);
	summarize();
	cr_expect_null(note("frequency"));
	add(add_cell("user", 70, 73), 1, 11000000, 10000000, 1000000);
	plan.events[PLAN_EXAMPLE_CYCLES].attr.exclude_kernel = 1;
	summarize();
	cr_expect_null(note("frequency"));
}

/* The same region on so many threads, each with one call. */
static struct rs_cell *share(const uint64_t *times_ns, size_t n)
{
	struct rs_cell *cell = add_cell("render", 70, 71);
	add(cell, 1, times_ns[0], times_ns[0], 1000);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t slot = builder_slot(&builder, 0, 71 + i, 10000);
		add(builder_cell(&builder, slot, cell->region), 1, times_ns[i], times_ns[i], 1000);
	}
	return cell;
}

/* 200 us beside an average of 110: 90 us more, of a run of 1 ms. */
Test(advice, work_that_is_shared_unevenly)
{
	share((const uint64_t[]){200000, 80000, 80000, 80000}, 4);
	summarize();
	expect_note("imbalance", "render", 1,
		"one thread had much more of a region than others: 'render' (200 us, of 4 threads "
		"110 us on average)\n");
}

Test(advice, work_that_is_shared)
{
	share((const uint64_t[]){200000, 190000, 180000, 195000}, 4);
	share((const uint64_t[]){2000, 190, 180, 195}, 4); /* 2 us are nothing */
	share((const uint64_t[]){500000}, 1);
	summarize();
	cr_expect_null(note("imbalance"));
}

/* Threads that came one after the other have one cell: who had what is not known. */
Test(advice, work_of_threads_that_are_not_told_apart)
{
	share((const uint64_t[]){200000, 80000, 80000, 80000}, 4)->n_threads = 3;
	summarize();
	cr_expect_null(note("imbalance"));
}

Test(advice, percentiles_of_few_calls)
{
	add(add_cell("once", 70, 71), 1, 100, 100, 100);
	add(add_cell("thrice", 70, 72), 3, 100, 100, 100);
	add(add_cell("enough", 70, 73), 100, 100, 100, 100);
	summarize();
	const struct rs_message *message = find(summary.details, summary.n_details, "few-calls");
	cr_assert_not_null(message);
	cr_expect_str_eq(message->text,
		"p99 of fewer than 100 calls, and p90 of fewer than 10, is the slowest of them: "
		"'thrice' (3)");
	cr_expect_str_eq(message->about.region, "thrice");
}
