/* SPDX-License-Identifier: MIT */
/*
 * This file makes the list of reports from -o, --format, -j and -x, in the order of the command
 * line. Each report has a file and a format. A format applies to the next file. If no file follows
 * the format, it applies to the last file.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "compare/gate.h"
#include "options_table.h"

static void add_report(struct rs_options *options, const char *path, const char *written,
	const struct rs_report_format *format)
{
	options->reports = rs_arena_room(
		&options->arena, options->reports, options->n_reports, sizeof(*options->reports));
	options->reports[options->n_reports++] = (struct rs_report_wish){
		path, written, format, .has_time = written && rs_output_name_has_time(written)};
}

bool rs_parse_output(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const char *name = place->name;
	if (!rs_option_check_text(place, value, err))
		return false;
	if (options->n_reports == RS_MAX_OUTPUTS) {
		rs_err_set(err, "%s: more than %d reports", name, RS_MAX_OUTPUTS);
		return rs_option_try(place, err, "run.json, and regionstat report for the others");
	}
	const char *path = rs_option_file_name(options, place, value, err);
	if (!path)
		return false;
	for (size_t i = 0; i < options->n_reports; i++) {
		if (!rs_is_same_file(options->reports[i].path, path))
			continue;
		rs_err_set(err, "%s: '%s' cannot hold two reports", name, rs_text_shown(path).text);
		return rs_option_try(place, err, "FILE, a different one for each");
	}
	const struct rs_report_format *format = options->next_format;
	options->next_format = NULL;
	add_report(options, path, value, format);
	return true;
}

static bool set_format(const struct rs_report_format **of, const char *name,
	const struct rs_report_format *format, struct rs_err *err)
{
	if (*of && *of != format) {
		rs_err_set(
			err, "%s: one report cannot be %s and %s", name, (*of)->name, format->name);
		return rs_err_add_line(err, "try: --format %s -o FILE --format %s -o FILE",
			(*of)->name, format->name);
	}
	*of = format;
	return true;
}

void rs_format_words(char *text, size_t bytes)
{
	size_t n;
	const struct rs_report_format *formats = rs_report_formats(&n);
	*text = '\0';
	for (size_t i = 0; i < n; i++)
		rs_text_list(text, bytes, formats[i].name);
}

bool rs_parse_format(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	const struct rs_report_format *format = rs_report_format_named(value);
	return format ? set_format(&options->next_format, place->name, format, err)
		      : rs_option_refuse_word(options, place, value, err);
}

bool rs_parse_json(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	(void)value;
	return set_format(&options->usual_format, place->name, rs_report_format_named("json"), err);
}

bool rs_parse_html(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	(void)value;
	return set_format(&options->usual_format, place->name, rs_report_format_named("html"), err);
}

bool rs_parse_separator(struct rs_options *options, const struct rs_option_place *place,
	const char *value, struct rs_err *err)
{
	/* accept the two characters \t for a tab, as perf does, because a tab is hard to type in a
	 * shell */
	options->separator = strcmp(value, "\\t") == 0 ? "\t" : value;
	if (!rs_option_check_text(place, value, err))
		return false;
	if (!strpbrk(value, "\"\r\n"))
		return true;
	rs_err_set(err, "%s: '%s' cannot separate fields of CSV", place->name,
		rs_text_shown(value).text);
	rs_err_add_line(err, "quotes and line ends have a special meaning in CSV (RFC 4180)");
	return rs_option_try(place, err, "%s", place->option->example);
}

static const struct rs_report_format *choose_format(
	const struct rs_options *options, const struct rs_report_wish *report)
{
	const struct rs_report_format *of_file = report->path
							 ? rs_report_format_of_file(report->path)
							 : NULL;
	if (report->format || of_file)
		return report->format ? report->format : of_file;
	return options->usual_format ? options->usual_format
				     : rs_report_format_named(options->separator ? "csv" : "table");
}

/* Return the ending of a file name if it consists of letters, such as ".csv". Otherwise return
 * NULL. */
static const char *find_ending(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *ending = name ? strrchr(name, '.') : NULL;
	if (!ending || ending == name || !ending[1])
		return NULL;
	for (const char *c = ending + 1; *c; c++)
		if (!isalpha((unsigned char)*c))
			return NULL;
	return ending;
}

