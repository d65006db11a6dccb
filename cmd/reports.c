/* SPDX-License-Identifier: MIT */
/*
 * This file makes and writes several reports of the same summaries. It gets the options and
 * finished summaries. Reports that cannot be written to their file go to the standard error.
 */
#include "reports.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text_stream.h"
#include "base/write.h"
#include "command.h"
#include "show.h"
#include "options_table.h"
#include "runs.h"

static const char *separator_of(const struct rs_options *options)
{
	return options->separator ? options->separator : ",";
}

/* Open the file of a report. For CSV check that --append can add to it. */
static bool open_report(struct rs_one_report *report, const struct rs_options *options,
	const struct rs_report_wish *wish, struct rs_err *err)
{
	report->wish = wish;
	if (wish->format->is_series) { /* runs.c writes it */
		report->output.path = wish->path;
		return true;
	}
	bool append = options->append && wish->path;
	report->begin_ms = options->begin_ms;
	if (!rs_output_init(&report->output, wish->path, append, err))
		return false;
	/* Each period has a file of its own. This one was opened only to check that it can be
	 * written. Remove it now, so that it does not remain if the run is killed. */
	if (wish->has_time) {
		rs_output_finish(&report->output, false);
		report->output.path = wish->path;
	}
	if (strcmp(wish->format->name, "csv") != 0)
		return true;
	size_t bytes;
	FILE *stream = rs_text_stream_open(&report->csv_header, &bytes);
	if (stream)
		rs_report_csv_header(separator_of(options), stream);
	if (!stream || fclose(stream) != 0)
		return rs_err_set(err, "cannot make the report: out of memory");
	return wish->has_time || rs_append_check(&report->output, report->csv_header, err);
}

bool rs_reports_init(
	struct rs_reports *reports, const struct rs_options *options, struct rs_err *err)
{
	*reports = (struct rs_reports){.options = options};
	reports->items = calloc(options->n_reports, sizeof(*reports->items));
	if (!reports->items)
		return rs_err_set(err, "cannot make the report: out of memory");
	for (size_t i = 0; i < options->n_reports; i++)
		reports->items[i].output.fd = -1;
	for (size_t i = 0; i < options->n_reports; i++) {
		reports->n++;
		if (!open_report(&reports->items[i], options, &options->reports[i], err))
			return false;
	}
	return true;
}

static bool wants_color(const struct rs_options *options, const struct rs_output *output)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	if (options->color != RS_COLOR_AUTO)
		return options->color == RS_COLOR_ALWAYS;
	return output->is_terminal && !(no_color && no_color[0]) && term && term[0] &&
	       strcmp(term, "dumb") != 0;
}

/* Return the width in the variable COLUMNS, or 0 if there is none. */
static int width_of_environment(void)
{
	const char *text = getenv("COLUMNS");
	size_t n_digits = text ? strspn(text, "0123456789") : 0;
	unsigned long number = n_digits > 0 && !text[n_digits] ? strtoul(text, NULL, 10) : 0;
	return number >= RS_VIEW_LEAST_WIDTH && number <= RS_VIEW_MOST_WIDTH ? (int)number : 0;
}

static int width_of(const struct rs_options *options, const struct rs_output *output)
{
	if (options->view.width > 0)
		return options->view.width;
	return output->width > 0 ? output->width : width_of_environment();
}

/* The content of a report. Only one of summaries, series and comparison is set. */
struct content {
	const struct rs_summary *summaries;
	size_t n; /* count of summaries */
	const struct rs_comparison_report *series;
	const struct rs_comparison_report *comparison;
};

static bool write_content(const struct rs_report_format *format, const struct rs_options *wishes,
	const struct content *content, struct rs_report_options *options, FILE *stream)
{
	bool whole = true;
	if (content->comparison)
		return rs_comparison_write(
			format->write_comparison, content->comparison, options, stream);
	if (content->series)
		return rs_comparison_write(format->write_series, content->series, options, stream);
	for (size_t i = 0; i < content->n; i++) {
		const struct rs_summary *summary = &content->summaries[i];
		whole &= format->write ? rs_report_write(format->write, summary, options, stream)
				       : rs_write_run_as_series(format->write_series, wishes,
						 summary, options, stream);
		options->header = false;
	}
	return whole;
}

/* If the format is one document that people cannot read on the standard error, also make a table of
 * the same content. The standard error gets the table if the file cannot be written. If memory runs
 * out, make no table. */
static void render_table(struct rs_one_report *report, const struct rs_options *wishes,
	const struct content *content, const struct rs_report_options *options)
{
	const struct rs_report_format *format = report->wish->format;
	struct rs_report_options of_table = *options;
	size_t bytes;
	of_table.color = of_table.is_terminal = false;
	free(report->table);
	report->table = NULL;
	if (!report->output.path || !format->is_one_document || format->is_cumulative)
		return;
	FILE *stream = rs_text_stream_open(&report->table, &bytes);
	if (!stream)
		return;
	bool whole = write_content(
		rs_report_format_named("table"), wishes, content, &of_table, stream);
	if ((fclose(stream) != 0 || !whole) && report->table)
		report->table[0] = '\0';
}

