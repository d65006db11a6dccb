/* SPDX-License-Identifier: MIT */
/*
 * Tests of the lines of CSV: columns, kinds, exact numbers, empty fields and quoting. Expected
 * lines are written by hand. csv_readers_test.py checks that other programs read the same.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "example.h"

#define HEADER                                                                               \
	"run,kind,region,parent,process,thread,event,unit,status,value,error,calls,counted," \
	"threads,"                                                                           \
	"total,self_total,avg,min,p50,p90,p99,max,stddev,running\n"

static const struct rs_report_options plain = {.separator = ",", .header = true};

TestSuite(csv, .init = example_init);

static size_t count_lines(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

Test(csv, example)
{
	const char *text = example_csv(&plain);
	cr_expect_eq(strncmp(text, HEADER, strlen(HEADER)), 0);
	/* The header. The run: 5 + 2 rows, 3 metrics and how it ended. The region: 5 rows, 3 of
	 * on-CPU and off-CPU time, 2 + 5 of the slowest call, and 3 metrics. */
	cr_expect_eq(count_lines(text), 1 + 7 + 3 + 2 + 5 + 3 + 7 + 3);
	check_line(text, "r1,run,,,all,all,time,ns,ok,,,1,1,,532123456,,,,,,,,,1");
	check_line(text, "r1,run,,,all,all,cycles,count,ok,,,1,1,,16321098765,,,,,,,,,1");
	check_line(text, "r1,run,,,all,all,user_time,ns,ok,,,1,1,,3712000000,,,,,,,,,1");
	check_line(text, "r1,run,,,all,all,system_time,ns,ok,,,1,1,,12000000,,,,,,,,,1");
	check_line(text, "r1,metric,,,all,all,IPC,ratio,ok,3.5,,,,,,,3.5,,,,,,,");
	check_line(text, "r1,region,render,,all,all,time,ns,ok,,,786432,786432,8,3594977280,"
			 "3494977280,4571.25,1200,4480,6139,9011,25567,1022.5,1");
	check_line(text, "r1,region,render,,all,all,branch-misses,count,ok,,,786432,786432,8,"
			 "14202962,13202962,18.0625,0,17,35,77,146,9.5,1");
	check_line(text, "r1,slowest,render,,4242,4243,start,ns,,123456789,,,,,,,,,,,,,,");
	check_line(text, "r1,slowest,render,,4242,4243,p90_ratio,ratio,,4.16,,,,,,,,,,,,,,");
	check_line(text, "r1,slowest,render,,4242,4243,cycles,count,,27567,,,,,,,,,,,,,,");
	check_line(
		text, "r1,metric,render,,all,all,branch-miss rate,%,ok,0.3418,,,,,,,0.3418,,,,,,,");
}

/* On-CPU and off-CPU time follow time. If they are unknown, only their rows exist. */
Test(csv, on_and_off_the_cpu)
{
	struct rs_summary_region *region = &example.regions[0];
	region->values[RS_EVENT_CPU_TIME] = (struct rs_value){
		.counted = 786432, .total = 1797488640, .self = 1797488640};
	region->values[RS_EVENT_BLOCKED] = (struct rs_value){
		.counted = 17, .total = 1797488, .self = 97488};
	region->values[RS_EVENT_PREEMPTED] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	const char *text = example_csv(&plain);
	const char *time = strstr(text, "r1,region,render,,all,all,time,");
	cr_assert_not_null(time);
	const char *rows =
		"r1,region,render,,all,all,cpu-time,ns,ok,,,786432,786432,8,1797488640,1797488640,"
		",,,,,,,1\n"
		"r1,region,render,,all,all,blocked,ns,ok,,,786432,17,8,1797488,97488,,,,,,,,1\n"
		"r1,region,render,,all,all,preempted,ns,not-supported,,,786432,,8,,,,,,,,,,\n";
	cr_expect_eq(strncmp(strchr(time, '\n') + 1, rows, strlen(rows)), 0, "%s", text);
}

Test(csv, without_a_header)
{
	const char *text = example_csv(&(struct rs_report_options){.separator = ","});
	cr_expect_eq(strncmp(text, "r1,run,", 7), 0);
}

/* Parts of an event have rows only if the reader asks for them, so that the sum of all rows is
 * right. */
