/* SPDX-License-Identifier: MIT */
/*
 * Formats of a finished summary, one file a format behind one interface. A report computes nothing
 * and never fails half-way in silence: each returns false where memory was refused, and the caller
 * checks ferror() and fflush() of its stream.
 */
#ifndef RS_REPORT_REPORT_H
#define RS_REPORT_REPORT_H

#include <stdio.h>

#include "report/view.h"
#include "stats/summary.h"

struct rs_report_options {
	int width; /* columns of the terminal; 0: not a terminal, nothing is cut off */
	int height; /* lines of the terminal, to which the tree of regions folds; 0: it does not */
	bool is_terminal; /* what it could obey is escaped, in formats that hold any bytes, too */
	bool utf8; /* characters beyond ASCII may be drawn with */
	bool color; /* use SGR sequences */
	bool all; /* every region in detail */
	struct rs_view view; /* which regions, and what of them */
	bool verbose; /* also what only a curious reader wants: slowest call, unit help */
	const char *separator; /* of CSV: one or more characters, no quote or newline */
	bool header; /* write the CSV header line */
	bool label; /* write the run's label above it: it is one of several */
};

/* Write the table of the run and of every region to stream. */
bool rs_report_table(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one CSV row a run event, region event, metric and diagnostic to stream, below the header
 * where options say so. */
bool rs_report_csv(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write one JSON document with the same rows, the messages, and the run as its record has it, from
 * which rs_run_load() makes it again. False: no memory, and what was written is of no use. */
bool rs_report_json(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write what the table shows as Markdown (CommonMark, and GitHub's tables). */
bool rs_report_markdown(
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

/* Write the header of CSV alone, a line. separator: as in rs_report_options. */
void rs_report_csv_header(const char *separator, FILE *stream);

#endif
