/* SPDX-License-Identifier: MIT */
/*
 * Numbers as a table shows them: digits grouped by commas, averages with as many decimals as
 * matter, totals in short units. Cells are ASCII, so their length is their width.
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
	size_t unit; /* where in text the unit begins, strlen(text) when there is none */
};

/* The unit of a column's values. */
enum rs_quantity {
	RS_QUANTITY_COUNT,
	RS_QUANTITY_NS,
};

/* All of these fill cell. */

/* "786,432" */
void rs_format_integer(struct rs_cell_text *cell, uint64_t value);

/* An average: "71,927", below 10 with two decimals unless it is whole ("1.06", "4"), "<0.01" for
 * what would look like nothing, "-" for what is not a number. */
void rs_format_average(struct rs_cell_text *cell, double value);

/*
 * A total of any size in three digits: "56.6 G", "3.59 s"; counts below 100,000 in full. With
 * scaled set a '~' goes before it.
 */
void rs_format_total(
	struct rs_cell_text *cell, enum rs_quantity quantity, uint64_t value, bool scaled);

/* An average in three digits as a total has them: "4.57 us"; of counts below 100,000 as
 * rs_format_average() has it. */
void rs_format_mean(struct rs_cell_text *cell, enum rs_quantity quantity, double value);

/* A statistic: a time or a count as rs_format_total() and rs_format_integer() have it, a real as the two
 * for averages; "-" where it is absent. */
void rs_format_field(struct rs_cell_text *cell, struct rs_field field, bool is_ns);

/* A share in percent, one decimal, never rounded up to 100: "97.1", "99.9", "100.0". */
void rs_format_percent(struct rs_cell_text *cell, double ratio);

/* A metric in three digits and its unit: "3.51 IPC" (a ratio has its name for a unit), "4.48 GHz",
 * "0.34%". */
void rs_format_metric(struct rs_cell_text *cell, const char *name, const char *unit, double value);

#endif
