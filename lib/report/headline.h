/* SPDX-License-Identifier: MIT */
/*
 * The headline is the first line of a report: command, elapsed time, CPU time and overhead of the
 * markers.
 */
#ifndef RS_REPORT_HEADLINE_H
#define RS_REPORT_HEADLINE_H

#include "report/report.h"

/* Write the headline, and a second line if the program failed or was killed. */
void rs_headline_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Describe in text[64] how the program ended: "killed by SIGSEGV (signal 11)" or "exit status 3".
 * Set it to "" if the program succeeded. */
void rs_end_text(char text[64], const struct rs_summary *summary);

#endif
