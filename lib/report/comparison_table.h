/* SPDX-License-Identifier: MIT */
/*
 * These functions write the tables of a comparison for people, and format their cells. Reports of
 * series use some of them too.
 */
#ifndef RS_REPORT_COMPARISON_TABLE_H
#define RS_REPORT_COMPARISON_TABLE_H

#include "report/comparison.h"

/* State while a page is written. */
struct rs_comparison_writer {
	const struct rs_comparison_page *of;
	const struct rs_report_options *options;
	struct rs_arena *arena;
	FILE *stream;
	size_t *order; /* indices of regions, in the order of the page */
};

/* Write text, escaped if the page is Markdown. */
void rs_comparison_write_text(const struct rs_comparison_writer *page, const char *text);

/* Write all pages of a report with write_page(), then a legend unless it is NULL, then the results
 * of rules. Return true. */
bool rs_comparison_write_pages(const struct rs_comparison_report *report,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream,
	void (*write_page)(struct rs_comparison_writer *page), const char *legend);

/* Return the text of a value with its unit: "12.3 us". Return "-" if the value is NAN. */
const char *rs_comparison_value(struct rs_comparison_writer *page, double value, const char *unit);

/* Return a fraction as a percentage with its sign: 0.012 becomes "+1.2 %". Return "-" if it is not
 * finite. */
const char *rs_comparison_percent(struct rs_comparison_writer *page, double part);

/* Write an empty line, then a table of regions[n]. */
void rs_comparison_write_grid(struct rs_comparison_writer *page, const size_t *regions, size_t n);

#endif
