/* SPDX-License-Identifier: MIT */
/*
 * Distributions of regions, drawn in lines.
 */
#ifndef RS_REPORT_DISTRIBUTIONS_H
#define RS_REPORT_DISTRIBUTIONS_H

#include "report/report.h"
#include "stats/arena.h"

/* Write each distribution that the summary has, with an empty line behind it. */
bool rs_distributions_write(const struct rs_summary *summary,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream);

#endif