/* Make the text of one report. */
static bool render(struct rs_one_report *report, const struct rs_options *wishes,
	const struct content *content, struct rs_err *err)
{
	if (report->wish->format->is_series)
		return true;
	if (content->series && !report->wish->format->write_series) {
		rs_err_set(err, "%s cannot show several runs", report->wish->format->name);
		return rs_err_add_line(err, "try: --format table, json or markdown");
	}
	if (content->series && content->series->n > 1 && report->wish->format->is_of_one_command) {
		rs_err_set(err, "%s shows one command, and there are runs of %zu",
			report->wish->format->name, content->series->n);
		return rs_err_add_line(err,
			"try: one FILE at a time, with the runs of one command of a comparison: "
			"jq -c 'select(.series.command == 1)' FILE");
	}
	if (report->wish->has_time && report->wish->format->is_log && report->output.fd < 0 &&
		!rs_output_init(&report->output, report->output.path, wishes->append, err))
		return false;
	/* check again, because another run may have created the file in the meantime */
	struct rs_append append = {RS_APPEND_NOTHING};
	if (report->csv_header && !report->wish->has_time) {
		rs_append_lock(&report->output);
		append = rs_append_look(&report->output, report->csv_header);
	}
	struct rs_report_options options = {
		.width = width_of(wishes, &report->output),
		.height = report->output.height,
		.is_terminal = report->output.is_terminal,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.color = wants_color(wishes, &report->output),
		.all = wishes->all,
		.view = wishes->view,
		.verbose = wishes->verbose,
		.separator = separator_of(wishes),
		.header = append.found != RS_APPEND_SAME_HEADER,
		.label = content->n > 1,
	};
	if (report->wish->format->is_markdown)
		options = rs_markdown_options(&options);
	free(report->text); /* the text of an earlier report of the same run */
	report->text = NULL;
	FILE *stream = rs_text_stream_open(&report->text, &report->bytes);
	if (!stream)
		return rs_err_set_errno(err, errno, "cannot make the report");
	if (append.is_line_open)
		putc('\n', stream);
	bool whole = write_content(report->wish->format, wishes, content, &options, stream);
	whole &= fclose(stream) == 0;
	render_table(report, wishes, content, &options);
	return whole ? true : rs_err_set(err, "cannot make the report: out of memory");
}

static unsigned part_of(const struct rs_one_report *report)
{
	return report->wish->format->is_cumulative ? RS_REPORTS_FOR_SERVICES
	       : report->wish->has_time		   ? RS_REPORTS_OF_PERIODS
						   : RS_REPORTS_OF_RUN;
}

static bool render_all(struct rs_reports *reports, unsigned part, const struct content *content,
	struct rs_err *err)
{
	for (size_t i = 0; i < reports->n; i++) {
		struct rs_one_report *report = &reports->items[i];
		if (!(part_of(report) & part))
			continue;
		if (!render(report, reports->options, content, err))
			return false;
		report->same = part;
	}
	return true;
}

bool rs_reports_render(struct rs_reports *reports, unsigned part,
	const struct rs_summary *summaries, size_t n, struct rs_err *err)
{
	return render_all(reports, part, &(struct content){.summaries = summaries, .n = n}, err);
}

bool rs_reports_render_runs(struct rs_reports *reports, const struct rs_comparison_report *report,
	bool is_compared, struct rs_err *err)
{
	struct content content = {
		.series = is_compared ? NULL : report, .comparison = is_compared ? report : NULL};
	return render_all(reports, RS_REPORTS_ALL, &content, err);
}

/* Write a report of a run that continues, without waiting for its reader. Ignore errors here: if
 * the output still cannot be written at the end of the run, that write prints the reason. */
static void write_in_background(struct rs_one_report *report)
{
	if (rs_background_is_busy(&report->so_far))
		return;
	rs_background_write(&report->so_far, report->output.fd, report->text, report->bytes);
	report->text = NULL;
}

/* Remove files of old periods, after the file of a new period was written. */
static void prune(const struct rs_one_report *report, size_t keep)
{
	struct rs_err why;
	char *time = rs_output_name("-o", "%t", report->begin_ms, &why);
	if (time)
		rs_prune(report->output.path, time, keep);
	free(time);
}

/* Return true if the standard error gets a table in place of the report, or the report itself is
 * for people. */
static bool is_for_people(const struct rs_one_report *report)
{
	return (report->table && report->table[0]) || report->wish->format->is_for_people;
}

/* Print a report that could not be written to its file to the standard error. If the standard error
 * already has a report for people, print no other. */
