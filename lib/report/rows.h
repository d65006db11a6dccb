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
#define RS_ROW_FIELDS (RS_ROW_STATISTICS + RS_STATISTIC_N)

struct rs_row {
	struct rs_field fields[RS_ROW_FIELDS];
	const struct rs_value *value; /* the value from which the statistics come, or NULL */
};

/* Return the name of a field, or NULL if rows have no such field. The name is in static storage. */
const char *rs_row_word(size_t field);

/* A receiver of rows. */
struct rs_row_sink {
	/* Receive one row, which is valid until the function returns. */
	void (*take)(struct rs_row_sink *sink, const struct rs_row *row);
};

/* Give all rows of a summary to sink: first the rows of the run, then the events, metrics and
 * diagnostics of each region. */
void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink);

#endif
