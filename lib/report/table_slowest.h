/* SPDX-License-Identifier: MIT */
/*
 * The slowest call of a region, where it is far from the others, in a line: "slowest call: 6.13 ms, 340x
 * p90, 123 ms after the start, thread 4243, page-faults 300".
 */
#ifndef RS_REPORT_TABLE_SLOWEST_H
#define RS_REPORT_TABLE_SLOWEST_H

#include "report/report.h"

/* "4.2x p90", "340x p90": its time beside the others'. text[RS_SLOWEST_RATIO_BYTES]: filled; "" where that
 * is not known. */
#define RS_SLOWEST_RATIO_BYTES 48u
void rs_slowest_ratio_text(char *text, const struct rs_summary_region *region);

/* That line, without an end. columns: its width, events that do not fit are left out; 0: any. NULL where
 * there is nothing to say, or without memory; else to be released with free(). */
char *rs_slowest_text(
	const struct rs_summary *summary, const struct rs_summary_region *region, size_t columns);

#endif
