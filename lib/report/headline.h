/* SPDX-License-Identifier: MIT */
/*
 * The first line of a report: command, elapsed time, CPU time and overhead of the markers.
 */
#ifndef RS_REPORT_HEADLINE_H
#define RS_REPORT_HEADLINE_H

#include "report/report.h"

/* Write the headline, and a second line if the program failed or was killed. */
void rs_headline_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Fill text[64] with how the program ended, as "killed by SIGSEGV (signal 11)" or "exit status 3".
 * Fill it with "" if the program succeeded. */
void rs_end_text(char text[64], const struct rs_summary *summary);

#endif
