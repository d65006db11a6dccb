/* SPDX-License-Identifier: MIT */
/*
 * The columns that a table of regions may have, in detail or at a glance.
 */
#ifndef RS_REPORT_COLUMNS_H
#define RS_REPORT_COLUMNS_H

#include "report/statistic.h"

enum rs_table_column {
	RS_COLUMN_AVG,
	RS_COLUMN_STDDEV,
	RS_COLUMN_MIN,
	RS_COLUMN_P50,
	RS_COLUMN_P90,
	RS_COLUMN_P99,
	RS_COLUMN_MAX,
	RS_COLUMN_SLOWEST, /* what the slowest call had of each event; only when verbose */
	RS_COLUMN_TOTAL,
	RS_COLUMN_SELF,
	RS_COLUMN_CALLS, /* at a glance alone, as the next one */
	RS_COLUMN_CPU,
	RS_COLUMN_RUNNING, /* only when something was not counted all the time */
	RS_COLUMN_N,
};

/* The heading of a column; static storage. */
const char *rs_column_title(enum rs_table_column column);

/* The statistic that a column shows; RS_STATISTIC_N: it shows none. */
enum rs_statistic_index rs_column_statistic(enum rs_table_column column);

#endif
