/* SPDX-License-Identifier: MIT */
/*
 * Each report format has a function that writes a finished summary. The caller must also check
 * ferror() and fflush() of the stream.
 */
#ifndef RS_REPORT_REPORT_H
#define RS_REPORT_REPORT_H

#include <stdio.h>

#include "report/view.h"
#include "stats/interval.h"
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
	const struct rs_interval *interval; /* write only this interval; NULL: the whole run */
	bool label; /* write the run's label above the report, because there are several runs */
};

/* Type of the functions that write a report of one run. They run within rs_arena_guard() and jump
 * out of it if memory runs out. */
typedef void rs_write_report(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

/* Call `write` with a new arena. Return false if memory runs out; then the report is incomplete. */
bool rs_report_write(rs_write_report *write, const struct rs_summary *summary,
	const struct rs_report_options *options, FILE *stream);

/* These functions write reports for people. The table is text for a terminal, or Markdown
 * (CommonMark with GitHub's tables) if the options say so. HTML is one page that refers to no other
 * file. It also draws the distribution of each region and how threads share the region. */
rs_write_report rs_report_table, rs_report_html;

/* These functions write the rows that rows.h describes. CSV has a line for each value, metric,
 * diagnostic or other fact. JSON is one document that also contains the messages, and the run
 * itself for rs_run_load(). */
rs_write_report rs_report_csv, rs_report_json;

/* These functions write formats of other tools. options->view has no effect on them. ndjson has a
 * line for the run, for each event of each region on each thread, and for each bucket of the
 * event's histogram. Caliper's .cali has the calls of each region, and the self and inclusive value
 * of each event. Prometheus' text format 0.0.4 and a line of OTLP's JSON have the totals since the
 * start of the run. In the last two, calls and times of each region are counters, and each event is
 * a histogram. */
rs_write_report rs_report_ndjson, rs_report_cali, rs_report_prometheus, rs_report_otlp;

/* Write collapsed stacks: a line "a;b;c VALUE" for each region, with the region's path in the tree
 * and the self value of the event options->view.by. Asynchronous regions have no self value and no
 * line. */
rs_write_report rs_report_folded;

/* Return a copy of options for a Markdown page, without width, height and colours. */
struct rs_report_options rs_markdown_options(const struct rs_report_options *options);

/* Write the header line of CSV. separator: see struct rs_report_options. */
void rs_report_csv_header(const char *separator, FILE *stream);

#endif
