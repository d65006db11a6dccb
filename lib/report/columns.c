/* SPDX-License-Identifier: MIT */
/*
 * The table of columns, and which of them a table has. In come the reader's wish and what the width
 * has room for; out come columns.
 */
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *title;
	enum rs_statistic_index statistic; /* RS_STATISTIC_N: none */
	bool is_on_demand; /* not to be wished for */
} kinds[RS_COLUMN_PERCENTILES] = {
	[RS_COLUMN_AVG] = {"avg", RS_STATISTIC_AVG, false},
	[RS_COLUMN_STDDEV] = {"stddev", RS_STATISTIC_STDDEV, false},
	[RS_COLUMN_MIN] = {"min", RS_STATISTIC_MIN, false},
	[RS_COLUMN_P50] = {"p50", RS_STATISTIC_P50, false},
	[RS_COLUMN_P90] = {"p90", RS_STATISTIC_P90, false},
	[RS_COLUMN_P99] = {"p99", RS_STATISTIC_P99, false},
	[RS_COLUMN_MAX] = {"max", RS_STATISTIC_MAX, false},
	[RS_COLUMN_SLOWEST] = {"slowest", RS_STATISTIC_N, true},
	[RS_COLUMN_TOTAL] = {"total", RS_STATISTIC_TOTAL, false},
	[RS_COLUMN_ERROR] = {"error", RS_STATISTIC_ERROR, false},
	[RS_COLUMN_SELF] = {"self", RS_STATISTIC_SELF_TOTAL, false},
	[RS_COLUMN_CALLS] = {"calls", RS_STATISTIC_N, false},
	[RS_COLUMN_CPU] = {"on-cpu", RS_STATISTIC_N, false},
	[RS_COLUMN_RUNNING] = {"run%", RS_STATISTIC_RUNNING, true},
};

const char *rs_column_title(const struct rs_summary *summary, enum rs_table_column column)
{
	if (column < RS_COLUMN_PERCENTILES)
		return kinds[column].title;
	size_t i = column - RS_COLUMN_PERCENTILES;
	return i < summary->percentiles.n ? summary->percentiles.items[i].word : "";
}

bool rs_column_is_statistic(enum rs_table_column column)
{
	return column >= RS_COLUMN_PERCENTILES || kinds[column].statistic != RS_STATISTIC_N;
}

enum rs_statistic_kind rs_column_kind(enum rs_table_column column)
{
	return column >= RS_COLUMN_PERCENTILES ? RS_STATISTIC_OF_ONE
					       : rs_statistics[kinds[column].statistic].kind;
}

struct rs_number rs_column_number(
	const struct rs_summary *summary, const struct rs_value *value, enum rs_table_column column)
{
	if (column < RS_COLUMN_PERCENTILES)
		return rs_statistic_of(value, kinds[column].statistic);
	return rs_statistic_percentile(
		value, summary->percentiles.items[column - RS_COLUMN_PERCENTILES].millionths);
}

int rs_columns_n(const struct rs_summary *summary)
{
	return RS_COLUMN_PERCENTILES + (int)summary->percentiles.n;
}

static void wish_for(struct rs_columns_wish *wish, enum rs_table_column column, uint32_t millionths)
{
	for (size_t i = 0; i < wish->n; i++)
		if (wish->items[i].column == column && wish->items[i].millionths == millionths)
			return;
	if (wish->n == RS_COLUMN_N)
		return;
	wish->items[wish->n].column = column;
	wish->items[wish->n++].millionths = millionths;
}

void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths)
{
	wish_for(wish, RS_COLUMN_PERCENTILES, millionths);
}

bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *word, size_t length)
{
	for (int i = 0; i < RS_COLUMN_PERCENTILES; i++) {
		enum rs_table_column column = (enum rs_table_column)i;
		const char *title = kinds[column].title;
		if (kinds[column].is_on_demand || strlen(title) != length ||
			memcmp(title, word, length) != 0)
			continue;
		wish_for(wish, column, 0);
		return true;
	}
	return false;
}

void rs_columns_list(char *text, size_t bytes)
{
	const char *before = "";
	text[0] = '\0';
	for (int i = 0; i < RS_COLUMN_PERCENTILES; i++) {
		size_t used = strlen(text);
		if (kinds[i].is_on_demand)
			continue;
		snprintf(text + used, bytes - used, "%s%s", before, kinds[i].title);
		before = ", ";
	}
}

static bool is_quantile(enum rs_table_column column)
{
	return column == RS_COLUMN_P50 || column == RS_COLUMN_P90 || column == RS_COLUMN_P99;
}

/* The columns of a wish, then the percentiles that are not among them. */
static size_t grant(enum rs_table_column *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary)
{
	const struct rs_percentiles *percentiles = &summary->percentiles;
	bool is_granted[RS_MAX_PERCENTILES] = {false};
	size_t n = 0;
	for (size_t i = 0; i < wish->n; i++) {
		if (wish->items[i].millionths == 0)
			columns[n++] = wish->items[i].column;
		for (size_t p = 0; p < percentiles->n; p++) {
			if (percentiles->items[p].millionths != wish->items[i].millionths)
				continue;
			columns[n++] = (enum rs_table_column)(RS_COLUMN_PERCENTILES + p);
			is_granted[p] = true;
		}
	}
	for (size_t p = 0; p < percentiles->n; p++)
		if (!is_granted[p])
			columns[n++] = (enum rs_table_column)(RS_COLUMN_PERCENTILES + p);
	return n;
}

size_t rs_columns_choose(enum rs_table_column *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_table_column *set, size_t n)
{
	size_t n_chosen = 0, n_percentiles = summary->percentiles.n;
	bool are_there = false;
	if (wish->n > 0)
		return grant(columns, wish, summary);
	for (size_t i = 0; i < n; i++) {
		if (n_percentiles == 0 || !is_quantile(set[i])) {
			columns[n_chosen++] = set[i];
			continue;
		}
		for (size_t p = 0; p < n_percentiles && !are_there; p++)
			columns[n_chosen++] = (enum rs_table_column)(RS_COLUMN_PERCENTILES + p);
		are_there = true;
	}
	return n_chosen;
}
