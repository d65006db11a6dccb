/* SPDX-License-Identifier: MIT */
/*
 * These functions format table cells. Several reports use them, so a value has the same text in all
 * reports.
 */
#ifndef RS_REPORT_CELLS_H
#define RS_REPORT_CELLS_H

#include "report/format.h"

/* What a column of a table of regions shows. */
struct rs_cell_column {
	bool is_time; /* the table shows time and not another event */
	bool is_ns; /* the values are in nanoseconds */
	bool utf8;
};

/* If the table shows time and calls of the region are short, return the overhead of a call in ns.
 * Smaller values are unreliable. Otherwise return 0. */
double rs_cell_bound(const struct rs_summary_region *region, const struct rs_cell_column *column);

/* Format a statistic of a region. A value below rs_cell_bound() becomes "<20 ns". The maximum of
 * sampled calls becomes ">=1.20 ms". An unknown value becomes "-". A share below 0.05% becomes
 * "". */
void rs_cell_statistic(struct rs_cell_text *cell, const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value,
	const struct rs_cell_column *column);

/* Round a real number to an integer and format that. The function puts the text `before` in front
 * of it. */
void rs_cell_amount(struct rs_cell_text *cell, const char *before, double amount, bool is_ns);

/* Format a region's share of the whole: "13.1%". share: thousandths, or RS_NO_SHARE for "-". below:
 * upper bound of the share, from 0 to 1. If share is smaller than this bound, the cell shows the
 * bound: "<2%". 0: there is no bound. */
void rs_cell_share(struct rs_cell_text *cell, uint32_t share, double below);

/* Format the error of an estimated total as a percentage of the total: "1.2%". An unknown error
 * becomes "-". Return false if the total is not an estimate. */
bool rs_cell_error(struct rs_cell_text *cell, const struct rs_value *value);

/* Format a metric with three digits and its unit. If the metric has no value, the cell shows its
 * status or "-". The function escapes the unit, which may come from a saved run. */
void rs_cell_metric(struct rs_cell_text *cell, const struct rs_metric *metric);

/* Return true if tables show a row for a metric, because it has a value or says why it has none. */
bool rs_metric_has_row(const struct rs_metric *metric);

/* Return true if a value is an estimate. It is one if calls were sampled or the event was not
 * counted all the time. */
static inline bool rs_value_is_estimate(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && rs_value_has_total(value);
}

#endif
