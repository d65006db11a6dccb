/* SPDX-License-Identifier: MIT */
/*
 * Writers of a finished summary: one file and one function for each format, with the same
 * parameters. Writers compute nothing. They return false if memory runs out; the caller must also
 * check ferror() and fflush() of the stream.
 */
#ifndef RS_REPORT_REPORT_H
#define RS_REPORT_REPORT_H

#include <stdio.h>

#include "report/view.h"
#include "stats/summary.h"

struct rs_report_options {
	int width; /* columns of the terminal; 0: not a terminal, so text is not shortened */
	/* lines of the terminal, into which the tree of regions is folded; 0: do not fold */
	int height;
	bool is_terminal; /* escape control characters in all formats */
	bool markdown; /* for people, in Markdown instead of lines for a terminal */
	bool utf8; /* non-ASCII characters may be used to draw */
	bool color; /* use SGR sequences */
	bool all; /* show every region in detail */
	struct rs_view view; /* which regions to show, and which of their values */
	bool verbose; /* also show details such as the slowest call and the help of units */
	const char *separator; /* of CSV: one or more characters, without quotes and newlines */
	bool header; /* write the CSV header line */
	bool label; /* write the run's label above the report, since there are several runs */
};

/* Write the table report of the run and its regions. */
bool rs_report_table(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the rows of rows.h as CSV: one line for each value, metric, diagnostic or other fact. If
 * options->header is set, write the header line first. */
bool rs_report_csv(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one JSON document with the same rows, the messages and the run itself, which rs_run_load()
 * can read. If the function returns false, the document is incomplete. */
bool rs_report_json(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the content of the table report as Markdown (CommonMark with GitHub's tables). */
bool rs_report_markdown(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one HTML page, for a browser, that refers to no other file. It has the content of the table
 * report, and for each region drawings of its distribution and of how threads share it. */
bool rs_report_html(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the results of the run as newline-delimited JSON. There is a line for the run, for each event
 * of each region on each thread, and for each bucket of its histogram. Views have no effect.
 * Return false if memory runs out. */
bool rs_report_ndjson(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the regions of all processes and threads in Caliper's .cali format, with calls, and with self
 * and inclusive values of each event. Views have no effect. Return false if memory runs out. */
bool rs_report_cali(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write collapsed stacks: a line "a;b;c VALUE" for each region, with its path in the tree and its self
 * value of the event of the view. Asynchronous regions have no self value and no line. Other options
 * of the view have no effect. Always return true. */
bool rs_report_folded(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the run so far in Prometheus' text format 0.0.4: calls and times of each region as counters,
 * and a histogram of each event. Views have no effect. Return false if memory runs out. */
bool rs_report_prometheus(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the same numbers as a line of OTLP's JSON, for OpenTelemetry's file receiver. */
bool rs_report_otlp(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the header line of CSV. separator: see struct rs_report_options. */
void rs_report_csv_header(const char *separator, FILE *stream);

#endif
