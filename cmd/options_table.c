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

#define HELP_COLUMN 28

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

const struct rs_option rs_options_table[] = {
	{'e', "event", RS_ARGUMENT_REQUIRED, "EVENT", rs_options_set_event,
		"count EVENT (see regionstat list): a,b counts\n"
		"both, {a,b} as one group; may be repeated",
		.key = "events", .is_list = true},
	{'M', "metrics", RS_ARGUMENT_REQUIRED, "NAME", rs_options_add_metrics,
		"count what the metric NAME needs, and show it (see\n"
		"regionstat list metrics): a,b shows both; may be\n"
		"repeated",
		.is_list = true},
	{'\0', "metrics-file", RS_ARGUMENT_REQUIRED, "FILE", rs_options_add_metrics_file,
		"know the metrics of FILE as well (see\n"
		"regionstat-metrics(5)); may be repeated",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST, .is_list = true},
	{'x', "field-separator", RS_ARGUMENT_REQUIRED, "SEP", rs_options_set_separator,
		"report as CSV with SEP between fields", OF_REPORTS},
	{'o', "output", RS_ARGUMENT_REQUIRED, "FILE", rs_options_add_output,
		"report to FILE instead of the standard error;\n"
		"-: to the standard output; by its ending .csv,\n"
		".json or .md in that format; may be repeated;\n"
		"%r in it: the MPI rank, %p: process id, %h: host",
		OF_REPORTS, .key = "outputs", .is_list = true, .has_formats = true},
	{'\0', "format", RS_ARGUMENT_REQUIRED, "NAME", rs_options_add_format,
		"table, csv, json or markdown: of the FILE behind it,\n"
		"whatever its ending",
		OF_REPORTS, .is_overruled = rs_options_have_reports},
	{'j', "json-output", RS_ARGUMENT_NONE, NULL, rs_options_add_json,
		"the same as --format json", OF_REPORTS, .key = ""},
	{'\0', "quiet", RS_ARGUMENT_NONE, NULL, set_quiet,
		"no table on the standard error beside several FILEs"},
	{'\0', "append", RS_ARGUMENT_NONE, NULL, set_append, "add to FILE instead of replacing it",
		OF_REPORTS, .is_trusted = true},
	{'\0', "label", RS_ARGUMENT_REQUIRED, "TEXT", rs_options_set_label,
		"call the run TEXT instead of by its start"},
	{'D', "delay", RS_ARGUMENT_REQUIRED, "MS", rs_options_set_delay,
		"count from MS milliseconds after the start;\n"
		"-1: from the program's first RESUME on"},
	{'\0', "timeout", RS_ARGUMENT_REQUIRED, "MS", rs_options_set_timeout,
		"end the program after MS milliseconds:\n"
		"SIGTERM, and SIGKILL 2 seconds later"},
	{'\0', "wait-all", RS_ARGUMENT_NONE, NULL, set_wait_all,
		"wait for all processes that mark, also for those\n"
		"that outlive the program; Ctrl-C ends that"},
	{'i', "no-inherit", RS_ARGUMENT_NONE, NULL, set_no_inherit,
		"totals of the program's first thread only"},
	{'\0', "no-totals", RS_ARGUMENT_NONE, NULL, set_no_totals,
		"count no events for the whole run"},
	{'\0', "pin", RS_ARGUMENT_NONE, NULL, set_pin,
		"keep regions on the PMU even where they do\n"
		"not fit it"},
	{'\0', "only", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_only,
		"measure regions whose names match GLOB, and no\n"
		"others; may be repeated",
		.is_list = true},
	{'\0', "functions", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_functions,
		"of a program built with -finstrument-functions\n"
		"measure those functions whose names match GLOB,\n"
		"and no others; may be repeated",
		.is_list = true},
	{'\0', "sample", RS_ARGUMENT_REQUIRED, "[REGION:]N", rs_options_add_sample,
		"measure about every Nth call of a region, of\n"
		"all regions or of REGION; may be repeated",
		.is_list = true, .is_overruled = rs_options_have_budget},
	{'\0', "budget", RS_ARGUMENT_REQUIRED, "PCT", rs_options_set_budget,
		"let markers take about PCT of the program's\n"
		"time: each region finds its N by itself",
		.is_overruled = rs_options_have_sample},
	{'\0', "slow", RS_ARGUMENT_REQUIRED, "REGION:EVENT>N", rs_options_add_slow,
		"tell at once of calls of REGION with more than N of\n"
		"EVENT, such as 'parse:time>1ms'; may be repeated",
		.is_list = true},
	{'\0', "slow-output", RS_ARGUMENT_REQUIRED, "FILE", rs_options_set_slow_output,
		"add them to FILE instead of the standard error"},
	{'\0', "slow-rate", RS_ARGUMENT_REQUIRED, "N", rs_options_set_slow_rate,
		"at most N of them a second (100)"},
	{'\0', "markers", RS_ARGUMENT_REQUIRED, "NAMES", rs_options_set_markers,
		"measure markers of other APIs: none, or likwid,itt,\n"
		"nvtx,kokkos,openmp,papi,caliper,uprof,functions,\n"
		"roctx; auto: those that the program shows to use",
		.has_commas = true, .fallback = "auto"},
	{'\0', "raw", RS_ARGUMENT_NONE, NULL, set_raw, "leave the markers' own cost in all values"},
	{'\0', "by-work", RS_ARGUMENT_NONE, NULL, set_by_work,
		"keep calls apart that told of different work"},
	{'\0', "strict", RS_ARGUMENT_NONE, NULL, set_strict,
		"run nothing when an event cannot be counted"},
	{'\0', "per-process", RS_ARGUMENT_NONE, NULL, set_per_process,
		"a row for every process of a region", OF_REPORTS},
	{'\0', "per-thread", RS_ARGUMENT_NONE, NULL, set_per_thread,
		"a row for every thread of a region", OF_REPORTS},
	{'\0', "all", RS_ARGUMENT_NONE, NULL, set_all,
		"show every region in detail, not only the 5\n"
		"with most self time",
		OF_REPORTS},
	{'\0', "top", RS_ARGUMENT_REQUIRED, "N", rs_options_set_top,
		"show only the N regions that come first", OF_REPORTS},
	{'\0', "sort", RS_ARGUMENT_REQUIRED, "KEY", rs_options_set_sort,
		"show most KEY first: self, total, calls, avg, min,\n"
		"p50, p90, p99, max, stddev; or by name or order",
		OF_REPORTS, .fallback = "self"},
	{'\0', "by", RS_ARGUMENT_REQUIRED, "EVENT", rs_options_set_by,
		"choose, sort and compare regions by EVENT, one of\n"
		"those that they count, instead of by time",
		OF_REPORTS},
	{'\0', "columns", RS_ARGUMENT_REQUIRED, "LIST", rs_options_add_columns,
		"show these columns instead of what there is room\n"
		"for: total,self,cpu,calls,avg,stddev,min,p50,p99.9,\n"
		"max",
		OF_REPORTS, .is_list = true},
	{'\0', "percentiles", RS_ARGUMENT_REQUIRED, "LIST", rs_options_add_percentiles,
		"show these percentiles, such as 50,90,99,99.9", OF_REPORTS, .is_list = true},
	{'\0', "width", RS_ARGUMENT_REQUIRED, "N", rs_options_set_width,
		"make tables for N columns, also in files", OF_REPORTS},
	{'\0', "histogram", RS_ARGUMENT_REQUIRED, "REGION[:EVENT]", rs_options_add_histogram,
		"draw how REGION's calls are distributed, by\n"
		"their time or by EVENT; may be repeated",
		OF_REPORTS, .is_list = true},
	{'\0', "regions", RS_ARGUMENT_REQUIRED, "GLOB", rs_options_add_regions,
		"show only the regions whose names match GLOB; may\n"
		"be repeated",
		OF_REPORTS, .key = "show_regions", .is_list = true},
	{'\0', "color", RS_ARGUMENT_OPTIONAL, "WHEN", rs_options_set_color,
		"auto (on terminals), always or never", rs_options_is_color, OF_REPORTS,
		.fallback = "auto"},
	{'v', "verbose", RS_ARGUMENT_NONE, NULL, set_verbose,
		"show more: slowest calls, what events mean", OF_REPORTS},
	{'c', "config", RS_ARGUMENT_REQUIRED, "FILE", rs_options_set_config,
		"take settings from FILE (see regionstat.yaml(5))\n"
		"instead of ./regionstat.yaml, or else of\n"
		"~/.config/regionstat/config.yaml",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST, .key = ""},
	{'\0', "profile", RS_ARGUMENT_REQUIRED, "NAME", rs_options_set_profile,
		"take the settings of NAME among its profiles", .key = ""},
	{'\0', "print-config", RS_ARGUMENT_NONE, NULL, set_print_config,
		"show all settings and where they are from, as\n"
		"such a file, and run nothing",
		.key = ""},
	{'\0', "dry-run", RS_ARGUMENT_NONE, NULL, set_dry_run,
		"show what would be counted, and how, and run\n"
		"nothing",
		.key = ""},
	{'j', "json", RS_ARGUMENT_NONE, NULL, set_json, "list as JSON, for scripts",
		.verbs = RS_OPTIONS_LIST},
	{'\0', "countable", RS_ARGUMENT_NONE, NULL, set_countable,
		"only events that can be counted here, if only in\n"
		"user space, or metrics that are possible",
		.verbs = RS_OPTIONS_LIST},
	{'s', "search", RS_ARGUMENT_REQUIRED, "TEXT", rs_options_set_search,
		"only what has TEXT in its name or its meaning", .verbs = RS_OPTIONS_LIST},
	{'h', "help", RS_ARGUMENT_NONE, NULL, set_help, "show this and exit",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_REPORT, .key = ""},
	{'\0', "version", RS_ARGUMENT_NONE, NULL, set_version, "show the version and exit",
		.verbs = RS_OPTIONS_RUN | RS_OPTIONS_LIST | RS_OPTIONS_REPORT, .key = ""},
};
const size_t rs_options_table_n = sizeof(rs_options_table) / sizeof(rs_options_table[0]);

