/* SPDX-License-Identifier: MIT */
/* The line of a region's calls that were not interrupted, in the table. */
#ifndef RS_REPORT_TABLE_UNDISTURBED_H
#define RS_REPORT_TABLE_UNDISTURBED_H

#include <stdio.h>

#include "report/report.h"
#include "stats/summary.h"

/* Below the rows of a region's events: nothing where no call was interrupted, or that is not known. */
void rs_table_undisturbed(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

#endif