/* Reject a file name with an unknown ending, such as "run.foo", which may be a mistyped format. A
 * name without an ending is allowed, and means a table. path: a file of -I or of -o. */
static bool check_ending(const char *path, bool is_of_intervals, struct rs_err *err)
{
	const struct rs_report_format *formats;
	char known[256] = "";
	size_t n;
	if (!find_ending(path))
		return true;
	formats = rs_report_formats(&n);
	for (size_t i = 0; i < n; i++) {
		char item[64];
		if (!formats[i].endings[0] || (is_of_intervals && !formats[i].write_interval))
			continue;
		snprintf(item, sizeof(item), is_of_intervals ? "%s" : "%s (%s)",
			formats[i].endings[0], formats[i].name);
		rs_text_list(known, sizeof(known), item);
	}
	rs_err_set(err, "%s: '%s' has an unknown ending; endings: %s",
		is_of_intervals ? "--interval-output" : "-o", rs_text_shown(path).text, known);
	if (is_of_intervals)
		return rs_err_add_line(err, "try: -x , or -j for a file with another ending");
	return rs_err_add_line(err, "try: --format NAME -o '%s'", rs_text_shown(path).text);
}

/* Check the ending of the file of -I, unless -x or -j chooses its format. */
static bool check_interval_ending(const struct rs_options *options, struct rs_err *err)
{
	const char *path = options->interval_output;
	const struct rs_report_format *format = path ? rs_report_format_of_file(path) : NULL;
	return options->usual_format || options->separator || (format && format->write_interval) ||
	       check_ending(path, true, err);
}

/* Reject a name such as "run.json,run.csv", which was meant as two files. */
static bool check_comma(const struct rs_report_wish *report, struct rs_err *err)
{
	char first[256];
	const char *comma = report->path ? strchr(report->path, ',') : NULL;
	size_t n = comma ? (size_t)(comma - report->path) : 0;
	if (n == 0 || n >= sizeof(first))
		return true;
	memcpy(first, report->path, n);
	first[n] = '\0';
	if (!rs_report_format_of_file(first))
		return true;
	rs_err_set(err, "-o: '%s' is the name of one file", rs_text_shown(report->path).text);
	return rs_err_add_line(err, "try: -o '%s' -o '%s', or --format NAME -o for one file",
		rs_text_shown(first).text, rs_text_shown(comma + 1).text);
}

/* Check that --append can add to each report. */
static bool check_append(const struct rs_options *options, bool any_file, struct rs_err *err)
{
	if (options->append && !any_file) {
		rs_err_set(err, "--append: there is no file to add to");
		return rs_err_add_line(err, "try: --append -o FILE");
	}
	for (size_t i = 0; options->append && i < options->n_reports; i++) {
		if (!options->reports[i].format->is_one_document)
			continue;
		rs_err_set(err,
			"--append: cannot add a run to a file of format %s, which holds only one",
			options->reports[i].format->name);
		return rs_err_add_line(err, "try: -o with a file for each run, or CSV");
	}
	return true;
}

/* Add the table that is printed in addition to several files. */
static void add_table(struct rs_options *options, const char *path)
{
	for (size_t i = 0; i < options->n_reports; i++)
		if (strcmp(options->reports[i].format->name, "table") == 0)
			return;
	add_report(options, path, path, rs_report_format_named("table"));
}

/* Return true if all files are series. A series is no report, so a table is printed as well. */
static bool are_all_series(const struct rs_options *options)
{
	for (size_t i = 0; i < options->n_reports; i++)
		if (!options->reports[i].format->is_series)
			return false;
	return true;
}

bool rs_options_have_series(const struct rs_options *options)
{
	bool has = options->repeat > 1;
	for (size_t i = 0; i < options->n_reports; i++)
		has |= options->reports[i].format->is_series;
	return has;
}

/* Return true if a format can show the results of a verb. */
static bool can_show(
	const struct rs_report_format *format, enum rs_options_verb verb, bool is_series)
{
	if (format->is_series)
		return verb & (RS_OPTIONS_RUN | RS_OPTIONS_COMPARE);
	if (verb & (RS_OPTIONS_COMPARE | RS_OPTIONS_DIFF))
		return format->write_comparison;
	if (verb == RS_OPTIONS_MERGE)
		return format->write;
	return format->write_series || (!is_series && format->write);
}

