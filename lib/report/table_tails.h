/* SPDX-License-Identifier: MIT */
/*
 * Why slow calls are slow, in a line: "slowest 1.3% (>= 8.19 us): page-faults 40x, context-switches
 * 0.9 a call".
 */
#ifndef RS_REPORT_TABLE_TAILS_H
#define RS_REPORT_TABLE_TAILS_H

#include "report/report.h"

/* The lines of a region of summary, each with its end; nothing where there is nothing to tell. What
 * does not fit the width is left out, the least first. */
void rs_table_tails(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

/* The text of one tail, whose n_told is not 0, in display columns at most; 0: of any width. Fit to
 * show. In memory that the caller frees; NULL: no memory. */
char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail, size_t columns);

#endif
