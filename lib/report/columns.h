/* SPDX-License-Identifier: MIT */
/*
 * These are the columns of the tables of regions and events. Each column shows one statistic. The
 * user chooses the columns with --columns. Without that option, each table uses its own default
 * set.
 */
#ifndef RS_REPORT_COLUMNS_H
#define RS_REPORT_COLUMNS_H

#include "stats/statistic.h"

#define RS_MOST_COLUMNS (RS_STATISTIC_N + RS_MAX_PERCENTILES)

/* The columns of --columns, in the user's order and without duplicates. */
struct rs_columns_wish {
	struct {
		/* the statistic that this column shows; RS_STATISTIC_N: the column shows a
		 * percentile */
		enum rs_statistic_index statistic;
		uint32_t millionths; /* the percentile in millionths: 900000 is p90 */
	} items[RS_MOST_COLUMNS];
	size_t n; /* 0: no --columns; the table uses its default set */
};

/* Columns of one table. Do not copy this struct, because items may point to its member
 * percentiles. */
struct rs_table_columns {
	const struct rs_statistic *items[RS_MOST_COLUMNS];
	size_t n;
	/* the percentiles that the user requested */
	struct rs_statistic percentiles[RS_MAX_PERCENTILES];
};

/* Append the column with a title to a list of --columns, unless the list contains it. Return false
 * if --columns accepts no such title. */
bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *title);

/* Append the column of a percentile to a list of --columns. The summary must contain this
 * percentile. */
void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths);

/* Fill text with the titles that rs_columns_wish_for() accepts, as "avg, stddev, ...". */
void rs_columns_list(char *text, size_t bytes);

/*
 * Fill columns with the columns of a table. If the user listed columns, use those, then the
 * percentiles of the summary. Otherwise use set[n], but replace p50, p90 and p99 by the percentiles
 * of the summary. `columns` borrows `set` and these percentiles.
 */
void rs_columns_choose(struct rs_table_columns *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_statistic_index *set, size_t n);

#endif
