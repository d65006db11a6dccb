/* SPDX-License-Identifier: MIT */
/*
 * This file makes summaries by hand. The distribution of `render` is that of the design's example.
 * The other values (min, p50, p99, stddev, self) are made up so that each number can be recognised
 * in a table.
 */
#include "example.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/builder.h"

static const struct rs_run empty_run;

static const struct rs_summary_column columns[EXAMPLE_COLUMNS] = {
	[EXAMPLE_TIME] = {"time", "ns", true, true},
	[RS_EVENT_CPU_TIME] = {"cpu-time", "ns", true, false},
	[RS_EVENT_BLOCKED] = {"blocked", "ns", true, false},
	[RS_EVENT_PREEMPTED] = {"preempted", "ns", true, false},
	[EXAMPLE_INSTRUCTIONS] = {"instructions", "count", true, true},
	[EXAMPLE_CYCLES] = {"cycles", "count", true, true},
	[EXAMPLE_BRANCHES] = {"branches", "count", true, true},
	[EXAMPLE_BRANCH_MISSES] = {"branch-misses", "count", true, true},
};

/* avg, stddev, min, p50, p90, p99, max, total, self */
static const struct example_value render[EXAMPLE_COLUMNS] = {
	[EXAMPLE_TIME] = {786432, 4571.25, 1022.5, 1200, 4480, 6139, 9011, 25567, 3594977280,
		3494977280},
	[EXAMPLE_INSTRUCTIONS] = {786432, 71927, 15003, 20011, 70111, 96172, 120222, 165608,
		56565694464, 55565694464},
	[EXAMPLE_CYCLES] = {786432, 20474, 4004, 5333, 19999, 27837, 40444, 118921, 16101408768,
		15101408768},
	[EXAMPLE_BRANCHES] = {786432, 5283, 1005, 1555, 5111, 7061, 9666, 12149, 4154720256,
		4054720256},
	[EXAMPLE_BRANCH_MISSES] = {786432, 18.0625, 9.5, 0, 17, 35, 77, 146, 14202962, 13202962},
};

static const uint64_t run[EXAMPLE_COLUMNS] = {
	[EXAMPLE_TIME] = 532123456,
	[EXAMPLE_INSTRUCTIONS] = 57123456789,
	[EXAMPLE_CYCLES] = 16321098765,
	[EXAMPLE_BRANCHES] = 4200000001,
	[EXAMPLE_BRANCH_MISSES] = 14300000,
};

static const struct rs_metric metrics[3] = {
	{"IPC", "ratio", EXAMPLE_INSTRUCTIONS, 3.513},
	{"frequency", "GHz", EXAMPLE_CYCLES, 4.479},
	{"branch-miss rate", "%", EXAMPLE_BRANCH_MISSES, 0.3418},
};

struct rs_value example_value(const struct example_value *from)
{
	static struct rs_bucket pool[4096][4];
	static size_t n_used;
	struct rs_bucket *buckets = pool[n_used++ % 4096];
	const uint64_t values[] = {from->p50, from->p90, from->p99, from->max};
	const uint64_t counts[] = {500, 400, 90, 10}; /* of 1000 calls */
	for (int i = 0; i < 4; i++)
		buckets[i] = (struct rs_bucket){
			.low = values[i], .high = values[i] + 1, .count = counts[i]};
	double counted = (double)from->counted;
	return (struct rs_value){.counted = from->counted,
		.weight = from->counted,
		.sum = (uint64_t)(from->avg * counted),
		.square = from->stddev * from->stddev * counted,
		.min = from->min,
		.max = from->max,
		.total = from->total,
		.self = (int64_t)from->self,
		.histogram = {buckets, 4, false}};
}

void example_set_running(struct rs_value *value, uint64_t running, uint64_t enabled)
{
	value->running_ns = running;
	value->enabled_ns = enabled;
	value->variance = NAN;
}

/* Set the status of on-CPU and off-CPU time. */
static void set_status(struct rs_value values[EXAMPLE_COLUMNS], enum rs_value_status status)
{
	for (int v = RS_EVENT_CPU_TIME; v < RS_EVENT_FIRST; v++)
		values[v] = (struct rs_value){.status = status};
}

static void set_render(struct rs_value values[EXAMPLE_COLUMNS])
{
	for (int c = 0; c < EXAMPLE_COLUMNS; c++)
		values[c] = example_value(&render[c]);
	set_status(values, RS_VALUE_NOT_SUPPORTED);
}

struct example example;

