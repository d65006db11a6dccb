/* SPDX-License-Identifier: MIT */
/*
 * The table against texts that were written by hand from the design's example, at fixed widths.
 * With REGIONSTAT_RENEW set the texts are written anew, for a person to look at what changed.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

static void check_golden(
	const struct example *example, const struct rs_report_options *options, const char *golden)
{
	char *text = example_table(example, options);
	example_renew(golden, text);
	char *expected = example_golden(golden);
	cr_expect_str_eq(text, expected, "not as %s has it:\n%s", golden, text);
	free(text);
	free(expected);
}

static void check_width(int width, const char *golden)
{
	struct example example;
	example_init(&example);
	check_golden(&example, &(struct rs_report_options){.width = width}, golden);
}

Test(table, example)
{
	check_width(80, "example-80.txt");
	check_width(99, "example-80.txt");
	check_width(100, "example-100.txt");
	check_width(120, "example-120.txt");
	check_width(160, "example-160.txt");
}

/* Not a terminal, and one that is too narrow for anything: what 80 columns show. */
Test(table, example_without_a_width)
{
	check_width(0, "example-0.txt");
	struct example example;
	example_init(&example);
	char *text = example_table(&example, &(struct rs_report_options){.width = 20});
	cr_expect(strstr(text, "render\n  786,432 calls"));
	cr_expect(strstr(text, "Whole run of ./tra\xe2\x80\xa6:"));
	free(text);
}

Test(table, color)
{
	struct example example;
	example_init(&example);
	example.messages[0].text = "one\n  try: two";
	example.messages[2].text = "three";
	example.summary.n_warnings = 1;
	example.summary.n_notes = 1;
	check_golden(
		&example, &(struct rs_report_options){.width = 80, .color = true}, "color-80.txt");
}

Test(table, verbose)
{
	struct example example;
	example_init(&example);
	example.columns[EXAMPLE_INSTRUCTIONS].help = "instructions that were retired";
	example.columns[EXAMPLE_CYCLES].help = "cycles\033 of the core";
	example.regions[0].own_cost = (struct rs_own_cost){
		.known = true, .call_ns = 61.5, .total_ns = 48365568, .share = 0.013275};
	check_golden(&example, &(struct rs_report_options){.width = 80, .verbose = true},
		"verbose-80.txt");
}

/* On-CPU time, and off-CPU time of a kind where there is any; nothing where they are not known. */
Test(table, on_and_off_the_cpu)
{
	struct example example;
	example_init(&example);
	struct rs_summary_region *region = &example.regions[0];
	char *text = example_table(&example, &(struct rs_report_options){0});
	cr_expect_not(strstr(text, "cpu-time"), "%s", text);
	free(text);
	region->cpu_time = (struct rs_summary_value){.has_total = true,
		.total = 1795000000,
		.has_distribution = true,
		.avg = 2280,
		.p90 = 3100,
		.max = 18000};
	region->off[RS_OFF_BLOCKED] = (struct rs_summary_value){.has_total = true};
	region->off[RS_OFF_PREEMPTED] = (struct rs_summary_value){.has_total = true,
		.total = example.values[0][EXAMPLE_TIME].total / 2,
		.counted = 1234};
	text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text,
			  "\n  cpu-time:   avg 2.28 us   p90 3.10 us   max 18.0 us   total 1.79 s\n"
			  "  preempted:   "),
		"%s", text);
	cr_expect(strstr(text, "   50.0% of its time   1,234 calls\n"), "%s", text);
	cr_expect_not(strstr(text, "blocked"), "%s", text);
	free(text);
}

/* Work that calls told of, a line for each kind of it, and metrics in rows of their own: of the rates
 * those that a metric has are told once. */
