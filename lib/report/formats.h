/* SPDX-License-Identifier: MIT */
/*
 * This is the table of report formats. The user selects a format by its name in --format, or by the
 * ending of a file name.
 */
#ifndef RS_REPORT_FORMATS_H
#define RS_REPORT_FORMATS_H

#include "report/comparison.h"
#include "report/rows.h"
#include "report/report.h"

struct rs_report_format {
	const char *name; /* name in --format */
	const char *endings[3]; /* endings of file names, such as ".csv"; the list ends with NULL */
	bool is_for_people; /* the report adapts to the width and colours of a terminal */
	bool has_messages; /* the report contains warnings and notes */
	bool is_one_document; /* a file holds one report only, so nothing can be appended */
	/* NULL: the format has no such report */
	rs_write_report *write;
	rs_write_comparison *write_series;
	rs_write_comparison *write_comparison;
	rs_write_report *write_interval;
	bool is_markdown; /* the functions above get rs_markdown_options() */
	/* for monitoring of services: values are totals since the start of the run; regionstat
	 * writes the report again at each interval */
	bool is_cumulative;
	bool is_log; /* if is_cumulative is true too: append each report to the file */
	/* a file can hold several runs of a series; regionstat writes each one when it ends */
	bool is_series;
	/* the report can show only one command, because it does not say which command a region
	 * belongs to */
	bool is_of_one_command;
};

/* Return the format with this name, or NULL. All formats are in static storage. */
const struct rs_report_format *rs_report_format_named(const char *name);

/* Return the format that the ending of the file name path selects, in upper or lower case, or
 * NULL. */
const struct rs_report_format *rs_report_format_of_file(const char *path);

/* Return an array of all formats. Set n to how many there are. */
const struct rs_report_format *rs_report_formats(size_t *n);

#endif
