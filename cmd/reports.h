/* SPDX-License-Identifier: MIT */
/*
 * The reports of a command, each in its file and format: opened before there is anything to report,
 * written when there is.
 */
#ifndef RS_REPORTS_H
#define RS_REPORTS_H

#include "options.h"
#include "output.h"
#include "stats/summary.h"

struct rs_one_report {
	struct rs_output output;
	const struct rs_report_format *format;
	char *csv_header; /* a line; NULL: it is no CSV */
	char *text; /* NULL: it was not made yet; owned */
	size_t bytes;
	bool written; /* it stands in the output */
};

struct rs_reports {
	const struct rs_options *options; /* borrowed */
	struct rs_one_report *items;
	size_t n;
};

/*
 * Open the outputs that options wish for. options: borrowed, must outlive reports.
 * reports: filled, also on failure; release with rs_reports_finish().
 * False, with err filled: a file cannot be written, or holds what cannot be added to.
 */
bool rs_reports_init(
	struct rs_reports *reports, const struct rs_options *options, struct rs_err *err);

/* Make every report of summaries[n], one behind the other. False, with err filled: no memory. */
bool rs_reports_render(struct rs_reports *reports, const struct rs_summary *summaries, size_t n,
	struct rs_err *err);

/* The same of several runs, and of two sides. */
bool rs_reports_render_series(
	struct rs_reports *reports, const struct rs_series_report *report, struct rs_err *err);
bool rs_reports_render_comparison(
	struct rs_reports *reports, const struct rs_comparison_report *report, struct rs_err *err);

/* Write them, each to its place, or, where that fails, to the standard error, with the reason. False,
 * with err filled: at least one could not be written. */
bool rs_reports_write(struct rs_reports *reports, struct rs_err *err);

/* Whether the messages of a summary are in none of them that a person will look at. */
bool rs_reports_lack_messages(const struct rs_reports *reports);

/* Whether a person sees none of them at the end of the run: each has a file. */
bool rs_reports_are_in_files(const struct rs_reports *reports);

/* Close and release. reports: filled, or zeroed. */
void rs_reports_finish(struct rs_reports *reports);

#endif
