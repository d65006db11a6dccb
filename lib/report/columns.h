/* SPDX-License-Identifier: MIT */
/*
 * Columns of the tables of regions and events. A column is a statistic. The reader chooses the
 * columns with --columns; without that option each table has a set of its own.
 */
#ifndef RS_REPORT_COLUMNS_H
#define RS_REPORT_COLUMNS_H

#include "stats/statistic.h"

#define RS_MOST_COLUMNS (RS_STATISTIC_N + RS_MAX_PERCENTILES)

/* Columns that --columns asks for, in the order of the option, none twice. */
struct rs_columns_wish {
	struct {
		/* statistic that the column shows; RS_STATISTIC_N: a percentile */
		enum rs_statistic_index statistic;
		uint32_t millionths; /* which percentile, in millionths of the calls */
	} items[RS_MOST_COLUMNS];
	size_t n; /* 0: the reader did not ask, and the table chooses */
};

/* Columns of one table. Do not copy this struct: items may point into its own percentiles. */
struct rs_table_columns {
	const struct rs_statistic *items[RS_MOST_COLUMNS];
	size_t n;
	/* the percentiles that the reader requested */
	struct rs_statistic percentiles[RS_MAX_PERCENTILES];
};

/* Append the column with the title word[length] to a wish, unless the wish has it already. word
 * need not end after length bytes. Return false if no column that readers can ask for has this
 * title. */
bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *word, size_t length);

/* Append the column of a percentile, which must be among the percentiles of the summary. */
void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths);

/* Fill text with the titles that rs_columns_wish_for() accepts, as "avg, stddev, ...". */
void rs_columns_list(char *text, size_t bytes);

/*
 * Choose the columns of a table and fill columns with them. If the reader asked for columns, take
 * those, then the percentiles of the summary. Otherwise take set[n], with the percentiles of the
 * summary in the place of p50, p90 and p99. columns borrows set and the percentiles of the summary.
 */
void rs_columns_choose(struct rs_table_columns *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_statistic_index *set, size_t n);

#endif
