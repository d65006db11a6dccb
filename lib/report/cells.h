/* SPDX-License-Identifier: MIT */
/*
 * Text of the cells that several reports have in common, so that a number is the same in each.
 */
#ifndef RS_REPORT_CELLS_H
#define RS_REPORT_CELLS_H

#include "report/format.h"

/* The column of a table of regions. */
struct rs_cell_column {
	bool is_time; /* the table shows time, not another event */
	bool is_ns; /* the values are times */
	bool utf8;
};

/* Return the overhead of a call if calls are so short that smaller values are unreliable, else
 * 0. */
double rs_cell_bound(const struct rs_summary_region *region, const struct rs_cell_column *column);

/* Format a statistic of a region. A value below the overhead of markers becomes "<20 ns", the
 * maximum of sampled calls ">=1.20 ms", an unknown value "-", and a share below 0.05% "". */
void rs_cell_statistic(struct rs_cell_text *cell, const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value,
	const struct rs_cell_column *column);

/* Format a real number as if it were an integer. */
void rs_cell_amount(struct rs_cell_text *cell, const char *before, double amount, bool is_ns);

/* Format a share of the whole: "13.1%". share: thousandths, or RS_NO_SHARE. below: self time of the
 * region is below this share of the whole; 0: the share is exact. */
void rs_cell_share(struct rs_cell_text *cell, uint32_t share, double below);

/* Format the error of a sampled total relative to it: "1.2%", "-" if it is unknown. Return false if
 * the value was not sampled. */
bool rs_cell_error(struct rs_cell_text *cell, const struct rs_value *value);

/* Format a metric with three digits and its unit, or "-" or its status if it has no value. The unit
 * may come from a saved run, so it is escaped. */
void rs_cell_metric(struct rs_cell_text *cell, const struct rs_metric *metric);

/* Return true if a metric has a row of its own: it has a value, or it says why it has none. */
bool rs_metric_has_row(const struct rs_metric *metric);

/* Return true if a value is an estimate from sampled calls or from an event that was not counted
 * all the time. */
static inline bool rs_value_is_estimate(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && rs_value_has_total(value);
}

#endif
