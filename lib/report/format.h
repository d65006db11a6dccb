/* SPDX-License-Identifier: MIT */
/*
 * These functions format numbers for tables. Commas group the digits of integers. Averages have at
 * most two decimals; totals have three digits and a unit. The text is ASCII, so its length is its
 * width on a screen.
 */
#ifndef RS_REPORT_FORMAT_H
#define RS_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/statistic.h"

#define RS_CELL_TEXT_BYTES 64

struct rs_cell_text {
	char text[RS_CELL_TEXT_BYTES];
	size_t unit; /* offset of the unit in text; strlen(text): text has no unit */
};

/* Unit of a column's values. */
enum rs_format_unit {
	RS_FORMAT_COUNT,
	RS_FORMAT_NS,
};

/* Each of these functions fills cell. */

/* Format an integer in full: "786,432". */
void rs_format_integer(struct rs_cell_text *cell, uint64_t value);

/* Format an average: "71,927". An average below 10 has two decimals, unless it is an integer:
 * "1.06", "4". A magnitude below 0.01 becomes "<0.01", and a value that is not finite becomes
 * "-". */
void rs_format_average(struct rs_cell_text *cell, double value);

/*
 * Format a total with three digits: "56.6 G", "3.59 s". Counts below 100,000 keep all digits. If
 * scaled is set, the text starts with '~'.
 */
void rs_format_total(
	struct rs_cell_text *cell, enum rs_format_unit unit, uint64_t value, bool scaled);

/* Format an average with three digits, as rs_format_total() does: "4.57 us". For counts below
 * 100,000, do what rs_format_average() does. */
void rs_format_mean(struct rs_cell_text *cell, enum rs_format_unit unit, double value);

/* Format a statistic: a time as rs_format_total() does, a count as rs_format_integer() does, a real
 * number as rs_format_average() does. An absent field becomes "-". */
void rs_format_field(struct rs_cell_text *cell, struct rs_field field, bool is_ns);

/* Format a ratio in percent with one decimal: "97.1". A ratio below 1 never becomes "100.0". */
void rs_format_percent(struct rs_cell_text *cell, double ratio);

/* Format a metric with three digits and its unit: "4.48 GHz", "0.34%". A ratio has no unit, so its
 * name follows: "3.51 IPC". */
void rs_format_metric(struct rs_cell_text *cell, const char *name, const char *unit, double value);

#endif
