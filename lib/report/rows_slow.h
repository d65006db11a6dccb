/* SPDX-License-Identifier: MIT */
/*
 * The rows of the flat table that are of single calls: the slowest of a region, and those that were told
 * of while the program ran.
 */
#ifndef RS_REPORT_ROWS_SLOW_H
#define RS_REPORT_ROWS_SLOW_H

#include "report/rows.h"

/* The slowest call of a region, if it is more than the largest of a few. row: with kind and whose it is. */
void rs_rows_give_slowest(const struct rs_summary *summary, const struct rs_summary_region *region,
	struct rs_row row, const struct rs_report_options *options, struct rs_row_sink *sink);

/* How many calls were slow by each rule of --slow, if there are any, and what became of them. row: with
 * kind and run. */
void rs_rows_give_slow(
	const struct rs_summary *summary, struct rs_row row, struct rs_row_sink *sink);

#endif