Test(table, works)
{
	static struct rs_metric metrics[] = {{"IPC", "ratio", EXAMPLE_INSTRUCTIONS, 3.513},
		{"GB/s", "GB/s", RS_NO_COLUMN, 21.9},
		{"cpus-utilized", "CPUs", RS_NO_COLUMN, 0.97}};
	struct example example;
	struct rs_summary_region works[4];
	const struct rs_report_options options = {.width = 80}, wide = {.width = 100, .all = true},
				       narrow = {.width = 60};
	example_init(&example);
	struct rs_summary_region *region = &example.regions[0];
	region->work = (struct rs_summary_work){.calls = 786432,
		.bytes = 78643200000,
		.flops = 7864320000,
		.gb_per_s = 21.9,
		.gflop_per_s = 2.19,
		.flop_per_byte = 0.1};
	for (size_t i = 0; i < 4; i++) {
		works[i] = *region;
		works[i].work_of = region->name;
		works[i].work_bytes = 1000000 >> 4 * i;
		works[i].work_flops = i == 2 ? 0 : 1000 * i;
		works[i].is_other_work = i == 3;
		works[i].calls = 1 + 1000 * i;
		works[i].work.gflop_per_s = i == 0 ? NAN : 2.19;
	}
	region->metrics = metrics;
	region->n_metrics = 3;
	example.summary.works = works;
	example.summary.n_works = 4;
	check_golden(&example, &options, "works-80.txt");
	check_golden(&example, &wide, "works-100.txt");
	check_golden(&example, &narrow, "works-60.txt");
}

/* An event's parts are told to whoever asks for more, and change nothing for others. */
Test(table, parts)
{
	struct example example;
	example_init(&example);
	example_make_parts(&example);
	check_golden(&example, &(struct rs_report_options){.width = 80}, "parts-80.txt");
	check_golden(&example, &(struct rs_report_options){.width = 100, .verbose = true},
		"parts-verbose-100.txt");
}

/* What was counted only part of the time, never during a whole call, or not at all. */
Test(table, not_all_counted)
{
	struct example example;
	example_init(&example);
	struct rs_summary_value *values = example.values[0], *run = example.run_values;
	values[EXAMPLE_INSTRUCTIONS].status = RS_VALUE_SCALED;
	values[EXAMPLE_INSTRUCTIONS].running = 0.5;
	values[EXAMPLE_CYCLES].status = RS_VALUE_SCALED;
	values[EXAMPLE_CYCLES].running = 0.99999;
	values[EXAMPLE_BRANCHES] = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	values[EXAMPLE_BRANCH_MISSES].status = RS_VALUE_SCALED;
	values[EXAMPLE_BRANCH_MISSES].running = 0.0123;
	values[EXAMPLE_BRANCH_MISSES].has_distribution = false;
	example.regions[0].n_metrics = 2;
	run[EXAMPLE_INSTRUCTIONS].status = RS_VALUE_SCALED;
	run[EXAMPLE_INSTRUCTIONS].running = 0.5;
	run[EXAMPLE_CYCLES] = (struct rs_summary_value){.status = RS_VALUE_NOT_COUNTED};
	run[EXAMPLE_BRANCHES] = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	run[EXAMPLE_BRANCH_MISSES].status = RS_VALUE_SCALED;
	run[EXAMPLE_BRANCH_MISSES].running = 1 / 3.0;
	example.summary.run.n_metrics = 1;
	example.messages[0].text =
		"'branch-misses' was on the PMU for 1.2% of the time\n"
		"  the avg, p90 and max of few calls say little\n  try: fewer events";
	example.messages[1].text = "3 calls of 'a\033[2J' were cut\n";
	example.messages[2].text = "no hardware counters here";
	example.summary.n_warnings = 2;
	example.summary.n_notes = 1;
	check_golden(&example, &(struct rs_report_options){.width = 80}, "scaled-80.txt");
}

Test(table, values_that_may_not_be_counted)
{
	struct example example;
	example_init(&example);
	example.values[0][EXAMPLE_BRANCHES] = example.run_values[EXAMPLE_BRANCHES] =
		(struct rs_summary_value){.status = RS_VALUE_NOT_PERMITTED};
	char *text = example_table(&example, &(struct rs_report_options){.width = 80});
	cr_expect(strstr(text, "\n  branches                 <not permitted>\n"), "%s", text);
	cr_expect(strstr(text, "\n   <not permitted>       branches\n"), "%s", text);
	free(text);
}

/* Without a histogram the extremes stand, and a dash says that a percentile is not known. */
Test(table, percentiles_that_are_not_known)
{
	struct example example;
	example_init(&example);
	example.values[0][EXAMPLE_TIME].lacks_quantiles = true;
	char *text = example_table(&example, &(struct rs_report_options){.width = 80});
	cr_expect(strstr(
		text, "\n  time, ns             4,571             -        25,567     3.59 s\n"));
	free(text);
}

