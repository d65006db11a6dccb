/* SPDX-License-Identifier: MIT */
/* What a region's calls told of their work, as a line. See table_work.c. */
#ifndef RS_REPORT_TABLE_WORK_H
#define RS_REPORT_TABLE_WORK_H

#include "report/report.h"

#define RS_WORK_TEXT_BYTES 512u

/* Rates, those left out that metrics have in rows of their own, then what a call did on average:
 * text[RS_WORK_TEXT_BYTES]. False: there is nothing to tell. */
bool rs_work_text(char *text, const struct rs_summary_region *region);

/* The same as a line of the table of a region; and below it what is kept apart of its calls. */
void rs_table_work(const struct rs_summary_region *region, const struct rs_report_options *options,
	FILE *stream);

#endif
