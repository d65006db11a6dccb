/* SPDX-License-Identifier: MIT */
/*
 * All options of all verbs in one table, and the help that is printed from it.
 */
#include "options_table.h"

#include <string.h>

#include "options_metrics.h"
#include "options_functions.h"
#include "options_only.h"
#include "options_reports.h"
#include "options_sample.h"
#include "options_slow.h"
#include "options_values.h"
#include "options_view.h"

#define HELP_COLUMN 28 /* where the text begins, from 0 */
#define HELP_COLUMNS 80

/* Options that are there or not: the setter is one line. value: NULL, "true" or "false". */
#define FLAG_SETTER(member)                                                                       \
	static bool set_##member(struct rs_options *options, const char *name, const char *value, \
		struct rs_err *err)                                                               \
	{                                                                                         \
		(void)name, (void)err;                                                            \
		options->member = !value || strcmp(value, "true") == 0;                           \
		return true;                                                                      \
	}
FLAG_SETTER(append)
FLAG_SETTER(no_inherit)
FLAG_SETTER(no_totals)
FLAG_SETTER(pin)
FLAG_SETTER(raw)
FLAG_SETTER(by_work)
FLAG_SETTER(strict)
FLAG_SETTER(all)
FLAG_SETTER(verbose)
FLAG_SETTER(per_process)
FLAG_SETTER(per_thread)
FLAG_SETTER(help)
FLAG_SETTER(version)
FLAG_SETTER(wait_all)
FLAG_SETTER(quiet)
FLAG_SETTER(print_config)
FLAG_SETTER(countable)
FLAG_SETTER(json)
FLAG_SETTER(dry_run)

/* Options of reports, whether of a run or of a saved one. */
#define OF_REPORTS .verbs = (RS_OPTIONS_RUN | RS_OPTIONS_REPORT)
#define OF_LIST .verbs = RS_OPTIONS_LIST

