/* SPDX-License-Identifier: MIT */
/*
 * Tests of findings that follow from calls: regions with longer cycles, threads with more of the
 * work, percentiles that say nothing. 2 ticks are 1 ns; the run takes 1 ms.
 */
#include <criterion/criterion.h>

#include "fixture.h"

/* Make task-clock the third event. */
static void start(void)
{
	fixture_start();
	plan.events[PLAN_EXAMPLE_FAULTS].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	plan.events[PLAN_EXAMPLE_FAULTS].generic = NULL;
	plan.events[PLAN_EXAMPLE_FAULTS].unit = "ns";
}

TestSuite(advice, .init = start, .fini = fixture_finish);

static void add(struct rs_accumulator *accumulator, int n, uint64_t time_ns, uint64_t clock_ns,
	uint64_t cycles)
{
	struct builder_call call = CALL(2 * time_ns, 1000, cycles, clock_ns);
	for (int i = 0; i < n; i++)
		builder_record(&builder, accumulator, &call);
}

static void expect_note(const char *code, const char *region, double number, const char *text)
{
	summarize();
	const struct rs_finding *finding = find_finding(code);
	cr_assert(finding, "%s is not found", code);
	cr_expect_str_eq(finding->region, region);
	cr_expect_float_eq(finding->number, number, 1e-9);
	cr_expect_str_eq(finding->text, text);
	cr_expect(finding->remedy);
}

static void expect_none(const char *code)
{
	summarize();
	cr_expect_null(find_finding(code), "%s", code);
}

Test(advice, cycles_of_two_lengths)
{
	add(add_accumulator("slow", 70, 71), 1, 11000000, 10000000, 21000000);
	add(add_accumulator("fast", 70, 72), 1, 11000000, 10000000, 44800000);
	add(add_accumulator("short", 70, 73), 1, 1000000, 1000000, 100);
	expect_note("frequency", "slow", 4.48 / 2.1,
		"the clock rate changed, or a virtual machine had only a part of its CPU: "
		"2.10 GHz in 'slow', 4.48 GHz in 'fast'");
}

Test(advice, cycles_of_one_region_on_two_threads)
{
	struct rs_accumulator *accumulator = add_accumulator("slow", 70, 71);
	add(accumulator, 1, 11000000, 10000000, 20000000);
	accumulator = builder_accumulator(
		&builder, builder_slot(&builder, 0, 72, 10000), accumulator->region);
	add(accumulator, 1, 11000000, 10000000, 30000000);
	expect_note("frequency", "slow", 1.5,
		"the clock rate changed, or a virtual machine had only a part of its CPU: "
		"2.00 GHz in 'slow', 3.00 GHz in 'slow' on another "
		"thread");
}

/* Cycles are of nearly the same length, or they are cycles of user mode beside time in both
 * modes. */
Test(advice, cycles_that_say_nothing)
{
	add(add_accumulator("slow", 70, 71), 1, 11000000, 10000000, 40000000);
	add(add_accumulator("fast", 70, 72), 1, 11000000, 10000000, 44800000);
	expect_none("frequency");
	add(add_accumulator("user", 70, 73), 1, 11000000, 10000000, 1000000);
	plan.events[PLAN_EXAMPLE_CYCLES].attr.exclude_kernel = 1;
	expect_none("frequency");
}

/* Make the same region on n threads, each with one call. */
static struct rs_accumulator *share(const uint64_t *times_ns, size_t n)
{
	struct rs_accumulator *accumulator = add_accumulator("render", 70, 71);
	add(accumulator, 1, times_ns[0], times_ns[0], 1000);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t slot = builder_slot(&builder, 0, 71 + i, 10000);
		add(builder_accumulator(&builder, slot, accumulator->region), 1, times_ns[i],
			times_ns[i], 1000);
	}
	return accumulator;
}