Test(csv, parts)
{
	example_make_parts();
	const char *text = example_csv(&plain);
	cr_expect_null(strstr(text, "cpu_core"));
	/* parts of the run and of the region are missing; of the metrics only those of the whole
	 * event exist */
	cr_expect_eq(count_lines(text), 1 + 5 + 1 + 2 + 3 + 3 + 5 + 1);
	check_line(text, "r1,metric,render,,all,all,IPC,ratio,ok,3.513,,,,,,,3.513,,,,,,,");
	text = example_csv(
		&(struct rs_report_options){.separator = ",", .header = true, .verbose = true});
	cr_expect_eq(count_lines(text), 1 + 7 + 1 + 2 + 5 + 3 + 7 + 1);
	check_line(text,
		"r1,run,,,all,all,cpu_core/instructions/,count,ok,,,1,1,,16321098765,,,,,,,,,1");
	check_line(
		text, "r1,run,,,all,all,cpu_atom/instructions/,count,not-counted,,,1,0,,,,,,,,,,,");
	check_line(text, "r1,region,render,,all,all,cpu_core/instructions/"
			 ",count,ok,,,786432,500000,8,16101408768,15101408768,20474,5333,19999,"
			 "27837,40444,118921,4004,0.7");
	check_line(text, "r1,region,render,,all,all,cpu_atom/instructions/"
			 ",count,ok,,,786432,286432,8,4154720256,4054720256,5283,1555,5111,7061,"
			 "9666,12149,1005,0.3");
}

/* A value that does not exist is an empty field and never 0. The largest integers are exact, and
 * larger numbers have an exponent. */
Test(csv, empty_values)
{
	struct rs_value *values = example.values[0];
	values[EXAMPLE_INSTRUCTIONS].status = RS_VALUE_SCALED;
	example_set_running(&values[EXAMPLE_INSTRUCTIONS], 1, 4);
	values[EXAMPLE_INSTRUCTIONS].counted = 10;
	values[EXAMPLE_INSTRUCTIONS].total = UINT64_MAX;
	values[EXAMPLE_INSTRUCTIONS].self = INT64_MAX;
	values[EXAMPLE_INSTRUCTIONS].square = 1e300 * (double)values[EXAMPLE_INSTRUCTIONS].weight;
	values[EXAMPLE_CYCLES] = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	values[EXAMPLE_BRANCHES] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	values[EXAMPLE_BRANCH_MISSES].weight = 0;
	values[EXAMPLE_BRANCH_MISSES].status = RS_VALUE_SCALED;
	values[EXAMPLE_BRANCH_MISSES].counted = 0;
	example_set_running(&values[EXAMPLE_BRANCH_MISSES], 1, 3);
	values[EXAMPLE_TIME].histogram.n = 0;
	example.metrics[0].value = NAN;
	example.run_values[EXAMPLE_CYCLES] = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	example.run_values[EXAMPLE_BRANCHES] = (struct rs_value){.status = RS_VALUE_NOT_SUPPORTED};
	example.run_values[EXAMPLE_INSTRUCTIONS].status = RS_VALUE_SCALED;
	example_set_running(&example.run_values[EXAMPLE_INSTRUCTIONS], 1, 2);
	const char *text = example_csv(&plain);
	check_line(text, "r1,region,render,,all,all,time,ns,ok,,,786432,786432,8,3594977280,"
			 "3494977280,4571.25,1200,,,,25567,1022.5,1");
	check_line(text, "r1,region,render,,all,all,instructions,count,scaled,,,786432,10,8,"
			 "18446744073709551615,9223372036854775807,71927,20011,70111,96172,120222,"
			 "165608,1e+150,0.25");
	check_line(
		text, "r1,region,render,,all,all,cycles,count,not-counted,,,786432,0,8,,,,,,,,,,");
	check_line(text,
		"r1,region,render,,all,all,branches,count,not-supported,,,786432,,8,,,,,,,,,,");
	check_line(text, "r1,region,render,,all,all,branch-misses,count,scaled,,,786432,0,8,"
			 "14202962,13202962,,,,,,,,0.333333333333333");
	check_line(text, "r1,metric,render,,all,all,IPC,ratio,scaled,,,,,,,,,,,,,,,");
	check_line(text, "r1,run,,,all,all,cycles,count,not-counted,,,1,0,,,,,,,,,,,");
	check_line(text, "r1,run,,,all,all,branches,count,not-supported,,,1,,,,,,,,,,,,");
	check_line(
		text, "r1,run,,,all,all,instructions,count,scaled,,,1,0,,57123456789,,,,,,,,,0.5");
}

