/* SPDX-License-Identifier: MIT */
/*
 * How evenly each region's work was spread over its threads, a line each.
 */
#ifndef RS_REPORT_THREADS_H
#define RS_REPORT_THREADS_H

#include "report/report.h"

/* Write a line for each region that several threads called, with an empty line behind them; nothing
 * where rows are not of threads. False: no memory. */
bool rs_threads_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

#endif
