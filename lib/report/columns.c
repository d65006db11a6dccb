/* SPDX-License-Identifier: MIT */
/*
 * The table of columns.
 */
#include "report/columns.h"

static const struct {
	const char *title;
	enum rs_statistic_index statistic;
} columns[RS_COLUMN_N] = {
	[RS_COLUMN_AVG] = {"avg", RS_STATISTIC_AVG},
	[RS_COLUMN_STDDEV] = {"stddev", RS_STATISTIC_STDDEV},
	[RS_COLUMN_MIN] = {"min", RS_STATISTIC_MIN},
	[RS_COLUMN_P50] = {"p50", RS_STATISTIC_P50},
	[RS_COLUMN_P90] = {"p90", RS_STATISTIC_P90},
	[RS_COLUMN_P99] = {"p99", RS_STATISTIC_P99},
	[RS_COLUMN_MAX] = {"max", RS_STATISTIC_MAX},
	[RS_COLUMN_SLOWEST] = {"slowest", RS_STATISTIC_N},
	[RS_COLUMN_TOTAL] = {"total", RS_STATISTIC_TOTAL},
	[RS_COLUMN_SELF] = {"self", RS_STATISTIC_SELF_TOTAL},
	[RS_COLUMN_CALLS] = {"calls", RS_STATISTIC_N},
	[RS_COLUMN_CPU] = {"cpu", RS_STATISTIC_N},
	[RS_COLUMN_RUNNING] = {"run%", RS_STATISTIC_RUNNING},
};

const char *rs_column_title(enum rs_table_column column)
{
	return columns[column].title;
}

enum rs_statistic_index rs_column_statistic(enum rs_table_column column)
{
	return columns[column].statistic;
}
