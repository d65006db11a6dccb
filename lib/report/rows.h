/* SPDX-License-Identifier: MIT */
/*
 * A report as one flat table for programs: a row for each fact, always with the same fields. CSV
 * and JSON are this table, written in two ways.
 */
#ifndef RS_REPORT_ROWS_H
#define RS_REPORT_ROWS_H

#include "report/report.h"
#include "report/statistic.h"

enum rs_field {
	RS_FIELD_RUN,
	RS_FIELD_KIND,
	RS_FIELD_REGION,
	RS_FIELD_PARENT,
	RS_FIELD_PROCESS,
	RS_FIELD_THREAD,
	RS_FIELD_EVENT,
	RS_FIELD_UNIT,
	RS_FIELD_STATUS,
	RS_FIELD_VALUE,
	RS_FIELD_ERROR,
	RS_FIELD_CALLS,
	RS_FIELD_COUNTED,
	RS_FIELD_THREADS,
	RS_FIELD_TOTAL,
	RS_FIELD_SELF_TOTAL,
	RS_FIELD_AVG,
	RS_FIELD_MIN,
	RS_FIELD_P50,
	RS_FIELD_P90,
	RS_FIELD_P99,
	RS_FIELD_MAX,
	RS_FIELD_STDDEV,
	RS_FIELD_RUNNING,
	RS_FIELD_N,
};

/* What a field is called; static storage. */
const char *rs_field_word(enum rs_field field);

/* A row: each field is a text, a number, or neither. */
struct rs_row {
	const char *texts[RS_FIELD_N]; /* any bytes; NULL: see numbers */
	struct rs_number numbers[RS_FIELD_N];
	const struct rs_value *value; /* that statistics are of; NULL: none */
};

/* Who takes the rows. */
struct rs_row_sink {
	/* row: borrowed for the call. */
	void (*take)(struct rs_row_sink *sink, const struct rs_row *row);
};

/* Give all rows of a summary to sink: the run, then the regions, each with its events, metrics and
 * diagnostics. */
void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink);

#endif
