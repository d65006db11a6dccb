/* SPDX-License-Identifier: MIT */
/* A region's calls that did the same work, where they are kept apart. See table_works.c. */
#ifndef RS_REPORT_TABLE_WORKS_H
#define RS_REPORT_TABLE_WORKS_H

#include "report/report.h"

/* What is shown of them, as far as there is room. */
enum rs_works_column {
	RS_WORKS_BYTES,
	RS_WORKS_FLOPS,
	RS_WORKS_CALLS,
	RS_WORKS_AVG,
	RS_WORKS_MIN,
	RS_WORKS_MAX,
	RS_WORKS_STDDEV,
	RS_WORKS_GB_PER_S,
	RS_WORKS_GFLOP_PER_S,
	RS_WORKS_N,
};

struct rs_cell_text;

/* Static storage. */
const char *rs_works_title(enum rs_works_column column);

/* cell: filled; "-" where there is no such value. */
void rs_works_cell(struct rs_cell_text *cell, const struct rs_summary_region *work,
	enum rs_works_column column);

/* The rows of a region, those of the most time first, no more than are shown unless options want all:
 * works[summary->n_works], filled. left_out: how many there are beside them. Returns how many are
 * shown. */
size_t rs_works_of(const struct rs_summary_region **works, const struct rs_summary *summary,
	const struct rs_summary_region *region, const struct rs_report_options *options,
	size_t *left_out);

/* A line each below that of the region's work; nothing where they are not kept apart. */
void rs_table_works(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

#endif
