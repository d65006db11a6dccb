/* SPDX-License-Identifier: MIT */
/*
 * This file contains the table of all options, and functions that search it. It also makes the help
 * from the table.
 */
#include "options_table.h"

#include <stdio.h>
#include <string.h>

#include "report/columns.h"
#include "segment/slow_calls.h"

#define HELP_COLUMN 28 /* column where the text begins, from 0 */
#define HELP_COLUMNS 80
#define MAX_MS INT64_C(2147483647)
#define MAX_HISTOGRAMS 32
#define MAX_REGIONS 64

#define SETS(member)                               \
	.to = offsetof(struct rs_options, member), \
	.bytes = sizeof(((struct rs_options *)NULL)->member)
/* The verbs of options that apply to runs and to saved runs. */
#define OF_REPORTS .verbs = RS_OPTIONS_RUN | RS_OPTIONS_REPORT | RS_OPTIONS_MERGE
/* The verbs of options that also apply to comparisons of runs. */
#define OF_SERIES                                                                            \
	.verbs = RS_OPTIONS_RUN | RS_OPTIONS_REPORT | RS_OPTIONS_COMPARE | RS_OPTIONS_DIFF | \
		 RS_OPTIONS_MERGE
#define OF_RUN .verbs = RS_OPTIONS_RUN
#define OF_COMPARE .verbs = RS_OPTIONS_COMPARE
#define MEASURED_ONCE .not_attached = "a running process is measured once"
#define OF_LIST .verbs = RS_OPTIONS_LIST
#define OF_ALL                                                                               \
	.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_REPORT | RS_OPTIONS_COMPARE | \
		 RS_OPTIONS_DIFF | RS_OPTIONS_MERGE | RS_OPTIONS_LIVE

