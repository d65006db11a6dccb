/* SPDX-License-Identifier: MIT */
/*
 * The columns that a table of regions has: statistics, those that a reader wants or those of the table.
 */
#ifndef RS_REPORT_COLUMNS_H
#define RS_REPORT_COLUMNS_H

#include "stats/statistic.h"

#define RS_MOST_COLUMNS (RS_STATISTIC_N + RS_MAX_PERCENTILES)

/* Which columns a reader wants. */
struct rs_columns_wish {
	struct {
		enum rs_statistic_index statistic; /* RS_STATISTIC_N: a percentile */
		uint32_t millionths; /* of that */
	} items[RS_MOST_COLUMNS]; /* in this order, each once */
	size_t n; /* 0: what the width has room for */
};

/* Those of a table. Not to be copied: items may point into percentiles. */
struct rs_table_columns {
	const struct rs_statistic *items[RS_MOST_COLUMNS];
	size_t n;
	struct rs_statistic percentiles[RS_MAX_PERCENTILES]; /* of the summary */
};

/* Add the column of that title to a wish; one that is there already stays. False: there is none of
 * that name that can be wished for. word[length]: need not end there. */
bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *word, size_t length);

/* The same for the column of a percentile that the summary will have. */
void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths);

/* The words of rs_columns_wish_for(), as a text "avg, stddev, ...". text[bytes]: filled. */
void rs_columns_list(char *text, size_t bytes);

/*
 * The columns of a table. With a wish they are its columns and the summary's percentiles behind
 * them. Otherwise they are those of the set, with the percentiles in the place of p50, p90 and
 * p99. set[n]: borrowed. columns: filled; borrows the summary's percentiles.
 */
void rs_columns_choose(struct rs_table_columns *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_statistic_index *set, size_t n);

#endif
