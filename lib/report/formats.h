/* SPDX-License-Identifier: MIT */
/*
 * The formats that there are, each by its name and by how the names of its files end.
 */
#ifndef RS_REPORT_FORMATS_H
#define RS_REPORT_FORMATS_H

#include "report/comparison.h"
#include "report/report.h"

struct rs_report_format {
	const char *name; /* as --format takes it */
	const char *const *endings; /* ".csv"; ends with NULL */
	bool is_for_people; /* it has a width and colours */
	bool has_messages; /* warnings and notes are part of it */
	bool is_one_document; /* a file holds one report and no more */
	/* As rs_report_table(). NULL, as the next two: it has no such report. */
	bool (*write)(const struct rs_summary *summary, const struct rs_report_options *options,
		FILE *stream);
	rs_write_series *write_series;
	rs_write_comparison *write_comparison;
	bool is_series; /* it holds the runs themselves, each written when it ends */
};

/* The one of that name; NULL: there is none. Static storage, as all of these. */
const struct rs_report_format *rs_report_format_named(const char *name);

/* The one whose files' names end as path does, in either case; NULL: none. */
const struct rs_report_format *rs_report_format_of_file(const char *path);

/* All of them. n: filled. */
const struct rs_report_format *rs_report_formats(size_t *n);

#endif
