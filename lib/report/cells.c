/* SPDX-License-Identifier: MIT */
/*
 * This file formats the cells that several tables for people contain. It reads values of a finished
 * summary and writes text.
 */
#include "report/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LEAST_SHOWN_SHARE 0.0005 /* smaller shares would be shown as 0.0% */
#define UNIT_BYTES 256u

double rs_cell_bound(const struct rs_summary_region *region, const struct rs_cell_column *column)
{
	return column->is_time ? rs_summary_bound_ns(region) : 0;
}

static void add_before(struct rs_cell_text *cell, const char *before)
{
	size_t bytes = strlen(before);
	memmove(cell->text + bytes, cell->text, strlen(cell->text) + 1);
	memcpy(cell->text, before, bytes);
	cell->unit += bytes;
}

void rs_cell_amount(struct rs_cell_text *cell, const char *before, double amount, bool is_ns)
{
	double most = 18446744073709549568.0; /* largest double that fits into a uint64_t */
	rs_format_field(cell,
		rs_field_of_integer(amount < most ? (uint64_t)(amount + 0.5) : UINT64_MAX), is_ns);
	add_before(cell, before);
}

static void set_text(struct rs_cell_text *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text);
	cell->unit = strlen(cell->text);
}

static void set_percent(struct rs_cell_text *cell, double share)
{
	set_text(cell, "");
	if (share >= LEAST_SHOWN_SHARE)
		snprintf(cell->text, sizeof(cell->text), "%.1f%%", share * 100);
	cell->unit = strlen(cell->text);
}

void rs_cell_statistic(struct rs_cell_text *cell, const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value,
	const struct rs_cell_column *column)
{
	struct rs_field field = rs_statistic_of(statistic, region, value);
	bool is_sampled_max = statistic == &rs_statistics[RS_STATISTIC_MAX] &&
			      rs_value_has_error(value);
	bool is_total = statistic->kind == RS_STATISTIC_OF_ALL;
	double amount = field.kind == RS_FIELD_INTEGER ? (double)field.integer : field.real;
	double bound = rs_cell_bound(region, column) * (is_total ? (double)region->calls : 1);
	if (field.kind == RS_FIELD_ABSENT)
		set_text(cell, region->calls > 0 || is_total ? "-" : "");
	else if (statistic->kind == RS_STATISTIC_SHARE)
		set_percent(cell, amount);
	else if (statistic->kind == RS_STATISTIC_OF_REGION)
		rs_format_field(cell, field, false);
	else if (amount < bound && !is_sampled_max)
		rs_cell_amount(cell, "<", bound, column->is_ns);
	else
		rs_format_field(cell, field, column->is_ns);
	if (field.kind != RS_FIELD_ABSENT && is_sampled_max)
		add_before(cell, column->utf8 ? "\xe2\x89\xa5" : ">=");
}

void rs_cell_share(struct rs_cell_text *cell, uint32_t share, double below)
{
	set_text(cell, "-");
	if (share != RS_NO_SHARE && isfinite(below) && below * 1000 > share)
		snprintf(cell->text, sizeof(cell->text), "<%.*f%%", below < 0.1 ? 1 : 0,
			ceil(below * (below < 0.1 ? 1000 : 100)) / (below < 0.1 ? 10 : 1));
	else if (share != RS_NO_SHARE)
		snprintf(cell->text, sizeof(cell->text), "%" PRIu32 ".%" PRIu32 "%%", share / 10,
			share % 10);
	cell->unit = strlen(cell->text);
}

bool rs_cell_error(struct rs_cell_text *cell, const struct rs_value *value)
{
	if (!rs_value_is_estimate(value))
		return false;
	if (!rs_value_has_error(value) || value->total == 0)
		set_text(cell, "-");
	else
		set_percent(cell, rs_value_error(value) / (double)value->total);
	return true;
}

/* If the machine cannot count the events of a metric, only the totals of the run say so, and
 * regions have no row. */
bool rs_metric_has_row(const struct rs_metric *metric)
{
	return metric->column == RS_NO_COLUMN && !rs_value_status_is_refusal(metric->status);
}

void rs_cell_metric(struct rs_cell_text *cell, const struct rs_metric *metric)
{
	char unit[UNIT_BYTES];
	rs_text_escape(unit, sizeof(unit), metric->unit);
	/* the word "count" would add nothing */
	bool is_plain = strcmp(unit, "count") == 0;
	rs_format_metric(cell, "", is_plain ? "ratio" : unit, metric->value);
	if (!cell->text[0])
		strcpy(cell->text,
			metric->status == RS_VALUE_UNDEFINED || !rs_metric_has_row(metric)
				? rs_status_words(metric->status)
				: "-");
	size_t length = strlen(cell->text);
	if (cell->text[length - 1] == ' ')
		cell->text[length - 1] = '\0';
	length = strlen(cell->text);
	cell->unit = cell->unit > length || cell->unit == 0 ? length : cell->unit;
}