/* 200 us beside an average of 110 us: the excess is 90 us in a run of 1 ms. */
Test(advice, work_that_is_shared_unevenly)
{
	share((const uint64_t[]){200000, 80000, 80000, 80000}, 4);
	expect_note("imbalance", "render", 1,
		"render: thread 71 has 200 us of it, the average of 4 threads 110 us, "
		"without preempted time");
	/* smaller pieces of work help only if the calls are long and any thread can take them */
	cr_expect_str_eq(find_finding("imbalance")->remedy,
		"divide the work more evenly; --per-thread shows each");
}

/* Add calls inside of a region. One of them takes 30 us and represents three calls. */
static struct rs_accumulator *add_estimated_part(uint32_t slot, uint32_t region)
{
	struct rs_accumulator *inner = builder_accumulator(
		&builder, slot, builder_region(&builder, "inner"));
	inner->parents[0] = (uint16_t)(RS_PARENT_FIRST + region);
	inner->skipped = 32;
	for (int i = 0; i < 48; i++) {
		struct builder_call call = CALL(i == 40 ? 60000 : 200, 1000, 1000, 100);
		call.weight = i < 32 ? 1 : 3;
		builder_record(&builder, inner, &call);
	}
	return inner;
}

/* "inner" calls itself, and two regions call it. The self times of both have its error, and that of
 * the region around them has none. */
Test(advice, self_times_with_an_estimated_part)
{
	builder_sample(&builder);
	struct rs_accumulator *all[3];
	static const char *const names[] = {"whole", "a", "b"};
	for (int i = 0; i < 3; i++) {
		all[i] = i == 0 ? add_accumulator(names[i], 70, 71)
				: builder_accumulator(
					  &builder, 0, builder_region(&builder, names[i]));
		all[i]->parents[0] = i == 0 ? RS_PARENT_NONE
					    : (uint16_t)(RS_PARENT_FIRST + all[0]->region);
		add(all[i], 1, i == 0 ? 400000 : 200000, 100000, 1000);
	}
	struct rs_accumulator *inner = add_estimated_part(0, all[1]->region);
	inner->parents[1] = (uint16_t)(RS_PARENT_FIRST + all[2]->region);
	inner->parents[2] = (uint16_t)(RS_PARENT_FIRST + inner->region);
	summarize();
	cr_assert_eq(summary.n_merged, 4);
	double error = rs_value_error(&summary.merged[3].values[RS_EVENT_TIME]);
	cr_expect_gt(error, 0);
	for (size_t i = 0; i < 4; i++) {
		const struct rs_value *time = &summary.merged[i].values[RS_EVENT_TIME];
		cr_expect_float_eq(rs_value_self_error(time), i == 0 ? 0 : error, 1e-9);
		cr_expect_eq(rs_value_error(time), i == 3 ? error : 0);
	}
}

/* Thread 71 has 90 us more than the average, but the error of its self time is larger. */
Test(advice, work_with_an_estimated_part)
{
	builder_sample(&builder);
	uint32_t render = share((const uint64_t[]){200000, 80000, 80000, 80000}, 4)->region;
	add_estimated_part(0, render);
	expect_none("imbalance");
}

/* Thread 72 is in a child process of fork(), which began inside of "render". This call ends only in
 * the parent process. So the error of its part is in no self time. */
Test(advice, work_beside_an_estimated_part)
{
	builder_sample(&builder);
	struct rs_accumulator *first = add_accumulator("render", 70, 71);
	uint32_t render = first->region;
	uint32_t child = builder_slot(&builder, builder_process(&builder, 72), 72, 10000);
	add_estimated_part(child, render);
	add(first, 1, 80000, 80000, 1000);
	for (uint32_t tid = 73; tid < 76; tid++)
		add(builder_accumulator(&builder, builder_slot(&builder, 0, tid, 10000), render), 1,
			tid == 73 ? 200000 : 80000, 80000, 1000);
	expect_note("imbalance", "render", 1,
		"render: thread 73 has 200 us of it, the average of 4 threads 110 us, "
		"without preempted time");
}

