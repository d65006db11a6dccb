/* SPDX-License-Identifier: MIT */
/*
 * Tests of findings on where the time goes. Regions are made by hand. All threads together lived
 * for 200 ms, as in screen.c, so 1 % is 2 ms.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "fixture.h"
#include "screen.h"
#include "stats/counts.h"

static struct screen screen;
static struct rs_arena arena; /* of the findings */

static void start(void)
{
	screen_init(&screen, 0);
}

static void finish(void)
{
	rs_arena_finish(&arena);
	screen_finish(&screen);
}

TestSuite(findings_time, .init = start, .fini = finish);

static const struct rs_finding *find(const char *code)
{
	rs_arena_finish(&arena);
	screen_sum(&screen);
	findings = rs_findings_make(&screen.summary, &arena);
	return find_finding(code);
}

static void expect(
	const char *code, enum rs_severity severity, const char *region, const char *whole)
{
	const struct rs_finding *finding = find(code);
	cr_assert(finding, "no %s", code);
	cr_expect_eq(finding->severity, severity);
	cr_expect_str_eq(finding->whole, whole);
	cr_expect(region ? finding->region && !strcmp(finding->region, region) : !finding->region);
}

static struct rs_summary_region *add(
	const char *name, uint64_t calls, uint64_t us, unsigned cpu_percent)
{
	return screen_add(&screen, name, RS_NO_ROW, calls, us, us, cpu_percent);
}

static void set_overhead(double share, double total_ns)
{
	screen.summary.total.overhead = (struct rs_marker_overhead){
		.known = true, .pair_ns = 50, .total_ns = total_ns, .share = share};
}

/* The warning needs more than 5 % and more than a millisecond. */
Test(findings_time, overhead)
{
	add("outer", 10, 1000, 100)->overhead = (struct rs_marker_overhead){
		.known = true, .total_ns = 500};
	add("inner", 123456, 1000, 100)->overhead = (struct rs_marker_overhead){
		.known = true, .total_ns = 5000};
	set_overhead(0.28, 5e7);
	expect("overhead", RS_WARNING, "inner",
		"markers take at least 28% of the CPU time, most in inner (123,456 calls): use "
		"--budget 1%, or mark larger parts");
	cr_expect_eq(find("overhead"), findings.items);
	screen.summary.overhead_setup_ns = 30000000;
	struct rs_run_process processes[] = {{.pid = 70}, {.pid = 72}};
	struct rs_run_thread threads[] = {{0, .tid = 70}, {1, .tid = 73}};
	struct rs_run several = *screen.summary.run;
	several.processes = processes;
	several.threads = threads;
	several.n_processes = several.n_threads = 2;
	screen.summary.run = &several;
	cr_expect_str_eq(find("overhead")->whole, "markers take at least 28% of the CPU time, most "
						  "in the threads' first markers: mark "
						  "in threads that live longer");
	/* each process has one thread */
	threads[1].tid = 72;
	cr_expect_str_eq(find("overhead")->remedy, "mark in processes that live longer");
	/* a merged run does not say which threads were the first */
	processes[0].n_merged = 2;
	cr_expect_str_eq(find("overhead")->remedy, "mark in threads that live longer");
	/* an attached program may run longer than the measurement */
	struct rs_run attached = *screen.summary.run;
	const struct rs_run *started = screen.summary.run;
	attached.how.attached = true;
	screen.summary.run = &attached;
	cr_expect_str_eq(find("overhead")->remedy, "measure for a longer time");
	screen.summary.run = started;
	set_overhead(0.28, 9.9e6);
	/* overhead is below 10 ms and mostly setup, so this is no warning */
	screen.summary.overhead_setup_ns = 6000000;
	cr_expect_eq(find("overhead")->severity, RS_DETAIL);
	screen.summary.overhead_setup_ns = 0;
	set_overhead(0.05, 5e7);
	expect("overhead", RS_DETAIL, "inner",
		"markers take at least 5% of the CPU time, 50.0 ns a call");
	set_overhead(0.28, 999999);
	cr_expect_eq(find("overhead")->severity, RS_DETAIL);
	screen.summary.total.overhead.known = false;
	cr_expect_null(find("overhead"));
}