static bool check_formats(
	const struct rs_options *options, enum rs_options_verb verb, struct rs_err *err)
{
	size_t n;
	const struct rs_report_format *formats = rs_report_formats(&n);
	bool is_series = rs_options_have_series(options);
	for (size_t i = 0; i < options->n_reports; i++) {
		const struct rs_report_format *format = options->reports[i].format;
		char known[256] = "";
		if (can_show(format, verb, is_series))
			continue;
		if (format->is_series && verb == RS_OPTIONS_REPORT) {
			rs_err_set(err, "-o: only a run or regionstat compare writes a series");
			return rs_err_add_line(err, "try: -o FILE.json, or --format NAME");
		}
		for (size_t f = 0; f < n; f++)
			if (can_show(&formats[f], verb, is_series))
				rs_text_list(known, sizeof(known), formats[f].name);
		rs_err_set(err, "%s cannot show %s; formats: %s", format->name,
			verb & (RS_OPTIONS_COMPARE | RS_OPTIONS_DIFF) ? "a difference"
			: verb == RS_OPTIONS_MERGE		      ? "a sum of runs"
			: options->repeat > 1			      ? "several runs"
					      : "a series (-o FILE.jsonl or --format series)",
			known);
		return rs_err_add_line(err, "try: --format table");
	}
	return true;
}

static bool refuse_series(const char *option, struct rs_err *err)
{
	rs_err_set(err, "%s shows one run, and these are several", option);
	return rs_err_add_line(err, "try: %s without -r and without a series", option);
}

bool rs_options_check_series(const struct rs_options *options, struct rs_err *err)
{
	static const char *const of_one[] = {
		"--all", "--by", "--columns", "--histogram", "--percentiles", "--sort", "--top"};
	for (size_t i = 0; i < options->settings.n; i++) {
		const struct rs_setting *setting = &options->settings.items[i];
		for (size_t k = 0; k < sizeof(of_one) / sizeof(of_one[0]); k++)
			if (!setting->place.file &&
				strcmp(setting->option->word, of_one[k] + 2) == 0)
				return refuse_series(of_one[k], err);
	}
	return true;
}

/* Find an archive of traces among the outputs. An archive is no report, so it must be the only
 * output. */
static bool find_archive(struct rs_options *options, struct rs_err *err)
{
	for (size_t i = 0; i < options->n_reports; i++) {
		const char *path = options->reports[i].path, *ending = strrchr(path, '.');
		if (!options->reports[i].format && ending && strcmp(ending, ".tar") == 0)
			options->archive = path;
	}
	bool is_alone = options->n_reports == 1 && !options->next_format &&
			!options->usual_format && options->fail_if.n == 0 && !options->append;
	if (!options->archive || is_alone)
		return true;
	rs_err_set(err, "-o: '%s' is an archive of traces, and no report can be made with it",
		rs_text_shown(options->archive).text);
	return rs_err_add_line(err, "try: regionstat merge -o all.tar FILE..., without other "
				    "outputs, --append and --fail-if");
}

/* Drop value n of --fail-if if a settings file has set it. Return false if the command line has set
 * it. */
static bool drop_rule(struct rs_options *options, size_t n)
{
	struct rs_texts *rules = &options->fail_if;
	struct rs_setting *setting = rs_options_setting(options, "fail-if", n);
	if (!setting || !setting->place.file)
		return false;
	size_t n_after = options->settings.n-- - 1 - (size_t)(setting - options->settings.items);
	memmove(setting, setting + 1, n_after * sizeof(*setting));
	memmove(&rules->items[n], &rules->items[n + 1],
		(rules->n-- - 1 - n) * sizeof(*rules->items));
	return true;
}

/* If the verb does not compare two sides, drop rules about a difference if a settings file has set
 * them, and reject them if the command line has. */