void example_init(void)
{
	memset(&example, 0, sizeof(example));
	memcpy(example.columns, columns, sizeof(columns));
	for (int c = 0; c < EXAMPLE_COLUMNS; c++)
		example.run_values[c] = (struct rs_value){.total = run[c], .lacks_self = true};
	set_status(example.run_values, RS_VALUE_NOT_COUNTED);
	memcpy(example.run_metrics, metrics, sizeof(metrics));
	set_render(example.values[0]);
	memcpy(example.metrics, metrics, sizeof(metrics));
	example.run_metrics[0].value = 3.5;
	example.run_metrics[1].value = 4.391;
	example.run_metrics[2].value = 0.3405;
	char *argv[] = {"./tracer", "-s", "1024x768", "-t", "8", NULL};
	memcpy(example.argv, argv, sizeof(argv));
	for (unsigned i = 0; i + RS_EVENT_FIRST <= EXAMPLE_COLUMNS; i++)
		example.slowest[i > 0 ? RS_EVENT_FIRST - 1 + i : 0] = (struct rs_value){
			.total = 25567u + 1000u * i};
	set_status(example.slowest, RS_VALUE_NOT_COUNTED);
	example.regions[0] = (struct rs_summary_region){
		.name = "render",
		.calls = 786432,
		.n_threads = 8,
		.values = example.values[0],
		.metrics = example.metrics,
		.n_metrics = 3,
		.slowest_start_ns = 123456789,
		.slowest_pid = 4242,
		.slowest_tid = 4243,
		.slowest = example.slowest,
		.slowest_ratio = 4.16,
	};
	example.summary = (struct rs_summary){
		.run = &empty_run,
		.label = "r1",
		.argv = example.argv,
		.columns = example.columns,
		.n_columns = EXAMPLE_COLUMNS,
		.elapsed_ns = 532123456,
		.user_ns = 3712000000,
		.system_ns = 12000000,
		.total = {.values = example.run_values,
			.metrics = example.run_metrics,
			.n_metrics = 3},
		.regions = example.regions,
		.n_regions = 1,
	};
}

void example_repeat(size_t n)
{
	static char names[EXAMPLE_MOST_REGIONS][32];
	for (size_t i = 0; i < n; i++) {
		set_render(example.values[i]);
		example.regions[i] = example.regions[0];
		snprintf(names[i], sizeof(names[i]), "region-%zu", i);
		example.regions[i].name = names[i];
		example.regions[i].values = example.values[i];
		example.values[i][EXAMPLE_TIME].total = (i + 1) * 1000;
		example.values[i][EXAMPLE_TIME].self = (int64_t)(i + 1) * 1000;
	}
	example.summary.n_regions = n;
}

void example_make_parts(void)
{
	static const struct rs_metric per_type[2] = {
		{"IPC", "ratio", EXAMPLE_CYCLES, 3.9}, {"IPC", "ratio", EXAMPLE_BRANCHES, 2.1}};
	example.columns[EXAMPLE_CYCLES].name = "cpu_core/instructions/";
	example.columns[EXAMPLE_BRANCHES].name = "cpu_atom/instructions/";
	example.columns[EXAMPLE_CYCLES].is_part = true;
	example.columns[EXAMPLE_BRANCHES].is_part = true;
	example.values[0][EXAMPLE_CYCLES].counted = 500000;
	example_set_running(&example.values[0][EXAMPLE_CYCLES], 7, 10);
	example.values[0][EXAMPLE_BRANCHES].counted = 286432;
	example_set_running(&example.values[0][EXAMPLE_BRANCHES], 3, 10);
	example.run_values[EXAMPLE_BRANCHES] = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	memcpy(example.metrics + 1, per_type, sizeof(per_type));
	memcpy(example.run_metrics + 1, per_type, sizeof(per_type[0]));
	example.summary.total.n_metrics = 2;
}

static const char *report(const struct rs_report_options *options,
	bool (*write)(const struct rs_summary *, const struct rs_report_options *, FILE *))
{
	static char *text;
	size_t length = 0;
	free(text);
	struct rs_arena arena = {0};
	struct rs_summary summary = example.summary;
	FILE *stream = open_memstream(&text, &length);
	cr_assert_not_null(stream);
	summary.merged = summary.regions;
	summary.n_merged = summary.n_regions;
	for (size_t i = 0; i < summary.n_regions; i++)
		summary.regions[i].parent_row = RS_NO_ROW;
	rs_glance_make(&summary, &arena);
	cr_assert(write(&summary, options, stream));
	rs_arena_finish(&arena);
	cr_assert_eq(ferror(stream), 0);
	cr_assert_eq(fclose(stream), 0);
	return text;
}

const char *example_table(const struct rs_report_options *options)
{
	return report(options, rs_report_table);
}

const char *example_markdown(const struct rs_report_options *options)
{
	const struct rs_report_options unlimited = rs_markdown_options(options);
	return report(&unlimited, rs_report_table);
}

const char *example_csv(const struct rs_report_options *options)
{
	return report(options, rs_report_csv);
}

void check_line(const char *text, const char *line)
{
	char expected[1024];
	snprintf(expected, sizeof(expected), "\n%s\n", line);
	cr_expect(strstr(text, expected), "no line %s in\n%s", line, text);
}

void check_golden(const char *name, const char *text)
{
	static char expected[65536];
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", RS_GOLDEN_DIRECTORY, name);
	if (getenv("REGIONSTAT_RENEW")) {
		FILE *file = fopen(path, "w");
		cr_assert_not_null(file, "%s cannot be written", path);
		fputs(text, file);
		cr_assert_eq(fclose(file), 0);
	}
	FILE *file = fopen(path, "r");
	cr_assert_not_null(file, "%s cannot be opened", path);
	size_t length = fread(expected, 1, sizeof(expected) - 1, file);
	expected[length] = '\0';
	fclose(file);
	cr_expect_str_eq(text, expected, "not as %s has it:\n%s", name, text);
}