const struct rs_option rs_options_table[] = {
	{"event", 'e', RS_OPTION_TEXT, RS_GROUP_COUNT, "EVENT",
		"count EVENT; a,b counts both, {a,b} counts both as one group; see regionstat "
		"list; may be repeated (cycles, instructions, branches, branch-misses if the "
		"machine counts them)",
		"event", "cycles, or regionstat list", SETS(events), .is_list = true,
		.key = "events"},
	{"metrics", 'M', RS_OPTION_TEXT, RS_GROUP_COUNT, "NAME",
		"show the metric NAME and count its events; without -e, count nothing else; a,b "
		"shows both; see regionstat list metrics; may be repeated",
		"metric", "IPC, or regionstat list metrics", SETS(metrics), .is_list = true,
		.parse = rs_parse_metrics},
	{"metrics-file", 0, RS_OPTION_FILE, RS_GROUP_COUNT, "FILE",
		"also read metrics from FILE; see regionstat-metrics(5); may be repeated",
		"file name", "FILE.yaml", SETS(metrics_files), .is_list = true,
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_COMPARE},
	{"no-inherit", 'i', RS_OPTION_FLAG, RS_GROUP_COUNT, NULL,
		"count the totals of the run in the program's first thread only", SETS(no_inherit)},
	{"no-totals", 0, RS_OPTION_FLAG, RS_GROUP_COUNT, NULL,
		"count no totals of the run, so that regions can use all hardware counters",
		SETS(no_totals)},
	{"no-cpu-time", 0, RS_OPTION_FLAG, RS_GROUP_COUNT, NULL,
		"do not divide the time of regions into on-CPU and off-CPU time, so that markers "
		"make no system call after a context switch",
		SETS(no_cpu_time)},
	{"pin", 0, RS_OPTION_FLAG, RS_GROUP_COUNT, NULL,
		"keep the first events of regions on the PMU even if not all fit; the others are "
		"multiplexed on the remaining counters",
		SETS(pin)},
	{"strict", 0, RS_OPTION_FLAG, RS_GROUP_COUNT, NULL,
		"fail at the start if an event cannot be counted", SETS(strict)},
	{"markers", 0, RS_OPTION_TEXT, RS_GROUP_MARK, "NAMES",
		"measure the markers of other APIs: auto (those that the program uses), none, or a "
		"list of likwid, itt, nvtx, kokkos, openmp, papi, caliper, uprof, roctx, functions",
		"name", "auto", .parse = rs_parse_markers, .list_words = rs_marker_words,
		.has_commas = true, .initial = "auto",
		.not_attached = "the markers of other APIs are loaded at a program's start"},
	{"only", 0, RS_OPTION_TEXT, RS_GROUP_MARK, "GLOB",
		"measure only regions whose names match GLOB; may be repeated", "glob", "'parse*'",
		SETS(only), .max = RS_MAX_ONLY, .most_bytes = RS_GLOB_BYTES - 1, .is_list = true},
	{"functions", 0, RS_OPTION_TEXT, RS_GROUP_MARK, "GLOB",
		"measure only functions whose names match GLOB, in a program built with "
		"-finstrument-functions or -fxray-instrument; may be repeated",
		"glob", "'parse*'", SETS(functions), .is_list = true,
		.not_attached = "functions are selected before a program's start"},
	{"sample", 0, RS_OPTION_REGION, RS_GROUP_MARK, "[REGION:]N",
		"measure about one call in N, of all regions or of REGION; may be repeated",
		"calls", "100, or REGION:100 for one region", .min = 1, .max = 1000000000,
		.parse = rs_parse_sample, .is_list = true, .gives_way = {"budget"}},
	{"budget", 0, RS_OPTION_SHARE, RS_GROUP_MARK, "PCT",
		"choose the sampling of each region so that markers take about PCT percent of the "
		"program's CPU time, as in 0.5%; the report says whether they did",
		"share", "0.5%", SETS(budget_ppm), .min = 1, .max = 1000000,
		.gives_way = {"sample"}},
	{"raw", 0, RS_OPTION_FLAG, RS_GROUP_MARK, NULL, "do not subtract the markers' overhead",
		SETS(raw)},
	{"by-work", 0, RS_OPTION_FLAG, RS_GROUP_MARK, NULL,
		"show calls that passed different work to REGIONSTAT_WORK() in separate rows",
		SETS(by_work)},
	{"labels", 0, RS_OPTION_FLAG, RS_GROUP_MARK, NULL,
		"publish each thread's region to eBPF profilers that read OpenTelemetry thread "
		"contexts",
		SETS(labels)},
	{"slow", 0, RS_OPTION_REGION, RS_GROUP_MARK, "REGION:EVENT>N",
		"while the program runs, report each call of REGION with more than N of EVENT, as "
		"in 'parse:time>1ms'; may be repeated",
		"rule", "'REGION:time>1ms', or '*:page-faults>=100' for all regions",
		.max = RS_MAX_SLOW_RULES, .parse = rs_parse_slow, .is_list = true},
	{"slow-output", 0, RS_OPTION_OUTPUT, RS_GROUP_MARK, "FILE",
		"append the lines of --slow to FILE instead of the standard error", "file name",
		"slow.log", SETS(slow_output), OF_RUN},
	{"slow-rate", 0, RS_OPTION_NUMBER, RS_GROUP_MARK, "N",
		"write at most N lines of --slow per second (100)", "lines a second", "100",
		SETS(slow_rate), .initial = "100", .min = 1, .max = 100000},
	{"trace", 0, RS_OPTION_OUTPUT, RS_GROUP_OUTPUT, "FILE",
		"also write a timeline of calls to FILE, named as in -o, for ui.perfetto.dev and "
		"trace_processor",
		"file name", "run.pftrace", SETS(trace), OF_RUN},
	{"trace-size", 0, RS_OPTION_TEXT, RS_GROUP_OUTPUT, "SIZE",
		"limit the file of --trace to SIZE bytes, and keep the slowest calls; SIZE is a "
		"number with K, M or G (50M)",
		"size", "50M", .parse = rs_parse_trace_size, OF_RUN, .initial = "50M"},
	{"trace-if", 0, RS_OPTION_TEXT, RS_GROUP_OUTPUT, "REGION:time>N",
		"keep only the calls of REGION that take longer than N, and the calls around and "
		"within them, as in 'request:time>10ms'",
		"rule", "'REGION:time>10ms'", .parse = rs_parse_trace_if, OF_RUN},
	{"output", 'o', RS_OPTION_OUTPUT, RS_GROUP_OUTPUT, "FILE",
		"write the report to FILE instead of printing a table; - is the standard output; "
		"the ending .csv, .html, .json, .md, .txt, .ndjson, .cali, .folded, .prom, "
		".otlp.jsonl or .xml chooses the format, and .jsonl keeps every run; in FILE %r is "
		"the MPI rank, %p the process id, %h the host, %t the start in UTC; may be "
		"repeated, and then a run also prints the table",
		"file name", "regionstat.txt", .max = RS_MAX_OUTPUTS, .parse = rs_parse_output,
		.is_list = true, .has_formats = true, .key = "outputs", OF_SERIES},
	{"format", 0, RS_OPTION_WORD, RS_GROUP_OUTPUT, "NAME",
		"write the next FILE as table, csv, html, json, markdown, ndjson, cali, folded, "
		"prometheus, otlp, series, junit, bencher, google-benchmark, go-benchmark or "
		"smaller-is-better",
		"format", "csv", .list_words = rs_format_words, .parse = rs_parse_format,
		.gives_way = {"output", "json-output", "html"}, OF_SERIES},
	{"field-separator", 'x', RS_OPTION_TEXT, RS_GROUP_OUTPUT, "SEP",
		"write CSV with SEP between fields, except in FILEs with another ending",
		"separator", ", or ';' or '\\t'", .parse = rs_parse_separator, OF_REPORTS},
	{"json-output", 'j', RS_OPTION_FLAG, RS_GROUP_OUTPUT, NULL,
		"write JSON, except in FILEs with another ending", .parse = rs_parse_json,
		.key = "", OF_SERIES},
	{"html", 0, RS_OPTION_FLAG, RS_GROUP_OUTPUT, NULL,
		"write a page for a browser, except in FILEs with another ending",
		.parse = rs_parse_html, .key = "", OF_SERIES},
	{"quiet", 0, RS_OPTION_FLAG, RS_GROUP_OUTPUT, NULL,
		"print no table with several FILEs, or with the rules of --fail-if", SETS(quiet),
		OF_SERIES},
	{"append", 0, RS_OPTION_FLAG, RS_GROUP_OUTPUT, NULL,
		"append to FILE instead of replacing it: a table, CSV, Markdown, ndjson, otlp "
		"or series",
		SETS(append), .needs_trust = true, OF_SERIES},
	{"label", 0, RS_OPTION_TEXT, RS_GROUP_OUTPUT, "TEXT",
		"name the run TEXT instead of the time of its start", "label", "TEXT", SETS(label),
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_MERGE},
	{"files-from", 0, RS_OPTION_FILE, RS_GROUP_OUTPUT, "FILE",
		"also read the files that FILE names, one in a line; - is the standard input",
		"file name", "FILE.txt", SETS(files_from), .verbs = RS_OPTIONS_MERGE},
	{"verbose", 'v', RS_OPTION_FLAG, RS_GROUP_OUTPUT, NULL,
		"show more: slowest calls, overhead, what events mean", SETS(verbose), OF_SERIES},
	{"color", 0, RS_OPTION_WORD, RS_GROUP_OUTPUT, "WHEN",
		"use color: WHEN is auto (on a terminal), always or never", "word", "auto",
		SETS(color), .words = "auto, always, never", .initial = "auto", .bare = "always",
		OF_SERIES},
	{"per-process", 0, RS_OPTION_FLAG, RS_GROUP_VIEW, NULL,
		"report each process separately, in all formats", SETS(per_process), OF_REPORTS},
	{"per-thread", 0, RS_OPTION_FLAG, RS_GROUP_VIEW, NULL,
		"report each thread separately, in all formats", SETS(per_thread), OF_REPORTS},
	{"all", 0, RS_OPTION_FLAG, RS_GROUP_VIEW, NULL,
		"show every region in detail, not only as many as fit the terminal, or 20 in "
		"Markdown",
		SETS(all), OF_SERIES},
	{"top", 0, RS_OPTION_NUMBER, RS_GROUP_VIEW, "N",
		"show only the first N regions in the order of the report", "regions", "10",
		SETS(view.top), .min = 1, .max = 1000000, OF_SERIES},
	{"sort", 0, RS_OPTION_WORD, RS_GROUP_VIEW, "KEY",
		"sort by KEY, largest first: self, total, calls, avg, min, p50, p90, p99, max, "
		"stddev; or by name, or by order of first use",
		"key", "total", .list_words = rs_sort_words, .initial = "self",
		.parse = rs_parse_sort, OF_REPORTS},
	{"by", 0, RS_OPTION_TEXT, RS_GROUP_VIEW, "EVENT",
		"sort and compare regions by EVENT instead of time; EVENT is cpu-time, blocked, "
		"preempted, or an event that regions count",
		"event", "EVENT, or none for time", SETS(view.by), OF_REPORTS},
	{"columns", 0, RS_OPTION_WORD, RS_GROUP_VIEW, "LIST",
		"show these columns in this order: total, error, self, on-cpu, calls, avg, stddev, "
		"min, max, and percentiles such as p99.9",
		"column", "total,avg,p99.9", .list_words = rs_columns_list, .min = 1,
		.max = 1000000, .parse = rs_parse_columns, .is_list = true, OF_REPORTS},
	{"percentiles", 0, RS_OPTION_SHARE, RS_GROUP_VIEW, "LIST",
		"show these percentiles, such as 50,90,99,99.9", "percentile", "50,90,99,99.9",
		.min = 1, .max = 1000000, .parse = rs_parse_percentiles, .is_list = true,
		OF_REPORTS},
	{"width", 0, RS_OPTION_NUMBER, RS_GROUP_VIEW, "N",
		"make tables N columns wide, in files too", "columns", "120", SETS(view.width),
		.min = RS_VIEW_LEAST_WIDTH, .max = RS_VIEW_MOST_WIDTH, OF_SERIES},
	{"histogram", 0, RS_OPTION_REGION, RS_GROUP_VIEW, "REGION[:EVENT]",
		"draw how REGION's calls are distributed by time or by EVENT; may be repeated",
		"region", "REGION, or REGION:EVENT", SETS(view.histograms), .max = MAX_HISTOGRAMS,
		.parse = rs_parse_histogram, .is_list = true, OF_REPORTS},
	{"regions", 0, RS_OPTION_TEXT, RS_GROUP_VIEW, "GLOB",
		"show only regions whose names match GLOB; may be repeated", "glob", "'parse*'",
		SETS(view.globs), .max = MAX_REGIONS, .is_list = true, .key = "show_regions",
		OF_SERIES},
	{"json", 'j', RS_OPTION_FLAG, RS_GROUP_VIEW, NULL, "list as JSON, for scripts", SETS(json),
		OF_LIST},
	{"countable", 0, RS_OPTION_FLAG, RS_GROUP_VIEW, NULL,
		"list only events that can be counted here, at least in user space, or metrics "
		"that are possible",
		SETS(countable), OF_LIST},
	{"search", 's', RS_OPTION_TEXT, RS_GROUP_VIEW, "TEXT",
		"list only entries with TEXT in their name or meaning", "text", "miss",
		SETS(search), OF_LIST},
	{"repeat", 'r', RS_OPTION_NUMBER, RS_GROUP_SERIES, "N",
		"run COMMAND N times, and show the median over the runs (perf stat: the mean); +- "
		"is the standard error of the mean, in percent; compare: run each COMMAND N times "
		"(10)",
		"runs", "5", SETS(repeat), .min = 1, .max = RS_MAX_REPEAT, MEASURED_ONCE},
	{"budget-time", 0, RS_OPTION_TEXT, RS_GROUP_SERIES, "TIME",
		"begin a round only if it would end within TIME, such as 90s, 2m or 1h; without "
		"-r, run up to 5,000 rounds",
		"time", "2m", SETS(budget_time_ms), .parse = rs_parse_duration, OF_COMPARE},
	{"warmup", 0, RS_OPTION_NUMBER, RS_GROUP_SERIES, "N",
		"run each COMMAND N times first, and discard these results", "runs", "1",
		SETS(warmup), .min = 1, .max = RS_MAX_REPEAT, .key = "", MEASURED_ONCE},
	{"prepare", 0, RS_OPTION_TEXT, RS_GROUP_SERIES, "CMD",
		"run the shell command CMD before each run", "command", "'make clean'",
		SETS(prepare), .key = "", MEASURED_ONCE},
	{"vary", 0, RS_OPTION_WORD, RS_GROUP_SERIES, "WHAT",
		"change WHAT from run to run: nothing (the default), or layout: the size of the "
		"environment, the length of the program's path, and the randomization of addresses",
		"word", "layout", SETS(vary), .words = "nothing, layout", .initial = "nothing",
		OF_COMPARE},
	{"seed", 0, RS_OPTION_NUMBER, RS_GROUP_SERIES, "N",
		"repeat the order of a series with seed N", "number", "1", SETS(seed), .min = 1,
		.max = INT64_MAX, OF_COMPARE},
	{"ignore-failure", 0, RS_OPTION_FLAG, RS_GROUP_SERIES, NULL, "continue when a run fails",
		SETS(ignore_failure), MEASURED_ONCE},
	{"noise-check", 0, RS_OPTION_FLAG, RS_GROUP_SERIES, NULL,
		"compare the old side with itself first; if that shows a difference, exit with 4",
		SETS(noise_check), .verbs = RS_OPTIONS_COMPARE | RS_OPTIONS_DIFF},
	{"fail-if", 0, RS_OPTION_TEXT, RS_GROUP_SERIES, "RULE",
		"exit with 3 if the condition RULE is true, such as 'render:cpu-time.p90 > 5us', "
		"or 'any:instructions > +1%' of two sides; none cancels the rules before it; may "
		"be repeated",
		"rule", "'any:instructions > +1%'", SETS(fail_if), .is_list = true,
		.parse = rs_parse_fail_if, OF_SERIES},
	{"delay", 'D', RS_OPTION_TIME, RS_GROUP_RUN, "MS",
		"start counting MS milliseconds after the program's start; -1 waits for its first "
		"REGIONSTAT_RESUME()",
		"milliseconds", "500, or -1 to start at the program's REGIONSTAT_RESUME()",
		SETS(delay_ms), .min = -1, .max = MAX_MS},
	{"timeout", 0, RS_OPTION_TIME, RS_GROUP_RUN, "MS",
		"end the program after MS milliseconds by SIGTERM, and 2 seconds later by SIGKILL",
		"milliseconds", "10000", SETS(timeout_ms), .min = 1, .max = MAX_MS,
		.not_attached = "regionstat does not end a process that it did not start"},
	{"pid", 'p', RS_OPTION_NUMBER, RS_GROUP_RUN, "PID",
		"measure the running process PID instead of COMMAND, as regionstat attach does: "
		"one process, whose program includes <regionstat.h>",
		"process id", "$(pidof NAME)", SETS(pid), .min = 1, .max = INT32_MAX, .key = "",
		OF_RUN},
	{"duration", 0, RS_OPTION_TEXT, RS_GROUP_RUN, "TIME",
		"measure the process of -p or attach for TIME, such as 90s, 2m or 1h; default: "
		"until Ctrl-C or the end of the process",
		"time", "10s", SETS(duration_ms), .parse = rs_parse_duration, .key = "", OF_RUN},
	{"live", 0, RS_OPTION_FLAG, RS_GROUP_RUN, NULL,
		"show the regions on the whole screen while the program runs; its output to the "
		"terminal follows at its end",
		SETS(live), .key = "", OF_RUN},
	{"interval-print", 'I', RS_OPTION_TIME, RS_GROUP_RUN, "MS",
		"print the calls that ended in each interval of MS milliseconds; with -x as CSV, "
		"with -j as JSON, an object a line",
		"milliseconds", "1000", SETS(interval_ms), .min = 1, .max = MAX_MS, OF_RUN},
	{"interval-count", 0, RS_OPTION_NUMBER, RS_GROUP_RUN, "N",
		"print only the first N intervals of -I; the program continues", "intervals", "10",
		SETS(interval_count), .min = 1, .max = INT32_MAX, OF_RUN},
	{"interval-output", 0, RS_OPTION_OUTPUT, RS_GROUP_RUN, "FILE",
		"write the intervals of -I to FILE instead of the standard error", "file name",
		"intervals.csv", SETS(interval_output), OF_RUN},
	{"rotate", 0, RS_OPTION_TEXT, RS_GROUP_RUN, "TIME",
		"start a new period every TIME, such as 90s or 1h; a FILE of -o with %t gets each "
		"period, any other FILE the run so far; see regionstat-services(7)",
		"time", "1h", SETS(rotate_ms), .parse = rs_parse_duration, OF_RUN},
	{"keep", 0, RS_OPTION_NUMBER, RS_GROUP_RUN, "N",
		"remove all but the newest N files of -o whose names differ only in %t, also files "
		"of earlier runs (default: remove none)",
		"files", "48", SETS(keep), .min = 1, .max = 1000000, .needs_trust = true, OF_RUN},
	{"wait-all", 0, RS_OPTION_FLAG, RS_GROUP_RUN, NULL,
		"write the report when all processes with markers have ended, not only the "
		"program; Ctrl-C ends the wait",
		SETS(wait_all), .not_attached = "the measurement ends with the process"},
	{"config", 'c', RS_OPTION_FILE, RS_GROUP_RUN, "FILE",
		"read settings from FILE instead of ./regionstat.yaml or "
		"~/.config/regionstat/config.yaml; see regionstat.yaml(5)",
		"file name", "regionstat.yaml, or /dev/null for none", SETS(config_path), .key = "",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_COMPARE},
	{"profile", 0, RS_OPTION_TEXT, RS_GROUP_RUN, "NAME", "use the profile NAME of the settings",
		"name", "NAME, one of regionstat list profiles", SETS(profile), .key = ""},
	{"print-config", 0, RS_OPTION_FLAG, RS_GROUP_RUN, NULL,
		"print all settings and where each comes from, as a file for -c; run nothing",
		SETS(print_config), .key = "", OF_RUN},
	{"dry-run", 0, RS_OPTION_FLAG, RS_GROUP_RUN, NULL,
		"show what a run would count, and how; run nothing", SETS(dry_run), .key = "",
		OF_RUN},
	{"help", 'h', RS_OPTION_FLAG, RS_GROUP_RUN, NULL, "show this help", SETS(help), .key = "",
		OF_ALL},
	{"version", 0, RS_OPTION_FLAG, RS_GROUP_RUN, NULL, "show the version", SETS(version),
		.key = "", OF_ALL},
};
const size_t rs_options_table_n = sizeof(rs_options_table) / sizeof(rs_options_table[0]);