static bool check_rules(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err)
{
	bool has_sides = verb & (RS_OPTIONS_COMPARE | RS_OPTIONS_DIFF);
	for (size_t i = options->fail_if.n; !has_sides && i-- > 0;) {
		struct rs_gate gate;
		if (!rs_gate_parse(&gate, options->fail_if.items[i], err))
			return false;
		if (!gate.is_relative || options->print_config || drop_rule(options, i))
			continue;
		rs_err_set(err, "--fail-if: '%s' is about a difference, and there is no old side",
			rs_text_shown(gate.text).text);
		return rs_err_add_line(err, "try: regionstat compare OLD ::: NEW for programs, or "
					    "regionstat diff OLD NEW for saved runs");
	}
	return true;
}

bool rs_outputs_settle(struct rs_options *options, enum rs_options_verb verb, struct rs_err *err)
{
	if (!check_rules(options, verb, err))
		return false;
	if (verb == RS_OPTIONS_MERGE && !find_archive(options, err))
		return false;
	if (options->archive)
		return true;
	size_t n_files = options->n_reports;
	if (n_files == 0 && options->usual_format &&
		!set_format(&options->next_format, "--format", options->usual_format, err))
		return false;
	const char *next = options->next_format ? options->next_format->name : "";
	bool is_for_programs = options->separator || strcmp(next, "json") == 0 ||
			       strcmp(next, "csv") == 0;
	if (n_files == 0 && options->interval_ms > 0 && (options->quiet || is_for_programs)) {
		options->usual_format = options->next_format;
		return true; /* write only the rows, as perf stat -I does */
	}
	if (n_files == 0 && options->quiet && options->fail_if.n == 0) {
		rs_err_set(err, "--quiet: no report would be written");
		return rs_err_add_line(err, "try: --quiet -o FILE, or --quiet --fail-if RULE");
	}
	if (n_files == 0 && options->quiet) /* write only the lines of the --fail-if rules */
		return check_append(options, false, err);
	const char *path = verb == RS_OPTIONS_RUN ? NULL : "-";
	if (n_files == 0)
		add_report(options, path, path, options->next_format);
	struct rs_report_wish *last = &options->reports[options->n_reports - 1];
	if (n_files > 0 && options->next_format) {
		const struct rs_report_format *format = options->next_format;
		options->next_format = last->format;
		if (!set_format(&options->next_format, "--format", format, err))
			return false;
		last->format = format;
	}
	for (size_t i = 0; i < options->n_reports; i++) {
		struct rs_report_wish *report = &options->reports[i];
		bool is_guessed = !report->format && !options->usual_format &&
				  !options->separator &&
				  !(report->path && rs_report_format_of_file(report->path));
		if ((!report->format && !check_comma(report, err)) ||
			(is_guessed && !check_ending(report->path, false, err)))
			return false;
		report->format = choose_format(options, report);
	}
	bool has_several = n_files > 1 && (verb & (RS_OPTIONS_RUN | RS_OPTIONS_COMPARE));
	if ((has_several || are_all_series(options)) && !options->quiet)
		add_table(options, has_several ? NULL : path);
	if (verb == RS_OPTIONS_RUN && rs_options_have_series(options) &&
		!rs_options_check_series(options, err))
		return false;
	return check_formats(options, verb, err) && check_append(options, n_files > 0, err);
}

/* Reject two outputs that are the same file. This function does not compare two reports, because
 * rs_outputs_settle() does that. */
static bool check_pair(const char *option, const char *path, const char *other, const char *its,
	struct rs_err *err)
{
	/* Rows of -I and the report may share the standard output. */
	bool shares = path && strcmp(path, "-") == 0 && strcmp(option, "--interval-output") == 0;
	if (!path || !its || shares || !rs_is_same_file(path, its))
		return true;
	rs_err_set(err, "%s: %s is the file of %s", option, rs_text_shown(path).text, other);
	return rs_err_add_line(err, "try: another file");
}

bool rs_options_check_files(const struct rs_options *options, struct rs_err *err)
{
	const struct {
		const char *option, *path;
	} files[] = {{"--slow-output", options->slow_output}, {"--trace", options->trace},
		{"--interval-output", options->interval_output}};
	bool differ = true;
	for (size_t i = 0; differ && i < sizeof(files) / sizeof(files[0]); i++) {
		for (size_t r = 0; differ && r < options->n_reports; r++)
			differ = check_pair(files[i].option, files[i].path, "-o",
				options->reports[r].path, err);
		for (size_t k = 0; differ && k < i; k++)
			differ = check_pair(files[i].option, files[i].path, files[k].option,
				files[k].path, err);
	}
	return differ && check_interval_ending(options, err);
}