/* A refused event has no value and no number of counted calls, as regionstat-output(5) says. */
Test(csv, values_that_may_not_be_counted)
{
	example.values[0][EXAMPLE_BRANCHES] = example.run_values[EXAMPLE_BRANCHES] =
		(struct rs_value){.status = RS_VALUE_NOT_PERMITTED};
	const char *text = example_csv(&plain);
	check_line(text,
		"r1,region,render,,all,all,branches,count,not-permitted,,,786432,,8,,,,,,,,,,");
	check_line(text, "r1,run,,,all,all,branches,count,not-permitted,,,1,,,,,,,,,,,,");
}

/* An event that only the run or only regions count has no row for the other. */
Test(csv, events_of_one_side)
{
	example.columns[EXAMPLE_CYCLES].in_regions = false;
	example.columns[EXAMPLE_BRANCHES].in_totals = false;
	const char *text = example_csv(&plain);
	cr_expect(strstr(text, "\nr1,run,,,all,all,cycles,"));
	cr_expect_null(strstr(text, "\nr1,region,render,,all,all,cycles,"));
	cr_expect_null(strstr(text, "\nr1,run,,,all,all,branches,"));
	cr_expect(strstr(text, "\nr1,region,render,,all,all,branches,"));
}

/* The command and the machine of the run have rows, unless they are unknown. */
Test(csv, what_was_run)
{
	struct rs_run record = {.started_s = 1763815508, .machine = {.host = "a,b", .cpus = 16}};
	const char *text = example_csv(&plain);
	check_line(text, "r1,info,,,all,all,command,,,./tracer -s 1024x768 -t 8,,,,,,,,,,,,,,");
	cr_expect_null(strstr(text, ",started,"));
	cr_expect_null(strstr(text, ",cpus,"));
	example.summary.run = &record;
	example.argv[1] = (char *)"a b\"\n";
	example.argv[2] = NULL;
	text = example_csv(&plain);
	check_line(text, "r1,info,,,all,all,command,,,\"./tracer $'a b\"\"\\n'\",,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,started,,,1763815508,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,host,,,\"a,b\",,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,cpus,,,16,,,,,,,,,,,,,,");
	cr_expect_null(strstr(text, ",kernel,"));
}

/* An unknown overhead has no row. */
Test(csv, overhead)
{
	const char *text = example_csv(&plain);
	cr_expect_null(strstr(text, ",own_"));
	example.summary.total.overhead = (struct rs_marker_overhead){
		.known = true, .call_ns = 44.5, .total_ns = 1e6, .share = 0.0125};
	example.summary.overhead_setup_ns = 4200;
	example.regions[0].overhead = (struct rs_marker_overhead){
		.known = true, .call_ns = 40.25, .total_ns = 5e5, .share = 0.005};
	text = example_csv(&plain);
	check_line(text, "r1,info,,,all,all,overhead,ns,,44.5,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,overhead_share,%,,1.25,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,overhead_setup,ns,,4200,,,,,,,,,,,,,,");
	check_line(text, "r1,info,render,,all,all,overhead,ns,,40.25,,,,,,,,,,,,,,");
	check_line(text, "r1,info,render,,all,all,overhead_share,%,,0.5,,,,,,,,,,,,,,");
	example.summary.total.overhead.share = NAN;
	example.regions[0].overhead.known = false;
	text = example_csv(&plain);
	cr_expect(strstr(text, ",overhead,"));
	cr_expect_null(strstr(text, ",overhead_share,"));
	cr_expect_null(strstr(text, ",time_bound,"));
	example.regions[0].bound_ns = 20;
	text = example_csv(&plain);
	check_line(text, "r1,info,render,,all,all,time_bound,ns,,20,,,,,,,,,,,,,,");
	cr_expect_null(strstr(text, "info,render,,all,all,own_"));
}

