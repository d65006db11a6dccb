/* SPDX-License-Identifier: MIT */
/*
 * The first line of a report: what ran, how long, on how much CPU time, and what markers took of it.
 */
#ifndef RS_REPORT_HEADLINE_H
#define RS_REPORT_HEADLINE_H

#include "report/report.h"

/* Write it, and how the program ended where that was not well. */
void rs_headline_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* How the program ended: "killed by SIGSEGV (signal 11)", "exit status 3"; "" where all was well.
 * text[64]: filled. */
void rs_end_text(char text[64], const struct rs_summary *summary);

#endif