bool rs_options_have_periods(const struct rs_options *options)
{
	bool has = options->rotate_ms > 0;
	for (size_t i = 0; i < options->n_reports; i++)
		has |= options->reports[i].has_time;
	return has;
}

bool rs_options_have_counters(const struct rs_options *options)
{
	bool has = false;
	for (size_t i = 0; i < options->n_reports; i++)
		has |= options->reports[i].format->is_cumulative;
	return has;
}

bool rs_options_add_up(const struct rs_options *options)
{
	return rs_options_have_periods(options) || rs_options_have_counters(options);
}

bool rs_options_check_needs(const struct rs_options *options, struct rs_err *err)
{
	bool has_file = false, has_time = false, has_tests = false;
	const char *crowded = NULL;
	for (size_t i = 0; i < options->n_reports; i++) {
		const struct rs_report_wish *wish = &options->reports[i];
		has_file |= wish->path != NULL;
		has_time |= wish->has_time;
		has_tests |= wish->format && strcmp(wish->format->name, "junit") == 0;
		if (wish->has_time && !rs_output_name_has_one_time(wish->written))
			crowded = wish->written;
	}
	const struct {
		const char *option;
		bool is_given, is_met;
		const char *why, *remedy;
	} needs[] = {
		{"--slow-output", options->slow_output, options->n_slow > 0,
			" needs --slow, which says which calls are slow",
			"--slow '*:time>1ms' --slow-output ..."},
		{"--slow-rate", options->slow_rate > 0, options->n_slow > 0,
			" needs --slow, which says which calls are slow",
			"--slow '*:time>1ms' --slow-rate ..."},
		{"--interval-count", options->interval_count > 0, options->interval_ms > 0,
			" needs -I, which makes the intervals", "-I 1000 --interval-count ..."},
		{"--interval-output", options->interval_output, options->interval_ms > 0,
			" needs -I, which makes the intervals", "-I 1000 --interval-output ..."},
		{"--trace-size", options->trace_bytes > 0, options->trace,
			" needs --trace, which names the file",
			"--trace run.pftrace --trace-size ..."},
		{"--trace-if", options->trace_if, options->trace,
			" needs --trace, which names the file",
			"--trace run.pftrace --trace-if ..."},
		{"--rotate", options->rotate_ms > 0, has_file,
			": there is no file for the reports of periods",
			"--rotate 1h -o 'svc-%t.json'"},
		{"--keep", options->keep > 0, has_time, ": no file has %t in its name",
			"--rotate 1h --keep 48 -o 'svc-%t.json'"},
		{"junit", has_tests, options->fail_if.n > 0,
			" has a test for each rule of --fail-if, and there is none",
			"--fail-if 'any:time > 1s' -o rules.xml"},
	};
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (!needs[i].is_given || needs[i].is_met)
			continue;
		rs_err_set(err, "%s%s", needs[i].option, needs[i].why);
		return rs_err_add_line(err, "try: %s", needs[i].remedy);
	}
	if (options->keep > 0 && crowded) {
		rs_err_set(err, "--keep: '%s' must contain %%t once, after the last slash",
			rs_text_shown(crowded).text);
		return rs_err_add_line(err, "try: --keep 48 -o 'dir/svc-%%t.json'");
	}
	const char *of_one = options->live		? "--live"
			     : options->interval_ms > 0 ? "-I"
			     : options->rotate_ms > 0	? "--rotate"
							: NULL;
	if (of_one && rs_options_have_series(options))
		return refuse_series(of_one, err);
	if (options->trace && options->repeat > 1)
		return refuse_series("--trace", err);
	if (of_one && (options->warmup > 0 || options->prepare)) {
		rs_err_set(err, "%s is not for runs with --warmup or --prepare", of_one);
		return rs_err_add_line(err, "try: %s without --warmup and --prepare", of_one);
	}
	return true;
}