Test(csv, places_and_diagnostics)
{
	example_repeat(2);
	struct rs_summary_process processes[] = {
		{.label = "4242", .name = "sh"}, {.label = "4242.2", .name = "a,b"}};
	struct rs_summary_thread thread = {
		.process = &processes[1], .label = "4243", .name = "worker"};
	example.regions[0].process = &processes[0];
	example.regions[1].process = &processes[1];
	example.regions[1].thread = &thread;
	example.regions[1].parent = "outer,\"most\"";
	example.summary.processes = processes;
	example.summary.n_processes = 2;
	example.summary.threads = &thread;
	example.summary.n_threads = 1;
	for (int i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		example.regions[1].diag[i] = (uint64_t)i + 1;
	example.regions[1].diag[RS_ACCUMULATOR_DIAG_LOST] = 0;
	const char *text = example_csv(&plain);
	cr_expect(strstr(text, "\nr1,region,region-0,,4242,all,time,"));
	cr_expect(strstr(text, "\nr1,region,region-1,\"outer,\"\"most\"\"\",4242.2,4243,time,"));
	cr_expect(strstr(text, "\nr1,metric,region-1,\"outer,\"\"most\"\"\",4242.2,4243,IPC,"));
	check_line(text, "r1,info,,,4242,all,process_name,,,sh,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,4242.2,all,process_name,,,\"a,b\",,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,4242.2,4243,thread_name,,,worker,,,,,,,,,,,,,,");
	check_line(text, "r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,recursive,,,1,,"
			 "1,,,,,,,,,,,,");
	cr_expect_null(strstr(text, ",lost,"));
	check_line(text, "r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,unmatched,,,3,,"
			 "3,,,,,,,,,,,,");
	check_line(text, "r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,open,,,4,,4,,,,"
			 ",,,,,,,,");
	check_line(text,
		"r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,cut,,,5,,5,,,,,,,,,,,,");
	check_line(text,
		"r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,clamped,,,6,,6,,"
		",,,,,,,,,,");
	check_line(text,
		"r1,diagnostic,region-1,\"outer,\"\"most\"\"\",4242.2,4243,moved,,,7,,7,,,,"
		",,,,,,,,");
	cr_expect_null(strstr(text, "diagnostic,region-0"));
}

Test(csv, the_end)
{
	const char *text = example_csv(&plain);
	check_line(text, "r1,info,,,all,all,exit_status,,,0,,,,,,,,,,,,,,");
	cr_expect_null(strstr(text, ",signal,"));
	cr_expect_null(strstr(text, ",timed_out,"));
	example.summary.exit_status = 124;
	example.summary.term_signal = 15;
	example.summary.timed_out = true;
	text = example_csv(&plain);
	check_line(text, "r1,info,,,all,all,exit_status,,,124,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,signal,,,15,,,,,,,,,,,,,,");
	check_line(text, "r1,info,,,all,all,timed_out,,,1,,,,,,,,,,,,,,");
}

/* A file has the characters of a name as they are. A terminal gets control characters escaped. */
Test(csv, on_a_terminal)
{
	example.regions[0].name = "\033[31m\"red\",\n\xff";
	const char *text = example_csv(&plain);
	cr_expect(strstr(text, "\nr1,region,\"\033[31m\"\"red\"\",\n\\xff\",,all,"));
	text = example_csv(&(struct rs_report_options){.separator = ",", .is_terminal = true});
	cr_expect(strstr(text, "\nr1,region,\"\\x1b[31m\"\"red\"\",\\n\\xff\",,all,"), "%s", text);
}

static void check_name(const char *name, const char *separator, const char *expected)
{
	example.regions[0].name = name;
	const char *text = example_csv(&(struct rs_report_options){.separator = separator});
	char line[512];
	snprintf(line, sizeof(line), "\nr1%sregion%s%s%s%sall%s", separator, separator, expected,
		separator, separator, separator);
	cr_expect(strstr(text, line), "no %s in\n%s", line, text);
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
	const char *text = example_csv(&(struct rs_report_options){.separator = "."});
	cr_expect(
		strstr(text, "\nr1.region.render..all.all.time.ns.ok...786432.786432.8.3594977280."
			     "3494977280.\"4571.25\".1200."));
}