Test(table, huge_numbers_stay_aligned)
{
	struct example example;
	example_init(&example);
	for (int i = 0; i < EXAMPLE_COLUMNS; i++) {
		struct rs_summary_value *value = &example.values[0][i];
		value->total = value->max = value->p90 = UINT64_MAX;
		value->avg = (double)UINT64_MAX;
	}
	example.regions[0].calls = UINT64_MAX;
	example.run_values[EXAMPLE_INSTRUCTIONS].total = UINT64_MAX;
	example.summary.run.elapsed_ns = UINT64_MAX;
	check_golden(&example, &(struct rs_report_options){.width = 80}, "huge-80.txt");
}

static void make_names(struct example *example)
{
	static const char *const names[] = {
		"a name of sixty columns, which leaves the head line no room.",
		("an unmistakably long name, of exactly one hundred and twenty-seven bytes as the "
		 "runtime keeps at most; longer ones carry a hash"),
		"\xe6\xb8\xb2\xe6\x9f\x93 \xc3\xbc",
		"\033[2Ja\nb\xff\xe2\x80\xae",
		"never",
	};
	example_init(example);
	example_repeat(example, 5);
	example->summary.n_columns = 1;
	for (int i = 0; i < 5; i++) {
		example->regions[i].name = names[i];
		example->regions[i].calls = 2000;
		example->regions[i].n_metrics = 0;
		example->values[i][EXAMPLE_TIME].total = 3594780672;
	}
	example->regions[0].calls = example->regions[0].n_threads = 1;
	example->regions[0].share = 0.5;
	example->values[0][EXAMPLE_TIME].total = 4571;
	static const struct rs_summary_process process = {.label = "4242", .name = "a\nb"};
	static const struct rs_summary_thread thread = {
		.process = &process, .label = "4243", .name = ""};
	example->regions[3].process = &process;
	example->regions[3].thread = &thread;
	example->regions[3].n_threads = 1;
	example->regions[4].calls = 0;
	example->regions[4].n_threads = 1;
}

Test(table, names)
{
	struct example example;
	make_names(&example);
	cr_assert_eq(strlen(example.regions[1].name), 127);
	example.argv[1] = "a\nb";
	example.argv[2] = "it's";
	example.argv[3] = "";
	example.argv[4] = "\xc3\xbc b";
	example.argv[5] = "\033]0;title\007'\\";
	example.argv[6] = "a-very-long-argument-that-goes-on";
	example.summary.term_signal = 9;
	example.summary.exit_status = 137;
	check_golden(&example, &(struct rs_report_options){.width = 80}, "names-80.txt");
}

/* Where the output is no terminal, nothing is cut off and no head line is broken in two. */
Test(table, names_without_a_width)
{
	struct example example;
	make_names(&example);
	char *text = example_table(&example, &(struct rs_report_options){0});
	for (int i = 0; i < 3; i++)
		cr_expect(strstr(text, example.regions[i].name));
	cr_expect(strstr(text, "carry a hash   2,000 calls   8 threads   3.59 s   97.1% of "));
	cr_expect(strstr(text, "\n\\x1b[2Ja\\nb\\xff\\u202e   process 4242   thread 4243   2,000"));
	cr_expect_null(strchr(text, '\033'));
	free(text);
	text = example_table(&example, &(struct rs_report_options){.verbose = true});
	cr_expect(strstr(text, "   process 4242 (a\\nb)   thread 4243   2,000"), "%s", text);
	free(text);
}

Test(table, many_regions)
{
	struct example example;
	example_init(&example);
	example_repeat(&example, 25);
	example.summary.n_columns = 1;
	for (int i = 0; i < 25; i++)
		example.regions[i].n_metrics = 0;
	check_golden(&example, &(struct rs_report_options){.width = 80}, "many-80.txt");

	char *text = example_table(&example, &(struct rs_report_options){.all = true});
	for (int i = 0; i < 25; i++) {
		char head[32];
		snprintf(head, sizeof(head), "\nregion-%d   ", i);
		cr_expect(strstr(text, head), "no %s", head);
	}
	cr_expect_null(strstr(text, "more region"));
	free(text);

	/* the most of all seen first: nothing but the order of time decides */
	example.values[0][EXAMPLE_TIME].self_total = 1000000;
	text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "\nregion-0   "));
	cr_expect_null(strstr(text, "\nregion-20   "));
	free(text);
}

/* The heads of regions in text, "region-3 region-1 ". */
static const char *heads_of(const char *text)
{
	static char heads[512];
	heads[0] = '\0';
	for (const char *at = text; (at = strstr(at, "\nregion-")) != NULL; at++)
		if (strstr(at, " calls") < strchr(at + 1, '\n'))
			strncat(heads, at + 1, strcspn(at + 1, " ") + 1);
	return heads;
}

