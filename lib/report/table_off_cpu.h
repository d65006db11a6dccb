/* SPDX-License-Identifier: MIT */
/* The lines of a region's on-CPU and off-CPU time, in the table. */
#ifndef RS_REPORT_TABLE_OFF_CPU_H
#define RS_REPORT_TABLE_OFF_CPU_H

#include <stdio.h>

#include "report/report.h"
#include "stats/summary.h"

/* Below the rows of a region's events: nothing where these times are not known. */
void rs_table_off_cpu(const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream);

#endif