const struct rs_option_group_name rs_option_groups[RS_GROUP_N] = {
	[RS_GROUP_COUNT] = {"count", "What to count"},
	[RS_GROUP_MARK] = {"mark", "What to mark"},
	[RS_GROUP_OUTPUT] = {"output", "Output"},
	[RS_GROUP_VIEW] = {"view", "View"},
	[RS_GROUP_SERIES] = {"series", "Series"},
	[RS_GROUP_RUN] = {"run", "Run"},
};

/* The verbs and their arguments, in the order of the bits of enum rs_options_verb. */
static const struct {
	const char *word, *arguments;
} verb_words[RS_OPTIONS_VERBS] = {{"run", "[OPTION...] [--] COMMAND [ARGUMENT...]"},
	{"list", "[OPTION...] [GLOB]"}, {"report", "[OPTION...] FILE..."},
	{"compare", "[OPTION...] -- OLD [ARGUMENT...] ::: NEW [ARGUMENT...]"},
	{"diff", "[OPTION...] OLD [NEW...]"}, {"merge", "[OPTION...] [FILE...]"}, {"live", "[PID]"},
	{"attach", "[OPTION...] PID"}};

const char *rs_options_verb_word(enum rs_options_verb verb)
{
	return verb_words[__builtin_ctz((unsigned)verb)].word;
}

