/* SPDX-License-Identifier: MIT */
/*
 * The tables of comparisons for people, and the text of their cells.
 */
#ifndef RS_REPORT_COMPARISON_TABLE_H
#define RS_REPORT_COMPARISON_TABLE_H

#include "report/comparison.h"

/* The page that is written, and its stream. */
struct rs_comparison_writer {
	const struct rs_comparison_page *of;
	const struct rs_report_options *options;
	struct rs_arena *arena;
	FILE *stream;
	size_t *order; /* indices of regions, in the order of the page */
};

/* Return text in the arena of the page. */
const char *rs_comparison_format(struct rs_comparison_writer *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return a value with its unit: "12.3 us", or "-" if it is NAN. */
const char *rs_comparison_value(struct rs_comparison_writer *page, double value, const char *unit);

/* Return a part of 1 in percent with its sign: "+1.2 %", or "-" if it is not finite. */
const char *rs_comparison_percent(struct rs_comparison_writer *page, double part);

/* Write the table of regions[n], after an empty line. */
void rs_comparison_write_grid(struct rs_comparison_writer *page, const size_t *regions, size_t n);

#endif
