/* SPDX-License-Identifier: MIT */
/*
 * These functions write an interval of a run as lines for people, as CSV, or as JSON with one
 * object on each line. The first column is the end of the interval in seconds after the program's
 * start, as in perf stat -I.
 */
#ifndef RS_REPORT_INTERVAL_H
#define RS_REPORT_INTERVAL_H

#include "report/report.h"
#include "report/rows.h"
#include "stats/interval.h"

/* Type of the functions that write an interval. With options->header, they write the names of the
 * columns first. They return false if memory runs out. */
typedef bool rs_write_interval(
	const struct rs_interval *interval, const struct rs_report_options *options, FILE *stream);
rs_write_interval rs_interval_table, rs_interval_csv, rs_interval_json;

/* The end of an interval in seconds, with nine decimals. */
struct rs_interval_time {
	char text[32];
};
struct rs_interval_time rs_interval_time(const struct rs_interval *interval);

/* Give the rows of an interval to sink: rows of the whole run, and of each region whose values
 * changed in the interval. */
void rs_rows_give_interval(const struct rs_interval *interval,
	const struct rs_report_options *options, struct rs_row_sink *sink);

#endif