const struct rs_option rs_options_table[] = {
	{'e', "event", RS_ARGUMENT_REQUIRED, "EVENT", rs_options_set_event, RS_GROUP_COUNT,
		"count EVENT, a,b both, {a,b} as one group; see regionstat list; may be repeated",
		.key = "events", .is_list = true},
	{'M', "metrics", RS_ARGUMENT_REQUIRED, "NAME", rs_options_add_metrics, RS_GROUP_COUNT,
		"count what the metric NAME needs, and show it; see regionstat list metrics; "
		"a,b shows both; may be repeated",
		.is_list = true},
	{'\0', "metrics-file", RS_ARGUMENT_REQUIRED, "FILE", rs_options_add_metrics_file,
		RS_GROUP_COUNT,
		"read metrics from FILE too, see regionstat-metrics(5); may be repeated",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST, .is_list = true},
	{'i', "no-inherit", RS_ARGUMENT_NONE, NULL, set_no_inherit, RS_GROUP_COUNT,
		"count the totals of the program's first thread only"},
	{'\0', "no-totals", RS_ARGUMENT_NONE, NULL, set_no_totals, RS_GROUP_COUNT,
		"count no events for the whole run"},
	{'\0', "pin", RS_ARGUMENT_NONE, NULL, set_pin, RS_GROUP_COUNT,
		"keep the events of regions on the PMU even if not all fit"},
	{'\0', "strict", RS_ARGUMENT_NONE, NULL, set_strict, RS_GROUP_COUNT,
		"run nothing if an event cannot be counted"},
	{'\0', "markers", RS_ARGUMENT_REQUIRED, "NAMES", rs_options_set_markers, RS_GROUP_MARK,
		"measure the markers of other APIs: none, or a list of likwid, itt, nvtx, kokkos, "
		"openmp, papi, caliper, uprof, roctx, functions; auto: those that the program uses",
		.has_commas = true, .fallback = "auto"},
	{'\0', "only", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_only, RS_GROUP_MARK,
		"measure only regions whose names match GLOB; may be repeated", .is_list = true},
	{'\0', "functions", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_functions, RS_GROUP_MARK,
		"measure only functions whose names match GLOB, in a program built with "
		"-finstrument-functions; may be repeated",
		.is_list = true},
	{'\0', "sample", RS_ARGUMENT_REQUIRED, "[REGION:]N", rs_options_add_sample, RS_GROUP_MARK,
		"measure about every Nth call, of all regions or of REGION; may be repeated",
		.is_list = true, .is_overruled = rs_options_have_budget},
	{'\0', "budget", RS_ARGUMENT_REQUIRED, "PCT", rs_options_set_budget, RS_GROUP_MARK,
		"let markers take about PCT percent of the program's time: each region samples as "
		"often as that allows",
		.is_overruled = rs_options_have_sample},
	{'\0', "raw", RS_ARGUMENT_NONE, NULL, set_raw, RS_GROUP_MARK,
		"do not subtract the markers' overhead"},
	{'\0', "by-work", RS_ARGUMENT_NONE, NULL, set_by_work, RS_GROUP_MARK,
		"show calls with different work in rows of their own"},
	{'\0', "slow", RS_ARGUMENT_REQUIRED, "REGION:EVENT>N", rs_options_add_slow, RS_GROUP_MARK,
		"report at once each call of REGION with more than N of EVENT, such as "
		"'parse:time>1ms'; may be repeated",
		.is_list = true},
	{'\0', "slow-output", RS_ARGUMENT_REQUIRED, "FILE", rs_options_set_slow_output,
		RS_GROUP_MARK, "append these calls to FILE instead of the standard error"},
	{'\0', "slow-rate", RS_ARGUMENT_REQUIRED, "N", rs_options_set_slow_rate, RS_GROUP_MARK,
		"report at most N of these calls in a second (100)"},
	{'o', "output", RS_ARGUMENT_REQUIRED, "FILE", rs_options_add_output, RS_GROUP_OUTPUT,
		"write the report to FILE, -: to the standard output; .csv, .json or .md at its "
		"end chooses the format; %r in it is the MPI rank, %p the process id, %h the host; "
		"may be repeated",
		OF_REPORTS, .key = "outputs", .is_list = true, .has_formats = true},
	{'\0', "format", RS_ARGUMENT_REQUIRED, "NAME", rs_options_add_format, RS_GROUP_OUTPUT,
		"write the next FILE as table, csv, json or markdown", OF_REPORTS,
		.is_overruled = rs_options_have_reports},
	{'x', "field-separator", RS_ARGUMENT_REQUIRED, "SEP", rs_options_set_separator,
		RS_GROUP_OUTPUT, "write CSV with SEP between fields", OF_REPORTS},
	{'j', "json-output", RS_ARGUMENT_NONE, NULL, rs_options_add_json, RS_GROUP_OUTPUT,
		"write JSON, as --format json", OF_REPORTS, .key = ""},
	{'\0', "quiet", RS_ARGUMENT_NONE, NULL, set_quiet, RS_GROUP_OUTPUT,
		"write no table to the standard error beside several FILEs"},
	{'\0', "append", RS_ARGUMENT_NONE, NULL, set_append, RS_GROUP_OUTPUT,
		"append to FILE instead of replacing it", OF_REPORTS, .is_trusted = true},
	{'\0', "label", RS_ARGUMENT_REQUIRED, "TEXT", rs_options_set_label, RS_GROUP_OUTPUT,
		"name the run TEXT instead of the time of its start"},
	{'v', "verbose", RS_ARGUMENT_NONE, NULL, set_verbose, RS_GROUP_OUTPUT,
		"show more: slowest calls, what events mean", OF_REPORTS},
	{'\0', "color", RS_ARGUMENT_OPTIONAL, "WHEN", rs_options_set_color, RS_GROUP_OUTPUT,
		"use color WHEN: auto (on a terminal), always or never", rs_options_is_color,
		OF_REPORTS, .fallback = "auto"},
	{'\0', "per-process", RS_ARGUMENT_NONE, NULL, set_per_process, RS_GROUP_VIEW,
		"show one row for each process of a region", OF_REPORTS},
	{'\0', "per-thread", RS_ARGUMENT_NONE, NULL, set_per_thread, RS_GROUP_VIEW,
		"show one row for each thread of a region", OF_REPORTS},
	{'\0', "all", RS_ARGUMENT_NONE, NULL, set_all, RS_GROUP_VIEW,
		"show every region in detail, not only the 5 with most self time", OF_REPORTS},
	{'\0', "top", RS_ARGUMENT_REQUIRED, "N", rs_options_set_top, RS_GROUP_VIEW,
		"show only the first N regions", OF_REPORTS},
	{'\0', "sort", RS_ARGUMENT_REQUIRED, "KEY", rs_options_set_sort, RS_GROUP_VIEW,
		"sort by KEY, largest first: self, total, calls, avg, min, p50, p90, p99, max, "
		"stddev; or by name, or by order of first use",
		OF_REPORTS, .fallback = "self"},
	{'\0', "by", RS_ARGUMENT_REQUIRED, "EVENT", rs_options_set_by, RS_GROUP_VIEW,
		"sort and compare regions by EVENT, which they count, instead of time", OF_REPORTS},
	{'\0', "columns", RS_ARGUMENT_REQUIRED, "LIST", rs_options_add_columns, RS_GROUP_VIEW,
		"show these columns instead of those that fit: total, error, self, calls, on-cpu, "
		"avg, stddev, min, max, and percentiles such as p99.9",
		OF_REPORTS, .is_list = true},
	{'\0', "percentiles", RS_ARGUMENT_REQUIRED, "LIST", rs_options_add_percentiles,
		RS_GROUP_VIEW, "show these percentiles, such as 50,90,99,99.9", OF_REPORTS,
		.is_list = true},
	{'\0', "width", RS_ARGUMENT_REQUIRED, "N", rs_options_set_width, RS_GROUP_VIEW,
		"make tables N columns wide, in files too", OF_REPORTS},
	{'\0', "histogram", RS_ARGUMENT_REQUIRED, "REGION[:EVENT]", rs_options_add_histogram,
		RS_GROUP_VIEW,
		"draw the distribution of REGION's calls by time or by EVENT; may be repeated",
		OF_REPORTS, .is_list = true},
	{'\0', "regions", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_regions, RS_GROUP_VIEW,
		"show only regions whose names match GLOB; may be repeated", OF_REPORTS,
		.key = "show_regions", .is_list = true},
	{'j', "json", RS_ARGUMENT_NONE, NULL, set_json, RS_GROUP_VIEW, "list as JSON, for scripts",
		OF_LIST},
	{'\0', "countable", RS_ARGUMENT_NONE, NULL, set_countable, RS_GROUP_VIEW,
		"list only events that can be counted here, at least in user space, or metrics "
		"that are possible",
		OF_LIST},
	{'s', "search", RS_ARGUMENT_REQUIRED, "TEXT", rs_options_set_search, RS_GROUP_VIEW,
		"list only what has TEXT in its name or its meaning", OF_LIST},
	{'D', "delay", RS_ARGUMENT_REQUIRED, "MS", rs_options_set_delay, RS_GROUP_RUN,
		"start to count MS milliseconds after the start; -1: at the program's first "
		"RESUME"},
	{'\0', "timeout", RS_ARGUMENT_REQUIRED, "MS", rs_options_set_timeout, RS_GROUP_RUN,
		"end the program after MS milliseconds: SIGTERM, and SIGKILL 2 seconds later"},
	{'\0', "wait-all", RS_ARGUMENT_NONE, NULL, set_wait_all, RS_GROUP_RUN,
		"wait for every process that uses markers, also after the program's end; Ctrl-C "
		"ends the wait"},
	{'c', "config", RS_ARGUMENT_REQUIRED, "FILE", rs_options_set_config, RS_GROUP_RUN,
		"read settings from FILE, see regionstat.yaml(5), instead of ./regionstat.yaml or "
		"~/.config/regionstat/config.yaml",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST, .key = ""},
	{'\0', "profile", RS_ARGUMENT_REQUIRED, "NAME", rs_options_set_profile, RS_GROUP_RUN,
		"use the profile NAME of the settings", .key = ""},
	{'\0', "print-config", RS_ARGUMENT_NONE, NULL, set_print_config, RS_GROUP_RUN,
		"show all settings and their origin, as a file for -c; run nothing", .key = ""},
	{'\0', "dry-run", RS_ARGUMENT_NONE, NULL, set_dry_run, RS_GROUP_RUN,
		"show what would be counted, and how; run nothing", .key = ""},
	{'h', "help", RS_ARGUMENT_NONE, NULL, set_help, RS_GROUP_RUN, "show this help",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_REPORT, .key = ""},
	{'\0', "version", RS_ARGUMENT_NONE, NULL, set_version, RS_GROUP_RUN, "show the version",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_REPORT, .key = ""},
};
const size_t rs_options_table_n = sizeof(rs_options_table) / sizeof(rs_options_table[0]);

bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb)
{
	return (option->verbs ? option->verbs : RS_OPTIONS_RUN) & verb;
}

void rs_options_print_help_line(const char *left, const char *help, FILE *stream)
{
	int column = fprintf(stream, "%-*s", HELP_COLUMN - 1, left);
	if (column > HELP_COLUMN - 1)
		column = HELP_COLUMNS; /* the text begins on a line of its own */
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
	if (option->kind != RS_ARGUMENT_NONE)
		snprintf(left + used, sizeof(left) - (size_t)used,
			option->kind == RS_ARGUMENT_OPTIONAL ? "[=%s]" : " %s", option->argument);
	rs_options_print_help_line(left, option->help, stream);
}

void rs_options_print_help(enum rs_options_verb verb, FILE *stream)
{
	static const char *const titles[] = {
		[RS_GROUP_COUNT] = "What to count",
		[RS_GROUP_MARK] = "What to mark",
		[RS_GROUP_OUTPUT] = "Output",
		[RS_GROUP_VIEW] = "View",
		[RS_GROUP_RUN] = "Run",
	};
	enum rs_option_group group = RS_GROUP_N;
	for (size_t i = 0; i < rs_options_table_n; i++) {
		const struct rs_option *option = &rs_options_table[i];
		if (!rs_option_is_taken(option, verb))
			continue;
		if (option->group != group)
			fprintf(stream, "\n%s:\n", titles[option->group]);
		group = option->group;
		print_option(option, stream);
	}
}