/* Expect what the finding on overhead in 100 calls of "wait" advises. */
static void expect_advice(const char *advice)
{
	static const char begin[] =
		"markers take at least 28% of the CPU time, most in wait (100 calls): ";
	cr_expect_str_eq(find("overhead")->whole + sizeof(begin) - 1, advice);
}

/* Sampling reduces neither looks after context switches nor what skipped calls take. */
Test(findings_time, overhead_that_sampling_does_not_reduce)
{
	struct rs_summary_region *region = add("wait", 100, 1000, 100);
	struct rs_result result = {.calls = 100, .measured = 99};
	const struct rs_run run = {.results = &result, .n_results = 1};
	region->overhead = (struct rs_marker_overhead){
		.known = true, .total_ns = 5000, .slow_ns = 2501};
	set_overhead(0.28, 5e7);
	screen.summary.run = &run;
	expect_advice("mark larger parts");
	result.measured = 100;
	region->values[RS_EVENT_BLOCKED].counted = 3;
	expect_advice("use --budget 1%, or mark larger parts");
	region->values[RS_EVENT_BLOCKED].counted = 4;
	expect_advice(
		"mark larger parts; sampling does not help, since most is spent after context "
		"switches");
	/* each thread measures its first 32 calls, which also use slow paths */
	region->n_threads = 4;
	expect_advice(
		"mark larger parts, or fewer regions: the first calls of a region take longest");
	region->n_threads = 1;
	/* slow paths take only half of the overhead */
	region->overhead.slow_ns = 2500;
	expect_advice("use --budget 1%, or mark larger parts");
	region->values[RS_EVENT_BLOCKED].counted = 0;
	region->n_threads = 4;
	expect_advice(
		"mark larger parts, or fewer regions: the first calls of a region take longest");
	region->n_threads = 3;
	expect_advice("use --budget 1%, or mark larger parts");
}

/* The user did not mark these functions, but can choose them. */
Test(findings_time, overhead_of_functions)
{
	struct rs_summary_region *region = add("wait", 100, 1000, 100);
	struct rs_run_region regions[] = {{.name = "wait", .flags = RS_REGION_IS_ADDRESS}};
	struct rs_run_adapter adapter = {.word = "functions"};
	struct rs_run run = *screen.summary.run;
	run.regions = regions;
	run.n_regions = 1;
	run.adapters = &adapter;
	run.n_adapters = 1;
	struct rs_region_counts of_region = {0};
	const struct rs_counts counts = {.regions = &of_region, .n_regions = 1};
	screen.summary.counts = &counts;
	region->overhead = (struct rs_marker_overhead){.known = true, .total_ns = 5000};
	set_overhead(0.28, 5e7);
	screen.summary.run = &run;
	expect_advice("--functions GLOB measures only the functions whose names match");
	region->bound_ns = 150;
	cr_expect(strstr(find("short-calls")->whole, "upper bounds: --functions GLOB measures"));
	regions[0].flags = 0;
	expect_advice("use --budget 1%, or mark larger parts");
	cr_expect(strstr(find("short-calls")->whole, "upper bounds: mark the enclosing loop"));
}

/* The user did not mark these constructs and waits, and can only leave them out. */
Test(findings_time, overhead_of_openmp)
{
	static const char advice[] =
		"--markers none, or a list without openmp, measures no OpenMP constructs";
	struct rs_summary_region *region = add("wait", 100, 1000, 100);
	struct rs_run_region regions[] = {{.name = "wait", .flags = RS_REGION_IS_ADDRESS}};
	struct rs_run_adapter adapter = {.word = "openmp"};
	struct rs_run run = *screen.summary.run;
	run.regions = regions;
	run.n_regions = 1;
	run.adapters = &adapter;
	run.n_adapters = 1;
	struct rs_region_counts of_region = {0};
	const struct rs_counts counts = {.regions = &of_region, .n_regions = 1};
	screen.summary.counts = &counts;
	region->overhead = (struct rs_marker_overhead){.known = true, .total_ns = 5000};
	region->bound_ns = 150;
	set_overhead(0.28, 5e7);
	screen.summary.run = &run;
	expect_advice(advice);
	cr_expect(strstr(find("short-calls")->whole, advice));
	regions[0].flags = 0;
	expect_advice("use --budget 1%, or mark larger parts");
	region->name = "OpenMP barrier";
	cr_expect(strstr(find("overhead")->whole, advice));
	run.n_adapters = 0;
	cr_expect(strstr(find("overhead")->whole, "mark larger parts"));
}

