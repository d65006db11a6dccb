/* SPDX-License-Identifier: MIT */
/*
 * The columns that a table of regions may have, in detail or at a glance.
 */
#ifndef RS_REPORT_COLUMNS_H
#define RS_REPORT_COLUMNS_H

#include "report/statistic.h"
#include "stats/percentiles.h"

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
	RS_COLUMN_ERROR, /* at a glance where calls were sampled: of total */
	RS_COLUMN_SELF,
	RS_COLUMN_CALLS, /* at a glance alone, as the next one */
	RS_COLUMN_CPU,
	RS_COLUMN_RUNNING, /* only when something was not counted all the time */
	RS_COLUMN_PERCENTILES, /* the first of those that the summary has beside the others */
	RS_COLUMN_N = RS_COLUMN_PERCENTILES + RS_MAX_PERCENTILES,
};

/* Which columns a reader wants. */
struct rs_columns_wish {
	struct {
		enum rs_table_column column;
		uint32_t millionths; /* of RS_COLUMN_PERCENTILES: which one is meant */
	} items[RS_COLUMN_N]; /* in this order, each once */
	size_t n; /* 0: what the width has room for */
};

/* The heading of a column; lives as long as the summary. */
const char *rs_column_title(const struct rs_summary *summary, enum rs_table_column column);

/* Whether a column shows a statistic of a value, and if so of which kind, and which number. */
bool rs_column_is_statistic(enum rs_table_column column);
enum rs_statistic_kind rs_column_kind(enum rs_table_column column);
struct rs_number rs_column_number(const struct rs_summary *summary, const struct rs_value *value,
	enum rs_table_column column);

/* How many columns a summary has, those of its percentiles included. */
int rs_columns_n(const struct rs_summary *summary);

/* Add the column of that word to a wish; one that is there already stays. False: there is none of
 * that name that can be wished for. word[length]: need not end there. */
bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *word, size_t length);

/* The same for the column of a percentile that the summary will have. */
void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths);

/* The words of rs_columns_wish_for(), as a text "avg, stddev, ...". text[bytes]: filled. */
void rs_columns_list(char *text, size_t bytes);

/*
 * The columns of a table: those of the wish with the summary's percentiles behind them, or else those
 * of the set, where the percentiles stand in the place of p50, p90 and p99.
 * set[n]: borrowed. columns[RS_COLUMN_N]: filled. Returns how many.
 */
size_t rs_columns_choose(enum rs_table_column *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_table_column *set, size_t n);

#endif
