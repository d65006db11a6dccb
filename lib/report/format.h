/* SPDX-License-Identifier: MIT */
/*
 * These functions format numbers for tables. Commas group the digits of integers. Averages have at
 * most two decimals; totals have three digits and a unit. The text of a number is ASCII, so its
 * length is its width on a screen.
 */
#ifndef RS_REPORT_FORMAT_H
#define RS_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/statistic.h"

#define RS_CELL_TEXT_BYTES 64

struct rs_cell_text {
	char text[RS_CELL_TEXT_BYTES];
};

/* Return an integer in full: "786,432". */
struct rs_cell_text rs_format_integer(uint64_t value);

/* Return an average: "71,927". An average below 10 has two decimals, unless it is an integer:
 * "1.06", "4". A magnitude below 0.01 becomes "<0.01", and a value that is not finite becomes
 * "-". */
struct rs_cell_text rs_format_average(double value);

/* Return a total with three digits: "56.6 G", "3.59 s". Counts below 100,000 keep all digits. */
struct rs_cell_text rs_format_total(uint64_t value, bool is_ns);

/* Return an average with three digits, as rs_format_total() does: "4.57 us". For counts below
 * 100,000, do what rs_format_average() does. */
struct rs_cell_text rs_format_mean(double value, bool is_ns);

/* Return a statistic: a time as rs_format_total() does, a count as rs_format_integer() does, a real
 * number as rs_format_average() does. An absent field becomes "-". */
struct rs_cell_text rs_format_field(struct rs_field field, bool is_ns);

/* Return a ratio in percent with one decimal: "97.1". A ratio below 1 never becomes "100.0". */
struct rs_cell_text rs_format_percent(double ratio);

/* Return the overhead of a call: "36.2 ns", "210 us". */
struct rs_cell_text rs_format_overhead(double ns);

/* Return a number with three digits and no unit: "4.48", "0.00123", "0.34". A number that is not
 * finite becomes "". */
struct rs_cell_text rs_format_real(double value);

/* Return a metric with three digits and its unit: "4.48 GHz", "0.34%". A ratio has no unit, so its
 * name follows: "3.51 IPC". */
struct rs_cell_text rs_format_metric(const char *name, const char *unit, double value);

/* Divide a number by 1,000 until it is shown as less than 1,000. Return its SI prefix: "M". */
const char *rs_format_prefix(double *value);

/* ---- cells that several tables contain ---- */

/* What a column of a table of regions shows. */
struct rs_cell_column {
	bool is_time; /* the table shows time and not another event */
	bool is_ns; /* the values are in nanoseconds */
	bool utf8;
};

/* If `self` is below the bound of the region's total self time, return this bound, otherwise 0. All
 * cells that show self time, or a share of it, use this bound. */
double rs_cell_self_bound(
	const struct rs_summary_region *region, const struct rs_cell_column *column, double self);

/* Return a statistic of a region. A time below the overhead of a call becomes "<20 ns". The maximum
 * of sampled calls becomes ">=1.20 ms". An unknown value becomes "-". */
struct rs_cell_text rs_cell_statistic(const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value,
	const struct rs_cell_column *column);

/* Round amount to an integer and return it, with the text `before` in front of it. */
struct rs_cell_text rs_cell_amount(const char *before, double amount, bool is_ns);

/* Return a region's share of the whole: "13.1%". share is in thousandths; RS_NO_SHARE becomes "-".
 * If below is not 0, it is an upper bound of the share, and the cell shows this bound: "<2%", at
 * most "<100%". */
struct rs_cell_text rs_cell_share(uint32_t share, double below);

/* Return the error of an estimated total as a percentage of the total: "1.2%". An unknown error
 * becomes "-". An error below 0.05%, or of a total that is not an estimate, becomes "". */
struct rs_cell_text rs_cell_error(const struct rs_value *value);

/* Return a metric with three digits and its unit. If the metric has no value, the cell shows its
 * status or "-". The function escapes the unit, which may come from a saved run. */
struct rs_cell_text rs_cell_metric(const struct rs_metric *metric);

/* Return the instructions per cycle of a region or of the whole run, or NAN if they are unknown. */
double rs_region_ipc(const struct rs_summary_region *region);

/* Return true if tables show a row for a metric, because it has a value or says why it has none. */
bool rs_metric_has_row(const struct rs_metric *metric);

/* Return true if a value is an estimate. It is one if calls were sampled or the event was not
 * counted all the time. */
static inline bool rs_value_is_estimate(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && rs_value_has_total(value);
}

/* Return true if a statistic is a sum over all calls of an estimated value. The self part is also
 * an estimate if the value of a nested region is one. */
static inline bool rs_statistic_is_estimate(
	const struct rs_statistic *statistic, const struct rs_value *value)
{
	bool is_self = statistic == &rs_statistics[RS_STATISTIC_SELF];
	return statistic->kind == RS_STATISTIC_OF_ALL &&
	       (rs_value_is_estimate(value) || (is_self && value->inner_variance > 0));
}

/* ---- command lines in shell syntax (command_line.c) ---- */

/* Return argv as text in shell syntax, in arena. An argument that a shell would change is in '...'.
 * An argument whose bytes could control a terminal is in $'...'. argv ends with NULL; if it is
 * NULL, the text is "". If memory runs out, return what rs_arena_array() returns. */
const char *rs_report_command_text(char *const *argv, struct rs_arena *arena);

/* Return the name of the program that argv starts, without its directory. Return "?" if argv is
 * NULL or empty. */
const char *rs_report_program(char *const *argv);

#endif
