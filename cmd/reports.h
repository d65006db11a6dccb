/* SPDX-License-Identifier: MIT */
/*
 * These functions make and write the reports of a command. Each report has a file and a format. The
 * files are opened before the run, and written after it.
 */
#ifndef RS_REPORTS_H
#define RS_REPORTS_H

#include "base/write.h"
#include "options.h"
#include "output.h"
#include "stats/summary.h"

struct rs_one_report {
	struct rs_output output; /* not open if each period has its own file */
	const struct rs_report_wish *wish; /* borrowed */
	char *path; /* path of the period's file; NULL: use wish->path; owned */
	int64_t begin_ms; /* the time in the path, if the name contains %t */
	char *csv_header; /* the header line; NULL if the format is not CSV */
	char *text; /* NULL until the report is made; owned */
	size_t bytes;
	/* The same report as a table, which the standard error gets if the file cannot be written.
	 * NULL: it gets the text. Owned. */
	char *table;
	/* bits of enum rs_reports_part: the parts that were made together with this report, from
	 * the same results */
	unsigned same;
	bool written; /* the output contains the report */
	/* the latest report could not be written, and regionstat has printed the reason */
	bool failed;
	struct rs_background so_far; /* writes the report of a run that continues, to a pipe */
};

struct rs_reports {
	const struct rs_options *options; /* borrowed */
	struct rs_one_report *items;
	size_t n;
};

/* Three parts of the reports, as bits: reports with a file for each period; reports for monitoring
 * systems, whose values cover the whole run; and all others. */
enum rs_reports_part {
	RS_REPORTS_OF_PERIODS = 1 << 0,
	RS_REPORTS_FOR_SERVICES = 1 << 1,
	RS_REPORTS_OF_RUN = 1 << 2,
	RS_REPORTS_ALL = RS_REPORTS_OF_PERIODS | RS_REPORTS_FOR_SERVICES | RS_REPORTS_OF_RUN,
};

/*
 * Open the outputs that the options name. options must outlive reports. Fill reports, also on
 * failure; rs_reports_finish() releases it. Return false and set err if a file cannot be written,
 * or if --append cannot add to it.
 */
bool rs_reports_init(
	struct rs_reports *reports, const struct rs_options *options, struct rs_err *err);

/* Make the text of a part of the reports (enum rs_reports_part) from n summaries, one after the
 * other. Return false and set err if memory runs out. */
bool rs_reports_render(struct rs_reports *reports, unsigned part,
	const struct rs_summary *summaries, size_t n, struct rs_err *err);

/* Make the reports of several runs, or of two sides if is_compared. Return false and set err as
 * rs_reports_render() does. */
bool rs_reports_render_runs(struct rs_reports *reports, const struct rs_comparison_report *report,
	bool is_compared, struct rs_err *err);

/* Write each report to its output, and then remove files of old periods (--keep). If a report
 * cannot be written, print the reason and the report to the standard error, and continue with the
 * next report. Return false and set err at the end. On the standard error, a table replaces a
 * format that is one document for programs. */
bool rs_reports_write(struct rs_reports *reports, struct rs_err *err);

/* Write a part of the reports of a run that continues; later reports replace them. Skip files to
 * which --append adds. Write the report for the standard error only if there is no other. Write to
 * pipes and terminals in the background, and skip an output whose previous report is not written
 * yet. If a report cannot be written, print the reason, and return false with an empty err. If
 * reports are written again and again, print the reason again only after that report was written.
 */
bool rs_reports_write_so_far(struct rs_reports *reports, unsigned part, struct rs_err *err);

/* Begin the next file of each report that has a file for each period. at_ms is the start of the
 * period. Return false and set err if memory runs out. */
bool rs_reports_begin_period(struct rs_reports *reports, int64_t at_ms, struct rs_err *err);

/* Return true if no report shows the messages of a summary to a person. */
bool rs_reports_lack_messages(const struct rs_reports *reports);

/* Return true if every report for people has a file, so that the user sees none of them at the end
 * of the run. A report on stderr counts as one for people. */
bool rs_reports_are_in_files(const struct rs_reports *reports);

/* Close the outputs and release memory. reports may be zeroed. */
void rs_reports_finish(struct rs_reports *reports);

#endif
