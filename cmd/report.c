/* SPDX-License-Identifier: MIT */
/*
 * This file implements `regionstat report`. It reads saved runs (JSON documents). It writes the
 * reports that `regionstat run` with the same options would have written at the end of each run. In
 * each output, the reports follow each other.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_plan.h"
#include "command.h"
#include "live/find.h"
#include "live/watch.h"
#include "options.h"
#include "runs.h"
#include "reports.h"
#include "show.h"

/* The run of a FILE, which is zeroed until it is read. */
struct one {
	struct rs_run run;
	/* the data of a run that has not ended; FILE is its segment */
	struct rs_live_command command;
	struct rs_watch watch;
};

/* The runs to show, one for each FILE. */
struct shown {
	const struct rs_options *options;
	struct rs_reports reports;
	struct one *runs;
	struct rs_summary *summaries;
	size_t n;
};

static int refuse(const struct rs_err *err)
{
	return rs_command_fail("shown", err);
}

/* Return false and set err if there are several runs and one of the formats can contain only
 * one. */
static bool check_documents(const struct rs_options *options, size_t n, struct rs_err *err)
{
	for (size_t i = 0; n > 1 && i < options->n_reports; i++) {
		if (!options->reports[i].format->is_one_document)
			continue;
		rs_err_set(err, "a file of format %s can hold only one of the %zu runs",
			options->reports[i].format->name, n);
		return rs_err_add_line(err, "try: one FILE at a time");
	}
	return true;
}

/* Read a saved run, or a segment as it is now. */
static bool read_run(struct one *one, const char *path, struct rs_err *err)
{
	int fd = rs_live_open_file(path);
	if (fd < 0)
		return rs_read_run(&one->run, path, err);
	rs_live_find_command(&one->command, fd);
	bool done = rs_watch_init(&one->watch, fd, one->command.words, err) &&
		    rs_watch_look(&one->watch, NULL, err);
	if (done)
		rs_watch_take_run(&one->watch, &one->run);
	close(fd);
	return done;
}

static bool load_all(struct shown *shown, struct rs_err *err)
{
	const struct rs_options *options = shown->options;
	const struct rs_summary_options how = rs_options_of_summary(options);
	size_t n = 0;
	while (options->words[n])
		n++;
	if (!check_documents(options, n, err))
		return false;
	shown->runs = calloc(n, sizeof(*shown->runs));
	shown->summaries = calloc(n, sizeof(*shown->summaries));
	if (!shown->runs || !shown->summaries)
		return rs_err_set(err, "cannot read the runs: out of memory");
	shown->n = n;
	for (size_t i = 0; i < n; i++) {
		struct rs_run *run = &shown->runs[i].run;
		if (!read_run(&shown->runs[i], options->words[i], err) ||
			!rs_check_view(options, run->plan, err) ||
			!rs_summary_init(&shown->summaries[i], &how, run, err))
			return false;
	}
	return rs_check_regions(options, shown->summaries, n, err);
}

static void shown_finish(struct shown *shown)
{
	for (size_t i = 0; i < shown->n; i++) {
		rs_summary_finish(&shown->summaries[i]);
		rs_run_finish(&shown->runs[i].run);
		rs_watch_finish(&shown->runs[i].watch);
	}
	free(shown->summaries);
	free(shown->runs);
	rs_reports_finish(&shown->reports);
}

/* Load the runs and write the reports. Return the exit status. */
static int show(struct shown *shown)
{
	struct rs_reports *reports = &shown->reports;
	struct rs_err err;
	if (!load_all(shown, &err) || !rs_reports_init(reports, shown->options, &err) ||
		!rs_reports_render(reports, RS_REPORTS_ALL, shown->summaries, shown->n, &err))
		return refuse(&err);
	int status = rs_show_runs(reports, shown->summaries, shown->n);
	for (size_t i = 0; status == 0 && i < shown->n; i++)
		status = rs_judge_run(shown->options, &shown->summaries[i]);
	return status;
}

/* ---- several runs ---- */

static bool is_series_file(const char *path)
{
	const struct rs_report_format *format = rs_report_format_of_file(path);
	return format && format->is_series;
}

/* Return true if one of the FILEs is a series. Also return true if there are several FILEs, and a
 * format shows a single run as a series of one run. */
static bool has_series(const struct rs_options *options)
{
	bool has = rs_options_have_series(options), shows_series = false;
	for (size_t i = 0; i < options->n_reports; i++)
		shows_series |= !options->reports[i].format->write;
	for (size_t i = 0; options->words[i]; i++)
		has |= is_series_file(options->words[i]) || (i > 0 && shows_series);
	return has;
}

/* Show the runs of the FILEs as series. Return the exit status. */
static int show_series(struct shown *shown)
{
	struct rs_saved_sides sides = {.n = 0};
	struct rs_err err;
	bool done = rs_options_check_series(shown->options, &err) &&
		    rs_saved_sides_read(&sides, shown->options->words, &err) &&
		    rs_check_regions_of_sides(shown->options, sides.sides, sides.n, &err) &&
		    rs_reports_init(&shown->reports, shown->options, &err);
	int status = done ? rs_show_series(&shown->reports, sides.sides, sides.n) : refuse(&err);
	rs_saved_sides_finish(&sides);
	return status;
}

int rs_command_report(struct rs_options *options)
{
	struct shown shown = {.options = options};
	struct rs_err err;
	int status;
	if (!options->words[0]) {
		rs_err_set(&err, "report: there is no FILE to show");
		rs_err_add_line(
			&err, "try: regionstat report FILE, with one that -o FILE.json wrote");
		return refuse(&err);
	}
	status = has_series(options) ? show_series(&shown) : show(&shown);
	shown_finish(&shown);
	return status;
}