/* The advised budget can be kept: the first calls, the first markers and skipped calls take at most
 * half of it. The program takes 100 ms without markers. */
Test(findings_time, overhead_and_the_budget_that_can_be_kept)
{
	struct rs_summary_region *region = add("work", 1000032, 100000, 100);
	static const char begin[] =
		"markers take at least 20% of the CPU time, most in work (1,000,032 calls): ";
	region->n_threads = 1;
	set_overhead(0.2, 25e6);
	/* 1e6 skipped calls, each a 32nd of the overhead: 0.5, 0.501, 1, 2.5 and 2.501 ms */
	static const struct {
		double pair_ns;
		uint64_t setup_ns;
		const char *remedy;
	} cases[] = {
		{8, 249744, "use --budget 1%, or mark larger parts"},
		{8, 250000, "use --budget 2%, or mark larger parts"},
		{16, 499488, "use --budget 2%, or mark larger parts"},
		{16, 499489, "use --budget 5%, or mark larger parts"},
		{16, 1999488, "use --budget 5%, or mark larger parts"},
		{16, 1999489, "mark larger parts; no --budget up to 5% can be kept"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		region->overhead = (struct rs_marker_overhead){
			.known = true, .pair_ns = cases[i].pair_ns, .total_ns = 25e6};
		screen.summary.overhead_setup_ns = cases[i].setup_ns;
		cr_expect_str_eq(find("overhead")->whole + sizeof(begin) - 1, cases[i].remedy);
	}
	/* Slow paths of 1 ns a call remain, beside a 32nd of the other 7 ns: 1.219006 ms. */
	region->overhead.pair_ns = 8;
	region->overhead.slow_ns = 1000032;
	screen.summary.overhead_setup_ns = 1280994;
	cr_expect_str_eq(find("overhead")->whole + sizeof(begin) - 1,
		"use --budget 5%, or mark larger parts");
	screen.summary.overhead_setup_ns = 1280995;
	cr_expect_str_eq(find("overhead")->whole + sizeof(begin) - 1,
		"mark larger parts; no --budget up to 5% can be kept");
	region->overhead.slow_ns = 0;
	/* Calls of less than twice the overhead take a sixth of it, here 10 ms. */
	region->overhead.pair_ns = 60;
	screen.summary.overhead_setup_ns = 0;
	cr_expect_str_eq(find("overhead")->whole + sizeof(begin) - 1,
		"mark larger parts; no --budget up to 5% can be kept");
}

Test(findings_time, short_calls)
{
	add("long", 10, 2000, 100);
	add("first", 10, 1000, 100)->bound_ns = 150;
	set_overhead(0.02, 2e6);
	expect("short-calls", RS_NOTE, "first",
		"first: calls are shorter than their markers, values are upper bounds: mark the "
		"enclosing loop");
	add("second", 10, 1001, 100)->bound_ns = 150;
	expect("short-calls", RS_NOTE, "second",
		"second and 1 more: calls are shorter than their markers, values are upper bounds: "
		"mark the enclosing loop");
	screen.summary.overhead_setup_ns = 1500000; /* all calls together have 0.5 ms of overhead */
	cr_expect_eq(find("short-calls")->severity, RS_DETAIL);
}

/* The finding lists at most three regions, each with 0.5 % or more. */
Test(findings_time, most_cpu_time)
{
	add("a", 10, 10000, 100);
	cr_expect_null(find("cpu"), "one region alone says nothing");
	add("b", 10, 20000, 100);
	add("c", 10, 990, 100);
	expect("cpu", RS_NOTE, "b", "most CPU time: b 10.0%, a 5.0% of the threads' time");
	add("d", 10, 2000, 100);
	add("e", 10, 4000, 100);
	expect("cpu", RS_NOTE, "b", "most CPU time: b 10.0%, a 5.0%, e 2.0% of the threads' time");
}

/* The difference is 1 ms. Errors of 0.8 and 0.5 ms combine to 0.94 ms, and errors of 0.8 and 0.72
 * ms to 1.08 ms. */
Test(findings_time, no_difference_below_its_error)
{
	struct rs_summary_region *a = add("a", 10, 20000, 100), *b = add("b", 10, 19000, 100);
	a->values[RS_EVENT_CPU_TIME].status = b->values[RS_EVENT_CPU_TIME].status = RS_VALUE_SCALED;
	a->values[RS_EVENT_CPU_TIME].variance = 400000.0 * 400000;
	b->values[RS_EVENT_CPU_TIME].variance = 250000.0 * 250000;
	expect("cpu", RS_NOTE, "a", "most CPU time: a 10.0%, b 9.5% of the threads' time");
	b->values[RS_EVENT_CPU_TIME].variance = 360000.0 * 360000;
	expect("cpu", RS_NOTE, "a",
		"most CPU time: a 10.0% \xc2\xb1"
		"0.4, b 9.5% \xc2\xb1"
		"0.4 of the threads' time (too close to tell which)");
}

/* The total of outer is exact, but its self time of 12 ms has the error of inner, 2 * 4 ms. So
 * outer differs from c, but not from inner, whose error combines with that of outer to 11.3 ms. */
Test(findings_time, self_time_has_the_errors_of_inner_regions)
{
	struct rs_value *outer =
		screen_add(&screen, "outer", RS_NO_ROW, 10, 20000, 12000, 100)->values;
	struct rs_value *inner = screen_add(&screen, "inner", 0, 10, 8000, 3000, 100)->values;
	add("c", 10, 3500, 100);
	expect("cpu", RS_NOTE, "outer",
		"most CPU time: outer 6.0%, c 1.8%, inner 1.5% of the threads' time");
	inner[RS_EVENT_CPU_TIME].status = RS_VALUE_SCALED;
	inner[RS_EVENT_CPU_TIME].variance = 4e6 * 4e6;
	outer[RS_EVENT_CPU_TIME].inner_variance = 4e6 * 4e6;
	expect("cpu", RS_NOTE, "outer",
		"most CPU time: outer 6.0% \xc2\xb1"
		"4.0, inner 1.5% \xc2\xb1"
		"4.0 of the threads' time (too close to tell which)");
	add("d", 10, 4500, 100);
	expect("cpu", RS_NOTE, "outer",
		"most CPU time: outer 6.0% \xc2\xb1"
		"4.0, d 2.2% of the threads' time (too close to tell which)");
}

/* The note has the error of the region's row: 25 of 50 ms, and not of its 20 ms on a CPU. */
Test(findings_time, rare_calls_have_the_error_of_the_row)
{
	struct rs_summary_region *region = add("a", 10, 50000, 40);
	struct rs_value *time = &region->values[RS_EVENT_TIME];
	time->status = region->values[RS_EVENT_CPU_TIME].status = RS_VALUE_SCALED;
	time->variance = region->values[RS_EVENT_CPU_TIME].variance = 12.5e6 * 12.5e6;
	region->values[RS_EVENT_CPU_TIME].max = 100000000;
	expect("rare-calls", RS_NOTE, "a",
		"a few long calls make up much of the total, and sampling may have missed others: "
		"a \xc2\xb1"
		"50.0%; use --sample REGION:N with a smaller N, or no sampling");
}

Test(findings_time, cpu_time_that_is_unknown)
{
	add("a", 10, 20000, 100)->values[RS_EVENT_CPU_TIME].status = RS_VALUE_NOT_SUPPORTED;
	cr_expect_null(find("cpu"));
	add("b", 10, 30000, 100)->values[RS_EVENT_CPU_TIME].status = RS_VALUE_NOT_SUPPORTED;
	expect("cpu", RS_NOTE, "b",
		"most time: b 15.0%, a 10.0%; on-CPU time is unknown: no rseq (emulator, "
		"valgrind, strace), or calls ended on another thread");
	expect("cpu-time-unknown", RS_DETAIL, "a",
		"on-CPU time is unknown: 'a', 'b'; no rseq (emulator, valgrind, strace), "
		"or calls ended on another thread");
	struct rs_run without = *screen.summary.run;
	without.how.no_cpu_time = true;
	screen.summary.run = &without;
	cr_expect_str_eq(find("cpu-time-unknown")->whole,
		"on-CPU time is unknown: 'a', 'b'; --no-cpu-time was given");
}

/* The finding lists regions from 2 % on. */
Test(findings_time, blocked)
{
	add("a", 10, 10000, 61);
	cr_expect_null(find("blocked"));
	add("b", 10, 10000, 60);
	add("c", 10, 50000, 0);
	expect("blocked", RS_NOTE, "c",
		"blocked (sleep, lock, I/O): c 25.0%, b 2.0%; perf trace -s names the system "
		"calls");
}

/* The limit of 3 % is for all regions together. CPU time of 34 ms and preempted time of 6 ms are
 * 2.5 threads at a time in 16 ms. In 100 ms, they are 0.34 used CPUs. A CPU limit is named if it
 * explains more than 10 % of the 6 ms. */
Test(findings_time, preempted)
{
	static const struct rs_run merged = {.machine = {.cpus = 2}, .n_merged = 2};
	static struct rs_outcome stopped = {.throttled_ns = 600000};
	static const struct rs_run limited = {.machine = {.cpus = 2}, .outcome = &stopped};
	screen_preempt(add("a", 10, 20000, 100), 2000);
	cr_expect_null(find("preempted"));
	screen_preempt(add("b", 10, 20000, 100), 4000);
	screen.summary.user_ns = 30000000;
	screen.summary.system_ns = 4000000;
	screen.summary.elapsed_ns = 16000000;
	expect("preempted", RS_NOTE, "b",
		"preempted 3.0%, most in b: on average 2.5 threads on 2 CPUs");
	screen.summary.elapsed_ns = 100000000;
	expect("preempted", RS_NOTE, "b",
		"preempted 3.0%, most in b: the program used 0.34 of 2 CPUs");
	screen.summary.run = &merged;
	expect("preempted", RS_NOTE, "b",
		"preempted 3.0%, most in b: threads could run but had no CPU");
	screen.summary.run = &limited;
	expect("preempted", RS_NOTE, "b",
		"preempted 3.0%, most in b: the program used 0.34 of 2 CPUs");
	stopped.throttled_ns++;
	expect("preempted", RS_NOTE, "b",
		"preempted 3.0%, most in b: a cgroup of the program reached its CPU limit; raise "
		"cpu.max of the cgroup, or use fewer threads");
}

/* The finding names the leaf with most time in long calls. It must have 100 calls and 1 % of the
 * time. */
Test(findings_time, tail)
{
	const struct rs_long_calls half = {.calls = 0.02,
		.time = 0.5,
		.time_of_part = 0.5,
		.bound_ns = 15800,
		.is_off_cpu = true};
	struct rs_long_calls little = half;
	little.time = little.time_of_part = 0.29;
	add("few", 99, 10000, 100)->long_calls = half;
	add("little", 100, 10000, 100)->long_calls = little;
	add("next to nothing", 100, 1990, 100)->long_calls = half;
	screen_add(&screen, "outer", RS_NO_ROW, 100, 20000, 10000, 100)->long_calls = half;
	screen_add(&screen, "inner", 3, 100, 10000, 10000, 100);
	struct rs_summary_region *recursive = add("recursive", 100, 10000, 100);
	recursive->long_calls = half;
	recursive->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] = 1;
	cr_expect_null(find("tail"));
	add("small", 100, 5000, 100)->long_calls = half;
	add("lock", 100, 6000, 100)->long_calls = half;
	expect("tail", RS_NOTE, "lock",
		"lock: 50% of its time is in 2 of its 100 calls (over 15.8 us), off-CPU");
	add("often", 600, 7000, 100)->long_calls = half;
	expect("tail", RS_NOTE, "often",
		"often: 50% of its time is in 2.0% of its calls (over 15.8 us), off-CPU");
	struct rs_long_calls rare = half;
	rare.calls = 0.00005;
	add("rare", 240000, 7500, 100)->long_calls = rare;
	expect("tail", RS_NOTE, "rare",
		"rare: 50% of its time is in 12 of its 240,000 calls (over 15.8 us), off-CPU");
	struct rs_summary_region *worked = add("worked", 600, 8000, 100);
	worked->long_calls = half;
	worked->long_calls.is_off_cpu = false;
	worked->work.calls = 600;
	expect("tail", RS_NOTE, "worked",
		"worked: 50% of its time is in 2.0% of its calls (over 15.8 us): --by-work shows "
		"calls with different work in separate rows");
}

