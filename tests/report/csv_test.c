/* SPDX-License-Identifier: MIT */
/*
 * Tests of CSV: rows-csv.txt has all kinds of rows, and a person has read it. csv_readers_test.py
 * checks that other programs read the same.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"

enum { RENDER, LINE };

static struct screen screen;

static void start(void)
{
	screen_init(&screen, 5);
	screen.summary.label = "r1";
	screen_add(&screen, "render", RS_NO_ROW, 3000, 40000, 30000, 100);
}

static void finish(void)
{
	screen_finish(&screen);
}

TestSuite(csv, .init = start, .fini = finish);

static void expect(const struct rs_report_options *options, const char *part, bool is_there)
{
	char *text = screen_report(&screen, rs_report_csv, options);
	cr_expect_eq(strstr(text, part) != NULL, is_there, "'%s' in\n%s", part, text);
	free(text);
}

/* Values that were not counted, in part or not at all, and the largest numbers. A value that does
 * not exist is an empty field and never 0. */
static void spoil(struct rs_value *values)
{
	struct rs_value *scaled = &values[SCREEN_EVENT(2)];
	scaled->status = RS_VALUE_SCALED;
	screen_set_running(scaled, 1, 3);
	scaled->counted = 10;
	scaled->total = UINT64_MAX;
	scaled->self = INT64_MAX;
	scaled->square = 1e300 * (double)scaled->weight;
	values[SCREEN_EVENT(3)] = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	values[SCREEN_EVENT(4)] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	values[SCREEN_EVENT(5)] = (struct rs_value){.status = RS_VALUE_NOT_PERMITTED};
}

