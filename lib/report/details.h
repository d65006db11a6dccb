/* SPDX-License-Identifier: MIT */
/*
 * Further facts of one region: the work of its calls, its slowest calls, its overhead.
 */
#ifndef RS_REPORT_DETAILS_H
#define RS_REPORT_DETAILS_H

#include "report/report.h"

#define RS_WORK_TEXT_BYTES 512u

/* Rates, except those that metrics have in rows of their own, then the average work of a call:
 * text[RS_WORK_TEXT_BYTES]. False: there is nothing to show. */
bool rs_work_text(char *text, const struct rs_summary_region *region);

/* The text of one tail, whose n_told is not 0, in display columns at most; 0: of any width. Fit to
 * show. In memory that the caller frees; NULL: no memory. */
char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail, size_t columns);

/* The slowest call where it is far from the others. columns: its width, without events that do not
 * fit; 0: any. NULL where there is nothing to say, or without memory; else the caller frees it. */
char *rs_slowest_text(
	const struct rs_summary *summary, const struct rs_summary_region *region, size_t columns);

/* Lines with all of it for a curious reader, below the region's name. It skips what does not fit
 * the width. */
void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

#endif