/* The finding lists regions with less than half of the run's IPC, at least 2 % of its cycles, and
 * less than half of their time blocked. */
Test(findings_time, low_ipc)
{
	static struct rs_summary_region *regions[4];
	static struct rs_metric metrics[4], run = {.name = "IPC", .value = 1.43};
	static const char *const names[] = {"insert", "lookup", "fast", "blocked"};
	static const double ipc[] = {0.55, 0.42, 0.72, 0.3};
	screen_finish(&screen);
	screen_init(&screen, 3); /* task-clock, instructions, cycles */
	for (size_t i = 0; i < 4; i++) {
		regions[i] = add(names[i], 100, 10000 - 1000 * i, i == 3 ? 50 : 100);
		metrics[i] = (struct rs_metric){.name = "IPC", .value = ipc[i]};
		regions[i]->metrics = &metrics[i];
		regions[i]->n_metrics = 1;
	}
	screen.summary.total.metrics = &run;
	screen.summary.total.n_metrics = 1;
	expect("low-ipc", RS_NOTE, "insert",
		"few instructions per cycle: insert 0.55, lookup 0.42, run 1.43; count LLC-misses "
		"and "
		"dTLB-load-misses");
	regions[0]->values[SCREEN_EVENT(3)].self = 100; /* cycles */
	expect("low-ipc", RS_NOTE, "lookup",
		"few instructions per cycle: lookup 0.42, run 1.43; count LLC-misses and "
		"dTLB-load-misses");
	run.value = 0.8;
	cr_expect_null(find("low-ipc"));
}

