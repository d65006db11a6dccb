/* SPDX-License-Identifier: MIT */
/*
 * The whole run as perf stat's users know it: the command, every event's total, and the seconds.
 */
#ifndef RS_REPORT_WHOLE_RUN_H
#define RS_REPORT_WHOLE_RUN_H

#include "report/report.h"

/* Write the run's part of a table to stream, without an empty line before or after. */
void rs_report_whole_run(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

#endif
