/* SPDX-License-Identifier: MIT */
/*
 * All regions at one glance: a line each, nested as they were called, and what to look at first.
 */
#ifndef RS_REPORT_GLANCE_H
#define RS_REPORT_GLANCE_H

#include "report/report.h"

/* Write the lines of the regions and (outside), with an empty line behind them; nothing where there
 * are fewer than two regions. False: no memory. */
bool rs_glance_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

/* Write the line that names the hottest region, those that waited and those that are unsure, with an
 * empty line before it; nothing where there is none of that. */
void rs_hint_write(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream);

#endif