bool rs_option_is_taken(const struct rs_option *option, enum rs_options_verb verb)
{
	return (option->verbs ? option->verbs : RS_OPTIONS_RUN) & verb;
}

void rs_options_print_help_line(const char *left, const char *help, FILE *stream)
{
	fprintf(stream, "%-*s ", HELP_COLUMN - 1, left);
	for (; *help; help++) {
		fputc(*help, stream);
		if (*help == '\n')
			fprintf(stream, "%*s", HELP_COLUMN, "");
	}
	fputc('\n', stream);
}

void rs_options_print_help(enum rs_options_verb verb, FILE *stream)
{
	for (size_t i = 0; i < rs_options_table_n; i++) {
		const struct rs_option *option = &rs_options_table[i];
		char left[80];
		if (!rs_option_is_taken(option, verb))
			continue;
		int used = snprintf(left, sizeof(left), "  %c%c%c --%s", option->letter ? '-' : ' ',
			option->letter ? option->letter : ' ', option->letter ? ',' : ' ',
			option->word);
		if (option->kind != RS_ARGUMENT_NONE)
			snprintf(left + used, sizeof(left) - (size_t)used,
				option->kind == RS_ARGUMENT_OPTIONAL ? "[=%s]" : " %s",
				option->argument);
		rs_options_print_help_line(left, option->help, stream);
	}
}