const char *rs_options_verb_arguments(enum rs_options_verb verb)
{
	return verb_words[__builtin_ctz((unsigned)verb)].arguments;
}

bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb)
{
	unsigned verbs = option->verbs ? option->verbs : RS_OPTIONS_RUN | RS_OPTIONS_COMPARE;
	return verbs & (unsigned)(verb == RS_OPTIONS_ATTACH ? RS_OPTIONS_RUN : verb);
}

bool rs_option_needs_trust(const struct rs_option *option)
{
	return option->needs_trust || option->kind == RS_OPTION_FILE ||
	       option->kind == RS_OPTION_OUTPUT;
}

const struct rs_option *rs_option_find(const char *word, char letter, enum rs_options_verb verb)
{
	const struct rs_option *found = NULL;
	for (size_t i = 0; i < rs_options_table_n; i++) {
		const struct rs_option *option = &rs_options_table[i];
		if (word ? strcmp(option->word, word) != 0 : option->letter != letter)
			continue;
		if (!found || rs_option_is_taken(option, verb))
			found = option;
	}
	return found;
}

/* ---- keys of regionstat.yaml ---- */

bool rs_option_is_inverted(const struct rs_option *option)
{
	return option->kind == RS_OPTION_FLAG && strncmp(option->word, "no-", 3) == 0;
}

