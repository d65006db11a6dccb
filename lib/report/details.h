/* SPDX-License-Identifier: MIT */
/*
 * Details of one region as text: the work of its calls, its slowest calls, its overhead.
 */
#ifndef RS_REPORT_DETAILS_H
#define RS_REPORT_DETAILS_H

#include "report/report.h"

#define RS_WORK_TEXT_BYTES 512u

/* Fill text[RS_WORK_TEXT_BYTES] with the rates of the region's work and the average work of a call.
 * It omits a rate that is also a metric, since metrics have rows of their own. Return false if
 * there is nothing to show. */
bool rs_work_text(char *text, const struct rs_summary_region *region);

/* Return the text of a tail whose n_shown is not 0, safe to print. columns: greatest width; 0: no
 * limit. The caller frees it. Return NULL if memory runs out. */
char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail, size_t columns);

/* Return a text on the slowest call, if that call took much longer than the others. It omits events
 * that exceed the width. columns: greatest width; 0: no limit. The caller frees the text. Return
 * NULL if there is nothing to say or memory runs out. */
char *rs_slowest_text(
	const struct rs_summary *summary, const struct rs_summary_region *region, size_t columns);

/* Write all details of a region, a line each, below its name. Values that do not fit the width are
 * omitted. In Markdown, write its work and its slow calls as items of a list. */
void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

#endif
