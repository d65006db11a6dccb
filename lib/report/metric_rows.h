/* SPDX-License-Identifier: MIT */
/*
 * Metrics that were asked for, in rows of their own below the events that they are made from.
 */
#ifndef RS_REPORT_METRIC_ROWS_H
#define RS_REPORT_METRIC_ROWS_H

#include <stdio.h>

#include "report/format.h"
#include "report/report.h"

/* Whether a metric has a row of its own. */
bool rs_metric_has_row(const struct rs_metric *metric);

/* Its value in three digits with its unit, "-" where it has none. cell: filled. */
void rs_metric_cell(struct rs_cell_text *cell, const struct rs_metric *metric);

/* The width of the widest name of such rows; 0: there are none. */
size_t rs_metric_rows_width(const struct rs_summary *summary);

/* The rows of a region: names behind indent columns, numbers up to the column end. */
void rs_metric_rows_of_region(const struct rs_summary_region *region, size_t indent, size_t end,
	const struct rs_report_options *options, FILE *stream);

/* The rows of the run: numbers up to the column end, then units in n_unit columns, then names.
 * Returns whether there are any. */
bool rs_metric_rows_of_run(const struct rs_summary *summary, size_t end, size_t n_unit,
	const struct rs_report_options *options, FILE *stream);

#endif
