/* SPDX-License-Identifier: MIT */
/*
 * The flat table is the report for programs. It has one row for each value or other fact, and all
 * rows have the same fields. CSV and JSON write this table in two formats.
 */
#ifndef RS_REPORT_ROWS_H
#define RS_REPORT_ROWS_H

#include "report/report.h"
#include "stats/statistic.h"

/* Fields of a row. After these, the statistics follow in the order of stats/statistic.h. */
enum rs_row_field {
	RS_ROW_RUN,
	RS_ROW_KIND,
	RS_ROW_REGION,
	RS_ROW_PARENT,
	RS_ROW_PROCESS,
	RS_ROW_THREAD,
	RS_ROW_EVENT,
	RS_ROW_UNIT,
	RS_ROW_STATUS,
	RS_ROW_VALUE,
	RS_ROW_STATISTICS,
};
#define RS_ROW_FIELDS (RS_ROW_STATISTICS + RS_STATISTIC_ON_CPU)

struct rs_row {
	struct rs_field fields[RS_ROW_FIELDS];
	const struct rs_value *value; /* the value from which the statistics come, or NULL */
};

/* Return the name of a field. The name is in static storage. */
const char *rs_row_word(size_t field);

/* Type of the functions that receive one row, which is valid until they return. */
typedef void rs_take_row(void *context, const struct rs_row *row);

/* Call `take` for all rows of a summary: first the rows of the run, then the events, metrics and
 * diagnostics of each region. For an interval, these are rows of the whole run, and of each region
 * whose values changed in the interval. */
void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, rs_take_row *take, void *context);

/* ---- intervals of a run (interval.c) ---- */

/* The first column is the end of the interval in seconds after the program's start, as in perf stat
 * -I. The formats are lines for people, CSV, and JSON with one object on each line. */

/* Write the interval options->interval. rs_report_csv() can do so too. If options->header is true,
 * the names of the columns come first. */
rs_write_report rs_interval_table, rs_interval_json;

/* Return the end of an interval in seconds, with nine decimals, as text in arena. */
const char *rs_interval_time(const struct rs_interval *interval, struct rs_arena *arena);

#endif