/* There are no threads here; tests/stats/advice_test.c tests findings on threads. */
Test(findings_time, unmarked)
{
	add("a", 10, 160001, 100);
	cr_expect_null(find("unmarked"));
	screen_finish(&screen);
	start();
	add("a", 10, 140000, 100);
	expect("unmarked", RS_NOTE, NULL,
		"30% of the threads' time is in no region: mark more, or build with "
		"-finstrument-functions; plugins also need --markers functions");
	screen.waits_unmarked = true;
	expect("unmarked", RS_NOTE, NULL,
		"30% of the threads' time is in no region, most of it blocked: perf trace -s names "
		"the system calls");

	/* more marks do not help a thread that waits for a CPU; 30 % of 200 ms is 60 ms */
	uint64_t *preempted_ns = &screen.summary.whole.unmarked_off_ns[RS_OFF_PREEMPTED];
	screen.waits_unmarked = false;
	*preempted_ns = 30000001;
	expect("unmarked", RS_NOTE, NULL,
		"30% of the threads' time is in no region, most of it preempted");
	*preempted_ns = 0;

	/* the user excludes other regions */
	struct rs_run only = *screen.summary.run;
	const struct rs_run *all = screen.summary.run;
	only.how.n_only = 1;
	screen.summary.run = &only;
	cr_expect_null(find("unmarked"));
	screen.summary.run = all;

	struct rs_run_adapter functions = {.word = "functions"};
	struct rs_run run = *screen.summary.run;
	run.adapters = &functions;
	run.n_adapters = 1;
	screen.summary.run = &run;
	screen.waits_unmarked = false;
	expect("unmarked", RS_NOTE, NULL,
		"30% of the threads' time is in no region: mark more, instrument more functions, "
		"or choose more with --functions");
	struct rs_result sampled = {.calls = 100, .measured = 10};
	run.n_adapters = 0;
	run.results = &sampled;
	run.n_results = 1;
	expect("unmarked", RS_NOTE, NULL,
		"30% of the threads' time is in no region: mark more, or measure more calls: rare "
		"long ones may have been skipped");

	screen_finish(&screen);
	start();
	add("request", 10, 140000, 0)->is_apart = true;
	cr_expect_null(find("unmarked"), "all calls are asynchronous");
	add("a", 10, 1000, 100);
	cr_assert(find("unmarked"));
	cr_expect(strstr(find("unmarked")->whole,
		" of the threads' time is in no region (not counting asynchronous calls): "));
}
