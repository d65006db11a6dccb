/* SPDX-License-Identifier: MIT */
/*
 * This file writes the rows of -I. Each tick takes a snapshot of the run, subtracts the values of
 * earlier intervals, and writes the difference. The program does no work for this.
 */
#include "one_run.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/path.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "base/write.h"
#include "command.h"
#include "output.h"

/* A table repeats its header after this many intervals, as perf stat -I does. */
#define HEADER_INTERVALS 25u
/* Snapshots use at most a tenth of one CPU's time, even with many regions and threads. */
#define SNAPSHOT_TIME_PART 10

/* Return the function that writes the rows. The ending of the file name chooses the function. If
 * the ending chooses none, -j, --html, -x or --format chooses one. */
static rs_write_report *choose_writer(const struct rs_options *options)
{
	const char *path = options->interval_output;
	const struct rs_report_format *format = path ? rs_report_format_of_file(path) : NULL;
	if (format && format->write_interval)
		return format->write_interval;
	format = options->usual_format;
	if (format)
		return format->write_interval ? format->write_interval : rs_interval_table;
	return options->separator ? rs_report_csv : rs_interval_table;
}

bool rs_command_intervals_init(
	struct rs_command_intervals *intervals, struct rs_one_run *run, struct rs_err *err)
{
	const struct rs_options *options = run->options;
	const char *path = options->interval_output;
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options->append ? O_APPEND : O_TRUNC);
	*intervals = (struct rs_command_intervals){
		.run = run, .fd = -1, .write = choose_writer(options)};
	if (options->interval_ms == 0)
		return true;
	intervals->fd = !path			 ? STDERR_FILENO
			: strcmp(path, "-") == 0 ? STDOUT_FILENO
						 : open(path, flags, 0666);
	return intervals->fd >= 0 ||
	       rs_err_set_unwritable(err, errno, "intervals ", path, "--interval-output");
}

static void stop(struct rs_command_intervals *intervals)
{
	rs_background_finish(&intervals->background);
	if (intervals->fd > STDERR_FILENO)
		close(intervals->fd);
	intervals->fd = -1;
}

/* Print why there are no more rows, and stop writing rows. */
static void fail(struct rs_command_intervals *intervals, int number)
{
	struct rs_err err;
	const char *path = intervals->run->options->interval_output;
	rs_err_set_errno(&err, number, "cannot write intervals to '%s'",
		path ? rs_text_shown(path).text : "/dev/stderr");
	rs_err_add_line(&err, "the run goes on without them");
	rs_command_complain(&err);
	stop(intervals);
}

/* Write the interval that ends with this summary, in the background. Return 0 or an errno value. */
static int write_interval(
	struct rs_command_intervals *intervals, const struct rs_summary *summary, bool is_last)
{
	const struct rs_options *wishes = intervals->run->options;
	struct rs_interval interval;
	struct rs_report_options options = {
		.interval = &interval,
		.width = rs_output_columns(intervals->fd),
		.is_terminal = isatty(intervals->fd),
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.view = wishes->view,
		.verbose = wishes->verbose,
		.separator = wishes->separator,
		.header = intervals->write == rs_interval_table
				  ? intervals->n_written % HEADER_INTERVALS == 0
				  : intervals->n_written == 0,
	};
	char *text = NULL;
	size_t bytes = 0;
	if (!rs_interval_make(&interval, &intervals->sum, summary, is_last))
		return ENOMEM;
	FILE *stream = rs_text_stream_open(&text, &bytes);
	bool done = stream && rs_report_write(intervals->write, summary, &options, stream);
	done = stream && fclose(stream) == 0 && done;
	rs_interval_finish(&interval);
	intervals->n_written++;
	if (done)
		return rs_background_write(&intervals->background, intervals->fd, text, bytes);
	free(text);
	return ENOMEM;
}

void rs_command_intervals_tick(void *context, const struct rs_so_far *so_far)
{
	struct rs_command_intervals *intervals = context;
	int64_t begin_ns = rs_now_ns(CLOCK_MONOTONIC), cpu_ns = rs_now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (intervals->fd < 0 || intervals->is_complete || begin_ns < intervals->next_ns ||
		rs_background_is_busy(&intervals->background))
		return;
	const struct rs_snapshot *snapshot = rs_snapshot_next(intervals->run, so_far, false);
	int number = snapshot ? write_interval(intervals, &snapshot->summary, false) : ENOMEM;
	if (number != 0) {
		fail(intervals, number);
		return;
	}
	intervals->is_complete = intervals->n_written == intervals->run->options->interval_count ||
				 !snapshot->run.is_measured;
	cpu_ns = rs_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	intervals->next_ns = begin_ns + SNAPSHOT_TIME_PART * cpu_ns;
}

void rs_command_intervals_end(
	struct rs_command_intervals *intervals, const struct rs_summary *summary)
{
	if (intervals->fd < 0)
		return;
	int number = intervals->is_complete ? 0 : write_interval(intervals, summary, true);
	int of_write = rs_background_finish(&intervals->background);
	number = number != 0 ? number : of_write;
	/* separate the rows from the report, which follows them */
	if (number == 0 && !intervals->is_complete && intervals->fd == STDERR_FILENO &&
		intervals->run->reports.n > 0 && intervals->write == rs_interval_table)
		rs_write_all(STDERR_FILENO, "\n", 1);
	if (number != 0)
		fail(intervals, number);
}

void rs_command_intervals_finish(struct rs_command_intervals *intervals)
{
	stop(intervals);
	rs_intervals_finish(&intervals->sum);
}
