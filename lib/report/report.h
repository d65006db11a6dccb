/* SPDX-License-Identifier: MIT */
/*
 * Each report format has a function that writes a finished summary. All of them have the same
 * parameters. They return false if memory runs out. The caller must also check ferror() and
 * fflush() of the stream.
 */
#ifndef RS_REPORT_REPORT_H
#define RS_REPORT_REPORT_H

#include <stdio.h>

#include "report/view.h"
#include "stats/summary.h"

struct rs_report_options {
	int width; /* columns of the terminal; 0: no terminal, so text is not shortened */
	/* lines of the terminal: regions are folded until the tree fits; 0: do not fold */
	int height;
	bool is_terminal; /* escape control characters in all formats */
	bool markdown; /* write the report for people as Markdown and not as lines for a terminal */
	bool utf8; /* drawings may contain non-ASCII characters */
	bool color; /* use SGR sequences */
	bool all; /* show every region in detail */
	struct rs_view view; /* which regions to show, and which values of these regions */
	bool verbose; /* also show details such as the slowest call and the meaning of events */
	const char *separator; /* in CSV: one or more characters, without quotes and newlines */
	bool header; /* write the CSV header line */
	bool label; /* write the run's label above the report, because there are several runs */
};

/* Write the table report of the run and its regions. */
bool rs_report_table(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the rows that rows.h describes as CSV: one line for each value, metric, diagnostic or other
 * fact. If options->header is set, write the header line first. */
bool rs_report_csv(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one JSON document. It contains the same rows as CSV, the messages, and the run itself for
 * rs_run_load(). If the function returns false, the document is incomplete. */
bool rs_report_json(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the content of the table report as Markdown (CommonMark with GitHub's tables). */
bool rs_report_markdown(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one HTML page that refers to no other file. It has the content of the table report. It also
 * draws the distribution of each region and how threads share the region. */
bool rs_report_html(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the results of the run as newline-delimited JSON. Write a line for the run, for each event
 * of each region on each thread, and for each bucket of the event's histogram. options->view has no
 * effect. Return false if memory runs out. */
bool rs_report_ndjson(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the regions of all processes and threads in Caliper's .cali format. Each region has its
 * calls, and the self and inclusive value of each event. options->view has no effect. Return false
 * if memory runs out. */
bool rs_report_cali(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write collapsed stacks: a line "a;b;c VALUE" for each region. It holds the region's path in the
 * tree and the self value of the event options->view.by. Omit asynchronous regions, which have no
 * self value. Other members of options->view have no effect. Always return true. */
bool rs_report_folded(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the totals since the start of the run in Prometheus' text format 0.0.4. Calls and times of
 * each region are counters; each event is a histogram. options->view has no effect. Return false if
 * memory runs out. */
bool rs_report_prometheus(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the same metrics as rs_report_prometheus() in one line of OTLP's JSON, for OpenTelemetry's
 * file receiver. */
bool rs_report_otlp(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the header line of CSV. separator: see struct rs_report_options. */
void rs_report_csv_header(const char *separator, FILE *stream);

#endif
