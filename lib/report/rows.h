/* SPDX-License-Identifier: MIT */
/*
 * A report as one flat table for programs: a row for each fact, always with the same fields. CSV
 * and JSON are this table, written in two ways.
 */
#ifndef RS_REPORT_ROWS_H
#define RS_REPORT_ROWS_H

#include "report/report.h"
#include "stats/statistic.h"

/* The statistics of stats/statistic.h stand behind these. */
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
	const struct rs_value *value; /* that the statistics are of; NULL: none */
};

/* The name of a field; NULL: rows do not have it. Static storage. */
const char *rs_row_word(size_t field);

/* The receiver of the rows. */
struct rs_row_sink {
	/* row: borrowed for the call. */
	void (*take)(struct rs_row_sink *sink, const struct rs_row *row);
};

/* Give all rows of a summary to sink: the run, then the regions, each with its events, metrics and
 * diagnostics. */
void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink);

#endif
