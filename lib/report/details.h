/* SPDX-License-Identifier: MIT */
/*
 * These functions write details of one region as text: the work of its calls, its slowest calls and
 * the overhead of its markers.
 */
#ifndef RS_REPORT_DETAILS_H
#define RS_REPORT_DETAILS_H

#include "report/report.h"

/* Return the rates of the region's work and the average work of a call. Omit a rate that is also a
 * metric, because tables show metrics in their own rows. Return "" if there is nothing to show. All
 * texts are in arena. */
const char *rs_work_text(const struct rs_summary_region *region, struct rs_arena *arena);

/* Return text that describes a tail (slowest calls) whose n_shown is not 0. The text is safe to
 * print. columns: greatest width; 0: no limit. */
const char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail,
	size_t columns, struct rs_arena *arena);

/* Return text about the slowest call, if that call took much longer than the others, else NULL.
 * Omit events for which the width is too small. columns: greatest width; 0: no limit. */
const char *rs_slowest_text(const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t columns, struct rs_arena *arena);

/* Write the name of a region, then one line for each detail. Omit values that do not fit the width.
 * In Markdown, write the region's work and its slow calls as items of a list. */
void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
