/* SPDX-License-Identifier: MIT */
/* What a report has to say, below the table. */
#ifndef RS_REPORT_NOTES_H
#define RS_REPORT_NOTES_H

#include "report/report.h"

/* Write warnings, notes and, for a curious reader, details to stream, each on lines of its own, which
 * are broken between words where the reader's screen ends. Nothing where there is none. */
void rs_notes_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

#endif
