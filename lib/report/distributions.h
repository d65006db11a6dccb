/* SPDX-License-Identifier: MIT */
/*
 * Histograms of regions, drawn in lines of text.
 */
#ifndef RS_REPORT_DISTRIBUTIONS_H
#define RS_REPORT_DISTRIBUTIONS_H

#include "report/report.h"
#include "stats/arena.h"

/* Write each distribution of the summary, with an empty line before it. */
void rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