/* Asynchronous calls overlap, and one thread may end those of others. */
Test(advice, asynchronous_calls_are_not_shared)
{
	struct rs_accumulator *busy = share((const uint64_t[]){200000}, 1);
	uint32_t slot = builder_slot(&builder, 0, 72, 10000);
	struct rs_accumulator *idle = builder_accumulator(&builder, slot, busy->region);
	add(idle, 1, 80000, 80000, 1000);
	busy->parents[0] = idle->parents[0] = 0;
	expect_none("imbalance");
	cr_expect_null(find_finding("threads"));
}

/* Make the same region in three processes, each with two threads that make one call each. */
static void share_processes(uint64_t lifetime_ns)
{
	static const uint64_t times_ns[] = {200000, 80000, 80000};
	uint32_t region = add_accumulator("render", 70, 71)->region;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t process = builder_process(&builder, 80 + i);
		for (uint32_t t = 0; t < 2; t++) {
			uint32_t slot = builder_slot(
				&builder, process, 80 + 10 * t + i, (2 - t) * lifetime_ns);
			add(builder_accumulator(&builder, slot, region), 1, times_ns[i],
				times_ns[i], 1000);
		}
	}
}

/* Processes with lifetimes of 0.9 ms in a run of 1 ms may have run one after another, and then none
 * waited for another. If each lived 0.4 ms, some of them ran at the same time. A process has two
 * threads, and lives as long as the first one. */
Test(advice, processes_one_after_another)
{
	share_processes(300000);
	expect_none("imbalance");
	cr_expect_null(find_finding("threads"));
}

Test(advice, processes_at_the_same_time)
{
	share_processes(400000);
	expect_note("imbalance", "render", 1,
		"render: thread 80 has 200 us of it, the average of 6 threads 120 us, "
		"without preempted time");
	cr_expect(find_finding("threads"));
}

/* The finding compares the CPU time over all regions of threads that have most of it in the same
 * region. 14 % above the average is not much. */
Test(advice, threads_with_more_cpu_time)
{
	share((const uint64_t[]){200000, 80000, 80000, 80000}, 4);
	summarize();
	const struct rs_finding *finding = find_finding("threads");
	cr_assert(finding);
	cr_expect_eq(finding->severity, RS_NOTE);
	cr_expect_float_eq(finding->number, 200.0 / 110, 1e-9);
	cr_expect_str_eq(finding->whole, "thread 71 has 1.82 times the CPU time of the average of "
					 "4 threads that are busiest "
					 "in render: --per-thread shows all");
}

/* With --by-work, the calls of a region have rows of their own, without parents. */
Test(advice, threads_with_more_cpu_time_by_work)
{
	const uint64_t times_ns[] = {200000, 80000};
	uint32_t region = add_accumulator("render", 70, 71)->region;
	uint32_t work = builder_region(&builder, "render [8 B, 0 flop]");
	builder_region_at(&builder, work)->work_of = 1 + region;
	uint32_t slots[] = {0, builder_slot(&builder, 0, 72, 10000)};
	builder_accumulator(&builder, slots[1], region);
	for (size_t i = 0; i < 2; i++) {
		struct rs_accumulator *accumulator = builder_accumulator(&builder, slots[i], work);
		accumulator->parents[0] = 0;
		add(accumulator, 1, times_ns[i], times_ns[i], 1000);
	}
	summarize();
	const struct rs_finding *finding = find_finding("threads");
	cr_assert(finding);
	cr_expect_str_eq(finding->whole, "thread 71 has 1.43 times the CPU time of the average of "
					 "2 threads that are busiest "
					 "in render: --per-thread shows all");
	cr_expect(find_finding("imbalance"));
}