static void expect_heads(
	const struct example *example, const struct rs_report_options *options, const char *heads)
{
	char *text = example_table(example, options);
	cr_expect_str_eq(heads_of(text), heads, "%s", text);
	free(text);
}

Test(table, chosen_regions)
{
	struct example example;
	example_init(&example);
	example_repeat(&example, 12);
	for (int i = 0; i < 12; i++)
		example.values[i][EXAMPLE_TIME].p90 = 100 - (unsigned)i;
	example.values[3][EXAMPLE_TIME].lacks_quantiles = true;
	struct rs_report_options options = {.view = {.top = 2}};
	expect_heads(&example, &options, "region-11 region-10 ");
	options.view.sort = RS_SORT_ORDER;
	expect_heads(&example, &options, "region-0 region-1 ");
	options.view.sort = RS_SORT_NAME;
	options.view.top = 4;
	expect_heads(&example, &options, "region-0 region-1 region-10 region-11 ");
	/* what has no such number comes last */
	options.view = (struct rs_view){.sort = RS_SORT_P90, .top = 12};
	expect_heads(&example, &options,
		"region-0 region-1 region-2 region-4 region-5 region-6 region-7 region-8 region-9 "
		"region-10 region-11 region-3 ");
	options.view = (struct rs_view){.globs = {"*-1?", "region-[3-5]", "none"}, .n_globs = 3};
	expect_heads(&example, &options, "region-11 region-10 region-5 region-4 region-3 ");
	options.view.top = 1;
	expect_heads(&example, &options, "region-11 ");
	options.all = true;
	expect_heads(&example, &options, "region-11 region-10 region-5 region-4 region-3 ");
}

Test(table, one_region_left_out)
{
	struct example example;
	example_init(&example);
	example_repeat(&example, 6);
	for (int i = 0; i < 6; i++)
		example.values[i][EXAMPLE_TIME].self_total = 0;
	char *text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "\n1 more region (--all shows it in detail)\n"));
	free(text);
}

Test(table, no_region)
{
	struct example example;
	example_init(&example);
	example.summary.n_regions = 0;
	example.summary.n_columns = 1;
	example.summary.exit_status = 3;
	check_golden(&example, &(struct rs_report_options){.width = 80}, "none-80.txt");
}

Test(table, how_the_run_ended)
{
	struct example example;
	example_init(&example);
	example.summary.timed_out = true;
	example.summary.exit_status = 124;
	char *text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "sys\n\n       timed out\n"));
	free(text);
	example.summary.term_signal = 15;
	text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "sys\n\n       timed out, killed by SIGTERM (signal 15)\n"));
	free(text);
	example.summary.timed_out = false;
	example.summary.term_signal = 40; /* a real-time signal has no abbreviation */
	text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(text, "sys\n\n       killed by signal 40\n"));
	free(text);
}

/* Times of the run are in milliseconds, as perf stat has its clocks. */
Test(table, clocks_of_the_run)
{
	struct example example;
	example_init(&example);
	example.columns[EXAMPLE_CYCLES].name = "task-clock";
	example.columns[EXAMPLE_CYCLES].unit = "ns";
	example.run_values[EXAMPLE_CYCLES].total = 7241885555;
	example.run_metrics[1] = (struct rs_metric){
		"CPUs utilized", "ratio", EXAMPLE_CYCLES, 1.986};
	char *text = example_table(&example, &(struct rs_report_options){0});
	cr_expect(strstr(
		text, "\n          7,241.88 msec  task-clock              # 1.99 CPUs utilized\n"));
	cr_expect(strstr(text, "\n  task-clock, ns  "));
	free(text);
}

/* Details are notes for whoever asks for more. */
Test(table, details)
{
	struct example example;
	example_init(&example);
	char detail[] = "regions are pinned to the PMU";
	struct rs_message details[] = {{.text = detail}};
	example.summary.details = details;
	example.summary.n_details = 1;
	char *text = example_table(&example, &(struct rs_report_options){0});
	cr_expect_null(strstr(text, detail));
	free(text);
	text = example_table(&example, &(struct rs_report_options){.verbose = true});
	cr_expect(strstr(text, "\nnote: regions are pinned to the PMU\n"));
	free(text);
}