static void show_instead(const struct rs_reports *reports, const struct rs_one_report *report)
{
	bool is_table = report->table && report->table[0];
	for (size_t i = 0; is_for_people(report) && i < reports->n; i++) {
		const struct rs_one_report *other = &reports->items[i];
		bool is_shown = !other->output.path || (other < report && other->failed);
		if (is_shown && is_for_people(other) && part_of(other) & report->same)
			return;
	}
	fprintf(stderr, "regionstat: the report follows here%s\n", is_table ? " as a table" : "");
	fflush(stderr);
	rs_write_all(STDERR_FILENO, is_table ? report->table : report->text,
		is_table ? strlen(report->table) : report->bytes);
}

/* Write a part of the reports. so_far: write as rs_reports_write_so_far() does. */
static bool write_all(struct rs_reports *reports, unsigned part, bool so_far, struct rs_err *err)
{
	size_t n_written = 0;
	for (size_t i = 0; i < reports->n; i++) {
		struct rs_one_report *report = &reports->items[i];
		struct rs_err why = {{0}};
		bool is_of_run = part_of(report) == RS_REPORTS_OF_RUN;
		bool is_left =
			report->wish->format->is_series || !(part_of(report) & part) ||
			(so_far && is_of_run &&
				(report->output.path ? report->output.append : reports->n > 1));
		bool is_new = report->wish->has_time && !report->wish->format->is_log;
		bool is_in_background = so_far && !is_new && !report->output.is_ours;
		if (is_in_background && !is_left)
			write_in_background(report);
		if (is_in_background || is_left) {
			n_written++;
			continue;
		}
		rs_background_finish(&report->so_far);
		report->output.reopens = report->wish->format->is_cumulative;
		bool done = is_new ? rs_output_write_new(
					     report->output.path, report->text, report->bytes, &why)
				   : rs_output_write(
					     &report->output, report->text, report->bytes, &why);
		if (done && !report->written && report->wish->has_time &&
			reports->options->keep > 0)
			prune(report, reports->options->keep);
		bool is_told = so_far && report->failed &&
			       (!is_of_run || reports->options->rotate_ms > 0);
		report->failed = !done;
		report->written |= done;
		n_written += done;
		if (done && (is_new || !so_far) && report->output.path &&
			report->wish->format->write == rs_report_json)
			rs_warn_of_size(report->output.path, report->bytes, "CSV");
		if (done && report->wish->format->is_log)
			rs_output_append(&report->output);
		if (done || is_told)
			continue;
		rs_command_complain(&why);
		if (report->output.path && (!so_far || is_of_run))
			show_instead(reports, report);
	}
	if (n_written == reports->n)
		return true;
	if (so_far)
		return rs_err_set(err, "%s", "");
	if (n_written > 0)
		return rs_err_set(err, "%zu of %zu reports were not written",
			reports->n - n_written, reports->n);
	return rs_err_set(err, "no report was written");
}

bool rs_reports_write(struct rs_reports *reports, struct rs_err *err)
{
	return write_all(reports, RS_REPORTS_ALL, false, err);
}

bool rs_reports_write_so_far(struct rs_reports *reports, unsigned part, struct rs_err *err)
{
	return write_all(reports, part, true, err);
}

bool rs_reports_begin_period(struct rs_reports *reports, int64_t at_ms, struct rs_err *err)
{
	for (size_t i = 0; i < reports->n; i++) {
		struct rs_one_report *report = &reports->items[i];
		if (!report->wish->has_time)
			continue;
		char *path = rs_output_name("-o", report->wish->written, at_ms, err);
		if (!path)
			return false;
		rs_output_finish(&report->output, report->written);
		free(report->path);
		report->path = path;
		report->output.path = path;
		report->begin_ms = at_ms;
		report->written = false;
	}
	return true;
}

bool rs_reports_lack_messages(const struct rs_reports *reports)
{
	/* only the lines of the --fail-if rules are printed */
	if (reports->n == 0 && reports->options->quiet)
		return false;
	for (size_t i = 0; i < reports->n; i++) {
		const struct rs_one_report *report = &reports->items[i];
		bool is_on_stderr = !report->output.path;
		if (report->wish->format->is_for_people ||
			(is_on_stderr && report->wish->format->has_messages))
			return false;
	}
	return true;
}

bool rs_reports_are_in_files(const struct rs_reports *reports)
{
	for (size_t i = 0; i < reports->n; i++) {
		const struct rs_one_report *report = &reports->items[i];
		const char *path = report->output.path;
		if (!path || (report->wish->format->is_for_people && !strcmp(path, "-")))
			return false;
	}
	return true;
}

void rs_reports_finish(struct rs_reports *reports)
{
	for (size_t i = 0; i < reports->n; i++) {
		rs_background_finish(&reports->items[i].so_far);
		rs_output_finish(&reports->items[i].output, reports->items[i].written);
		free(reports->items[i].path);
		free(reports->items[i].csv_header);
		free(reports->items[i].text);
		free(reports->items[i].table);
	}
	free(reports->items);
	*reports = (struct rs_reports){0};
}
