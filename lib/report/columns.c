/* SPDX-License-Identifier: MIT */
/*
 * This file chooses the columns of a table. It reads the user's list (--columns), the default set
 * of the table and the percentiles of the summary. It fills a list of statistics.
 */
#include "report/columns.h"

#include <string.h>

#include "base/text.h"

static void wish_for(
	struct rs_columns_wish *wish, enum rs_statistic_index statistic, uint32_t millionths)
{
	for (size_t i = 0; i < wish->n; i++)
		if (wish->items[i].statistic == statistic &&
			wish->items[i].millionths == millionths)
			return;
	if (wish->n == RS_MOST_COLUMNS)
		return;
	wish->items[wish->n].statistic = statistic;
	wish->items[wish->n++].millionths = millionths;
}

void rs_columns_wish_for_percentile(struct rs_columns_wish *wish, uint32_t millionths)
{
	wish_for(wish, RS_STATISTIC_N, millionths);
}

bool rs_columns_wish_for(struct rs_columns_wish *wish, const char *title)
{
	for (int i = 0; i < RS_STATISTIC_N; i++) {
		if (!(rs_statistics[i].in & RS_IN_COLUMNS) ||
			strcmp(rs_statistic_title(&rs_statistics[i]), title) != 0)
			continue;
		wish_for(wish, (enum rs_statistic_index)i, 0);
		return true;
	}
	return false;
}

void rs_columns_list(char *text, size_t bytes)
{
	text[0] = '\0';
	for (int i = 0; i < RS_STATISTIC_N; i++)
		if (rs_statistics[i].in & RS_IN_COLUMNS)
			rs_text_list(text, bytes, rs_statistic_title(&rs_statistics[i]));
}

static void add(struct rs_table_columns *columns, const struct rs_statistic *statistic)
{
	for (size_t i = 0; i < columns->n; i++)
		if (columns->items[i] == statistic)
			return;
	columns->items[columns->n++] = statistic;
}

void rs_columns_choose(struct rs_table_columns *columns, const struct rs_columns_wish *wish,
	const struct rs_summary *summary, const enum rs_statistic_index *set, size_t n)
{
	size_t n_percentiles = summary->percentiles.n;
	columns->n = 0;
	for (size_t p = 0; p < n_percentiles; p++)
		columns->percentiles[p] = rs_statistic_of_percentile(
			&summary->percentiles.items[p]);
	for (size_t i = 0; i < wish->n; i++) {
		if (wish->items[i].statistic != RS_STATISTIC_N)
			add(columns, &rs_statistics[wish->items[i].statistic]);
		for (size_t p = 0; p < n_percentiles; p++)
			if (columns->percentiles[p].arg == wish->items[i].millionths)
				add(columns, &columns->percentiles[p]);
	}
	for (size_t i = 0; wish->n == 0 && i < n; i++) {
		bool is_replaced = n_percentiles > 0 && rs_statistics[set[i]].arg > 0;
		for (size_t p = 0; is_replaced && p < n_percentiles; p++)
			add(columns, &columns->percentiles[p]);
		if (!is_replaced)
			add(columns, &rs_statistics[set[i]]);
	}
	for (size_t p = 0; wish->n > 0 && p < n_percentiles; p++)
		add(columns, &columns->percentiles[p]);
}