/* A region on one thread, of whose calls nearly nothing is known. */
static void add_line(void)
{
	static const struct rs_summary_process process = {.label = "4242.2", .name = "a,b"};
	static const struct rs_summary_thread thread = {
		.process = &process, .label = "4243", .name = "worker"};
	struct rs_summary_region *region = screen_add(&screen, "line", RENDER, 500, 4000, 3000, 50);
	region->parent = "render,\"most\"";
	region->process = &process;
	region->thread = &thread;
	for (int i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		region->diag[i] = i == RS_ACCUMULATOR_DIAG_LOST ? 0 : (uint64_t)i + 1;
	region->running = 9;
	region->overhead = (struct rs_marker_overhead){
		.known = true, .call_ns = 40.25, .total_ns = 5e5, .share = NAN};
	region->values[RS_EVENT_TIME].histogram.n = 0;
	region->values[RS_EVENT_BLOCKED].counted = 17; /* off-CPU time has only totals */
	region->values[RS_EVENT_BLOCKED].weight = 0;
	region->values[RS_EVENT_PREEMPTED] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	spoil(region->values);
	spoil(screen.run_values);
	screen.summary.processes = (struct rs_summary_process *)&process;
	screen.summary.n_processes = 1;
	screen.summary.threads = (struct rs_summary_thread *)&thread;
	screen.summary.n_threads = 1;
}

/* The machine, metrics, a part of an event, and events that only the run or only regions have. */
static void add_others(void)
{
	static const struct rs_run run = {
		.started_s = 1763815508, .machine = {.host = "a,b", .cpus = 16}};
	static struct rs_metric metrics[] = {{"IPC", "ratio", SCREEN_EVENT(2), 3.513},
		{"frequency", "GHz", RS_NO_COLUMN, NAN, .status = RS_VALUE_NOT_COUNTED},
		{"of a part", "%", SCREEN_EVENT(1), 0.3418}};
	static char *argv[] = {"./tracer", "a b\"\n", NULL};
	screen.columns[SCREEN_EVENT(1)].is_part = true;
	screen.columns[SCREEN_EVENT(4)].in_totals = false;
	screen.columns[SCREEN_EVENT(5)].in_regions = false;
	screen.regions[RENDER].metrics = screen.summary.total.metrics = metrics;
	screen.regions[RENDER].n_metrics = screen.summary.total.n_metrics = 3;
	screen.summary.run = &run;
	screen.summary.argv = argv;
}

Test(csv, rows)
{
	struct rs_summary_region *region = &screen.regions[RENDER];
	add_line();
	add_others();
	region->values[RS_EVENT_TIME].sum = 40000750; /* 13333.58333... in a call */
	region->bound_ns = 20;
	region->slowest = screen.values[RENDER];
	region->slowest_start_ns = 123456789;
	region->slowest_pid = 4242;
	region->slowest_tid = 4243;
	region->slowest_ratio = 4.16;
	screen.summary.total.overhead = (struct rs_marker_overhead){
		.known = true, .call_ns = 44.5, .total_ns = 1e6, .share = 0.0125};
	screen.summary.overhead_setup_ns = 4200;
	screen.summary.exit_status = 124;
	screen.summary.term_signal = 15;
	screen.summary.timed_out = true;
	char *text = screen_report(&screen, rs_report_csv,
		&(struct rs_report_options){.separator = ",", .header = true});
	screen_check_golden("rows-csv.txt", text);
	free(text);
	/* the sum of all rows is right only without parts */
	const struct rs_report_options verbose = {.separator = ",", .verbose = true};
	expect(&verbose, "\nr1,run,,,all,all,task-clock,ns,ok,,,1,1,,200000000,,,,,,,,,1\n", true);
	expect(&verbose, "\nr1,region,render,,all,all,task-clock,ns,ok,", true);
	expect(&verbose, "\nr1,slowest,render,,4242,4243,task-clock,ns,,40000000,", true);
	expect(&verbose, ",of a part,", false);
}

/* What is unknown, or did not happen, has no row. */
Test(csv, nothing_unknown)
{
	static const char *const absent[] = {",started,", ",cpus,", ",kernel,", ",overhead,",
		",overhead_share,", ",time_bound,", ",signal,", ",timed_out,", "r1,slowest,",
		"r1,diagnostic,", "run,kind,"};
	static const struct rs_run run;
	screen.summary.run = &run;
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		expect(&(struct rs_report_options){.separator = ","}, absent[i], false);
}

/* A file has the characters of a name as they are. A terminal gets control characters escaped. */
Test(csv, on_a_terminal)
{
	screen.regions[RENDER].name = "\033[31m\"red\",\n\xff";
	expect(&(struct rs_report_options){.separator = ","},
		"\nr1,region,\"\033[31m\"\"red\"\",\n\\xff\",,all,", true);
	expect(&(struct rs_report_options){.separator = ",", .is_terminal = true},
		"\nr1,region,\"\\x1b[31m\"\"red\"\",\\n\\xff\",,all,", true);
}

static void check_name(const char *name, const char *separator, const char *expected)
{
	char line[512];
	screen.regions[RENDER].name = name;
	snprintf(line, sizeof(line), "\nr1%sregion%s%s%s%sall%s", separator, separator, expected,
		separator, separator, separator);
	expect(&(struct rs_report_options){.separator = separator}, line, true);
}

Test(csv, quoting)
{
	check_name("plain name", ",", "plain name");
	check_name("a,b", ",", "\"a,b\"");
	check_name("say \"x\"", ",", "\"say \"\"x\"\"\"");
	check_name("\"", ",", "\"\"\"\"");
	check_name("a\nb", ",", "\"a\nb\"");
	check_name("a\rb", ",", "\"a\rb\"");
	check_name(" a", ",", "\" a\"");
	check_name("a ", ",", "\"a \"");
	check_name("a\t", ",", "\"a\t\"");
	check_name("a\xff\033[2J", ",", "a\\xff\033[2J");
	check_name("a\xff\xc3\xa9", "f", "\"a\\xff\xc3\xa9\"");
	check_name("a\\xff", ",", "a\\x5cxff");
	check_name("a\\xg", "5", "\"a\\x5cxg\"");
	check_name("a,b", ";", "a,b");
	check_name("a;b", ";", "\"a;b\"");
	check_name("a\tb", "\t", "\"a\tb\"");
	/* a part of a longer separator counts: "a:" before "::" would be read as "a" and ":..." */
	check_name("a:", "::", "\"a:\"");
	check_name("a|b", "::", "a|b");
}

/* Numbers are quoted if they contain characters of the separator. */
Test(csv, quoted_numbers)
{
	screen.values[RENDER][RS_EVENT_TIME].sum = 40000750;
	expect(&(struct rs_report_options){.separator = "."},
		"\nr1.region.render..all.all.time.ns.ok...3000.3000.1.40000000.30000000."
		"\"13333.5833333333\".6666.",
		true);
}