struct rs_key rs_option_key(const struct rs_option *option)
{
	struct rs_key key = {""};
	const char *word = option->key ? option->key : option->word;
	if (rs_option_is_taken(option, RS_OPTIONS_RUN))
		snprintf(key.text, sizeof(key.text), "%s",
			rs_option_is_inverted(option) ? word + 3 : word);
	for (char *at = key.text; (at = strchr(at, '-')); at++)
		*at = '_';
	return key;
}

const struct rs_option *rs_option_of_key(const char *key)
{
	for (size_t i = 0; *key && i < rs_options_table_n; i++)
		if (strcmp(rs_option_key(&rs_options_table[i]).text, key) == 0)
			return &rs_options_table[i];
	return NULL;
}

/* ---- help ---- */

void rs_options_print_help_line(const char *left, const char *help, FILE *stream)
{
	int column = fprintf(stream, "%-*s", HELP_COLUMN - 1, left);
	if (column > HELP_COLUMN - 1)
		column = HELP_COLUMNS; /* the text begins on the next line */
	for (size_t length; *help; help += length + strspn(help + length, " ")) {
		length = strcspn(help, " ");
		if (column + 1 + (int)length > HELP_COLUMNS)
			column = fprintf(stream, "\n%*s", HELP_COLUMN - 1, "") - 1;
		column += fprintf(stream, " %.*s", (int)length, help);
	}
	fputc('\n', stream);
}

static void print_option(const struct rs_option *option, FILE *stream)
{
	char left[80];
	int used = snprintf(left, sizeof(left), "  %c%c%c --%s", option->letter ? '-' : ' ',
		option->letter ? option->letter : ' ', option->letter ? ',' : ' ', option->word);
	if (option->argument)
		snprintf(left + used, sizeof(left) - (size_t)used, option->bare ? "[=%s]" : " %s",
			option->argument);
	rs_options_print_help_line(left, option->help, stream);
}

void rs_options_print_help(enum rs_options_verb verb, FILE *stream)
{
	enum rs_option_group group = RS_GROUP_N;
	for (size_t i = 0; i < rs_options_table_n; i++) {
		const struct rs_option *option = &rs_options_table[i];
		if (!rs_option_is_taken(option, verb) ||
			(verb == RS_OPTIONS_ATTACH && option->not_attached))
			continue;
		if (option->group != group)
			fprintf(stream, "\n%s:\n", rs_option_groups[option->group].title);
		group = option->group;
		print_option(option, stream);
	}
}
