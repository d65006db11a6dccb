/* SPDX-License-Identifier: MIT */
/*
 * This file formats numbers for tables. It reads a number and its unit, and writes ASCII text. The
 * text does not depend on the locale, because the program never sets LC_NUMERIC.
 */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct short_unit {
	double size;
	const char *name;
};

static const struct short_unit count_units[] = {
	{1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}, {1e15, " P"}, {1e18, " E"}};
static const struct short_unit ns_units[] = {{1, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}};

#define LARGEST_FULL_COUNT 99999u

static void finish(struct rs_cell_text *cell, size_t n_number)
{
	cell->unit = n_number;
}

void rs_format_integer(struct rs_cell_text *cell, uint64_t value)
{
	rs_text_unsigned(cell->text, value);
	finish(cell, strlen(cell->text));
}

static uint64_t rounded(double value)
{
	return value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

void rs_format_average(struct rs_cell_text *cell, double value)
{
	double size = fabs(value);
	if (!isfinite(value)) {
		snprintf(cell->text, sizeof(cell->text), "-");
	} else if (size >= 9.995 || size == floor(size)) {
		snprintf(cell->text, sizeof(cell->text), "%s", value < 0 ? "-" : "");
		rs_text_unsigned(cell->text + strlen(cell->text), rounded(size));
	} else if (size < 0.01) {
		snprintf(cell->text, sizeof(cell->text), "<0.01");
	} else {
		snprintf(cell->text, sizeof(cell->text), "%.2f", value);
	}
	finish(cell, strlen(cell->text));
}

/* Append value with three significant digits, or two decimals from 0.1 to 1. A value of 1,000 or
 * more keeps all digits. Only values in the largest unit are that large. */
static void add_three_digits(char *text, double value)
{
	char *end = text + strlen(text);
	size_t room = RS_CELL_TEXT_BYTES - strlen(text);
	if (value > 0 && value < 0.0995)
		snprintf(end, room, "%#.3g", value);
	else if (value < 9.995)
		snprintf(end, room, "%.2f", value);
	else if (value < 99.95)
		snprintf(end, room, "%.1f", value);
	else
		rs_text_unsigned(end, rounded(value));
}

void rs_format_total(struct rs_cell_text *cell, enum rs_format_unit unit, uint64_t value)
{
	if (unit == RS_FORMAT_COUNT && value <= LARGEST_FULL_COUNT) {
		rs_format_integer(cell, value);
		return;
	}
	cell->text[0] = '\0';
	const struct short_unit *units = unit == RS_FORMAT_NS ? ns_units : count_units;
	size_t n_units = unit == RS_FORMAT_NS ? sizeof(ns_units) / sizeof(ns_units[0])
					      : sizeof(count_units) / sizeof(count_units[0]);
	size_t u = 0;
	/* use the next unit if value would round to 1,000 in this one */
	while (u + 1 < n_units && (double)value / units[u].size >= 999.5)
		u++;
	if (unit == RS_FORMAT_NS && u == 0)
		rs_text_unsigned(cell->text, value);
	else
		add_three_digits(cell->text, (double)value / units[u].size);
	finish(cell, strlen(cell->text));
	strcat(cell->text, units[u].name);
}

void rs_format_mean(struct rs_cell_text *cell, enum rs_format_unit unit, double value)
{
	if (value >= 99.5 && (unit == RS_FORMAT_NS || value > LARGEST_FULL_COUNT)) {
		rs_format_total(cell, unit, rounded(value));
		return;
	}
	rs_format_average(cell, value);
	if (unit == RS_FORMAT_NS && isfinite(value))
		strcat(cell->text, ns_units[0].name);
}

void rs_format_overhead(struct rs_cell_text *cell, double ns)
{
	if (ns >= 99.95) {
		rs_format_total(cell, RS_FORMAT_NS, rounded(ns));
		return;
	}
	snprintf(cell->text, sizeof(cell->text), "%.1f ns", ns);
	finish(cell, strlen(cell->text) - strlen(" ns"));
}

void rs_format_field(struct rs_cell_text *cell, struct rs_field field, bool is_ns)
{
	if (field.kind == RS_FIELD_INTEGER && is_ns)
		rs_format_total(cell, RS_FORMAT_NS, field.integer);
	else if (field.kind == RS_FIELD_INTEGER)
		rs_format_integer(cell, field.integer);
	else if (field.kind == RS_FIELD_REAL && is_ns)
		rs_format_mean(cell, RS_FORMAT_NS, field.real);
	else
		rs_format_average(cell, field.kind == RS_FIELD_REAL ? field.real : NAN);
}

void rs_format_percent(struct rs_cell_text *cell, double ratio)
{
	double percent = ratio * 100;
	/* do not round up to 100, which would mean that nothing is missing */
	if (ratio < 1 && percent > 99.9)
		percent = 99.9;
	snprintf(cell->text, sizeof(cell->text), "%.1f", percent);
	finish(cell, strlen(cell->text));
}

void rs_format_real(struct rs_cell_text *cell, double value)
{
	snprintf(cell->text, sizeof(cell->text), "%s", value < 0 ? "-" : "");
	if (isfinite(value))
		add_three_digits(cell->text, fabs(value));
	finish(cell, strlen(cell->text));
}

void rs_format_metric(struct rs_cell_text *cell, const char *name, const char *unit, double value)
{
	cell->text[0] = '\0';
	if (!isfinite(value)) {
		finish(cell, 0);
		return;
	}
	rs_format_real(cell, value);
	size_t used = cell->unit;
	if (strcmp(unit, "%") == 0)
		strcat(cell->text, "%");
	else
		snprintf(cell->text + used, sizeof(cell->text) - used, " %s",
			strcmp(unit, "ratio") == 0 ? name : unit);
}

#define LEAST_SHOWN_SHARE 0.0005 /* smaller shares would be shown as 0.0% */
#define UNIT_BYTES 256u

/* If the table shows time and calls of the region are short, return the overhead of a call in ns.
 * Smaller values are unreliable. Otherwise return 0. */
static double find_bound(
	const struct rs_summary_region *region, const struct rs_cell_column *column)
{
	return column->is_time ? region->bound_ns : 0;
}

double rs_cell_self_bound(
	const struct rs_summary_region *region, const struct rs_cell_column *column, double self)
{
	double bound = find_bound(region, column) * (double)region->calls;
	return self < bound ? bound : 0;
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
	double bound = find_bound(region, column) * (is_total ? (double)region->calls : 1);
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
	if (share != RS_NO_SHARE && isfinite(below) && below > 0)
		snprintf(cell->text, sizeof(cell->text), "<%.*f%%", below < 0.1 ? 1 : 0,
			ceil(fmin(below, 1) * (below < 0.1 ? 1000 : 100)) / (below < 0.1 ? 10 : 1));
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

double rs_region_ipc(const struct rs_summary_region *region)
{
	for (size_t i = 0; i < region->n_metrics; i++)
		if (!strcmp(region->metrics[i].name, "IPC") && isfinite(region->metrics[i].value))
			return region->metrics[i].value;
	return NAN;
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