/* Threads that do something else are not compared: here one reads what three others need. */
Test(advice, threads_with_another_task)
{
	share((const uint64_t[]){200000, 195000, 190000}, 3);
	add(add_accumulator("read", 70, 80), 1, 5000, 5000, 1000);
	expect_none("threads");
}

Test(advice, threads_with_equal_cpu_time)
{
	share((const uint64_t[]){114000, 86000}, 2);
	expect_none("threads");
	share((const uint64_t[]){1000}, 1)->n_threads = 2; /* two threads, one after the other */
	expect_none("threads");
}

Test(advice, work_that_is_shared)
{
	share((const uint64_t[]){200000, 190000, 180000, 195000}, 4);
	share((const uint64_t[]){2000, 190, 180, 195}, 4); /* 2 us are not enough for a finding */
	share((const uint64_t[]){500000}, 1);
	expect_none("imbalance");
}

/* Threads that use one accumulator in turn have unknown shares. */
Test(advice, work_of_threads_in_one_row)
{
	share((const uint64_t[]){200000, 80000, 80000, 80000}, 4)->n_threads = 3;
	expect_none("imbalance");
}

Test(advice, percentiles_of_few_calls)
{
	add(add_accumulator("once", 70, 71), 1, 100, 100, 100);
	add(add_accumulator("thrice", 70, 72), 3, 100, 100, 100);
	add(add_accumulator("enough", 70, 73), 100, 100, 100, 100);
	summarize();
	const struct rs_finding *finding = find_finding("few-calls");
	cr_assert_not_null(finding);
	cr_expect_eq(finding->severity, RS_DETAIL);
	cr_expect_str_eq(finding->text,
		"p99 of fewer than 100 calls, and p90 of fewer than 10, is the slowest of them: "
		"'thrice' (3)");
	cr_expect_str_eq(finding->region, "thrice");
}

/* The region has 100 ms of the CPU time. Below 20 % of the CPU time there is no finding, and below
 * 100 ms neither. */
Test(advice, cpu_time_in_threads_without_markers)
{
	add(add_accumulator("a", 70, 71), 1, 100000000, 0, 0);
	outcome.usage.ru_utime.tv_usec = 250000;
	outcome.usage.ru_stime.tv_usec = 150000;
	summarize();
	const struct rs_finding *finding = find_finding("unmarked-cpu");
	cr_assert(finding);
	cr_expect_float_eq(finding->number, 75, 1e-9);
	cr_expect_str_eq(finding->whole,
		"75% of the CPU time is in processes and threads without markers, before a "
		"thread's first marker, or in pauses: mark this work too");
	run_record.how.attached = true;
	summarize();
	cr_expect(strstr(find_finding("unmarked-cpu")->whole,
		"mark this work too; attach does not measure programs that children execute"));
	run_record.how.attached = false;
	run_record.how.delay_ms = 100; /* the user excludes the beginning */
	expect_none("unmarked-cpu");
	run_record.how.delay_ms = 0;
	const char *const only[] = {"a"}; /* the user excludes other regions */
	run_record.how.only = only;
	run_record.how.n_only = 1;
	expect_none("unmarked-cpu");
	run_record.how.n_only = 0;
	strcpy(builder.segment.header->load_error, "no memory"); /* another finding says why */
	expect_none("unmarked-cpu");
	builder.segment.header->load_error[0] = '\0';
	builder.segment.header->diag[RS_SEGMENT_DIAG_SLOTS] = 1;
	expect_none("unmarked-cpu");
	builder.segment.header->diag[RS_SEGMENT_DIAG_SLOTS] = 0;
	summarize();
	cr_expect(find_finding("unmarked-cpu"));
	outcome.usage.ru_utime.tv_usec = 0;
	expect_none("unmarked-cpu");
	add(add_accumulator("b", 70, 72), 1, 400000000, 0, 0);
	outcome.usage.ru_utime.tv_usec = 450000;
	expect_none("unmarked-cpu");
}
