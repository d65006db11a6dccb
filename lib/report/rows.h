/* SPDX-License-Identifier: MIT */
/*
 * The flat table for programs: one row for each fact, all with the same fields. CSV and JSON are
 * two ways to write this table.
 */
#ifndef RS_REPORT_ROWS_H
#define RS_REPORT_ROWS_H

#include "report/report.h"
#include "stats/statistic.h"

/* Fields before the statistics, which follow in the order of stats/statistic.h. */
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
	const struct rs_value *value; /* value that the statistics describe, or NULL */
};

/* Return the name of a field, or NULL if rows do not have it. The name is in static storage. */
const char *rs_row_word(size_t field);

/* Receiver of the rows. */
struct rs_row_sink {
	/* Take one row. The row is borrowed until the function returns. */
	void (*take)(struct rs_row_sink *sink, const struct rs_row *row);
};

/* Give all rows of a summary to sink: those of the run, then of each region with its events,
 * metrics and diagnostics. */
void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink);

#endif
