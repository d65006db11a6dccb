/* SPDX-License-Identifier: MIT */
/*
 * The report formats: each has a name for --format and the file name endings that select it.
 */
#ifndef RS_REPORT_FORMATS_H
#define RS_REPORT_FORMATS_H

#include "report/comparison.h"
#include "report/report.h"

struct rs_report_format {
	const char *name; /* name in --format */
	const char *endings[3]; /* of file names, such as ".csv"; the list ends with NULL */
	bool is_for_people; /* has a width and colours */
	bool has_messages; /* contains warnings and notes */
	bool is_one_document; /* a file holds one report only, so nothing can be appended */
	/* Write a report, as rs_report_table() does. This and the next two are NULL if the format
	 * has no such report. */
	bool (*write)(const struct rs_summary *summary, const struct rs_report_options *options,
		FILE *stream);
	rs_write_comparison *write_series;
	rs_write_comparison *write_comparison;
	/* for services: numbers from the start of the run on, which never become smaller; written
	 * anew at each interval */
	bool is_cumulative;
	bool is_log; /* and appended then */
	/* a file holds the runs of a series, each of which is written when it ends */
	bool is_series;
};

/* Return the format with this name, or NULL. All formats are in static storage. */
const struct rs_report_format *rs_report_format_named(const char *name);

/* Return the format whose file name ending path has, in upper or lower case, or NULL. */
const struct rs_report_format *rs_report_format_of_file(const char *path);

/* Return all formats, and set n to their number. */
const struct rs_report_format *rs_report_formats(size_t *n);

#endif
