/* SPDX-License-Identifier: MIT */
/*
 * This file formats numbers for tables. It reads a number and its unit, and writes ASCII text. The
 * text does not depend on the locale, because the program never sets LC_NUMERIC.
 */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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

static __attribute__((format(printf, 1, 2))) struct rs_cell_text cell_of(const char *format, ...)
{
	struct rs_cell_text cell;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(cell.text, sizeof(cell.text), format, arguments);
	va_end(arguments);
	return cell;
}

struct rs_cell_text rs_format_integer(uint64_t value)
{
	char digits[RS_TEXT_INTEGER_BYTES];
	return cell_of("%s", rs_text_unsigned(digits, value));
}

static uint64_t rounded(double value)
{
	return value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX;
}

struct rs_cell_text rs_format_average(double value)
{
	double size = fabs(value);
	char digits[RS_TEXT_INTEGER_BYTES];
	if (!isfinite(value))
		return cell_of("-");
	if (size >= 9.995 || size == floor(size))
		return cell_of(
			"%s%s", value < 0 ? "-" : "", rs_text_unsigned(digits, rounded(size)));
	return size < 0.01 ? cell_of("<0.01") : cell_of("%.2f", value);
}

/* A number from 0.1 to 1 has two decimals. A number of 1,000 or more keeps all digits. Totals are
 * that large only in the largest unit. */
struct rs_cell_text rs_format_real(double value)
{
	const char *sign = value < 0 ? "-" : "";
	double size = fabs(value);
	char digits[RS_TEXT_INTEGER_BYTES];
	if (!isfinite(value))
		return cell_of("%s", "");
	if (size > 0 && size < 0.0995)
		return cell_of("%s%#.3g", sign, size);
	if (size < 99.95)
		return cell_of("%s%.*f", sign, size < 9.995 ? 2 : 1, size);
	return cell_of("%s%s", sign, rs_text_unsigned(digits, rounded(size)));
}

struct rs_cell_text rs_format_total(uint64_t value, bool is_ns)
{
	const struct short_unit *units = is_ns ? ns_units : count_units;
	size_t n_units = is_ns ? sizeof(ns_units) / sizeof(ns_units[0])
			       : sizeof(count_units) / sizeof(count_units[0]);
	size_t u = 0;
	if (!is_ns && value <= LARGEST_FULL_COUNT)
		return rs_format_integer(value);
	/* use the next unit if value would round to 1,000 in this one */
	while (u + 1 < n_units && (double)value / units[u].size >= 999.5)
		u++;
	struct rs_cell_text cell = is_ns && u == 0 ? rs_format_integer(value)
						   : rs_format_real((double)value / units[u].size);
	strcat(cell.text, units[u].name);
	return cell;
}

struct rs_cell_text rs_format_mean(double value, bool is_ns)
{
	if (value >= 99.5 && (is_ns || value > LARGEST_FULL_COUNT))
		return rs_format_total(rounded(value), is_ns);
	struct rs_cell_text cell = rs_format_average(value);
	if (is_ns && isfinite(value))
		strcat(cell.text, ns_units[0].name);
	return cell;
}

struct rs_cell_text rs_format_overhead(double ns)
{
	if (ns >= 99.95)
		return rs_format_total(rounded(ns), true);
	struct rs_cell_text cell = cell_of("%.1f", ns);
	strcat(cell.text, ns_units[0].name);
	return cell;
}

struct rs_cell_text rs_format_field(struct rs_field field, bool is_ns)
{
	double real = field.kind == RS_FIELD_REAL ? field.real : NAN;
	if (field.kind == RS_FIELD_INTEGER)
		return is_ns ? rs_format_total(field.integer, true)
			     : rs_format_integer(field.integer);
	return is_ns ? rs_format_mean(real, true) : rs_format_average(real);
}

struct rs_cell_text rs_format_percent(double ratio)
{
	/* do not round up to 100, which would mean that nothing is missing */
	return cell_of("%.1f", ratio < 1 ? fmin(ratio * 100, 99.9) : ratio * 100);
}

const char *rs_format_prefix(double *value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t p = 0;
	for (; p < 6 && *value >= 999.5; p++)
		*value /= 1000;
	return prefixes[p];
}

struct rs_cell_text rs_format_metric(const char *name, const char *unit, double value)
{
	if (!isfinite(value))
		return cell_of("%s", "");
	return cell_of("%s%s%s", rs_format_real(value).text, strcmp(unit, "%") == 0 ? "" : " ",
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

struct rs_cell_text rs_cell_amount(const char *before, double amount, bool is_ns)
{
	double most = 18446744073709549568.0; /* largest double that fits into a uint64_t */
	uint64_t integer = amount < most ? (uint64_t)(amount + 0.5) : UINT64_MAX;
	return cell_of("%s%s", before, rs_format_field(rs_field_of_integer(integer), is_ns).text);
}

struct rs_cell_text rs_cell_statistic(const struct rs_statistic *statistic,
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
		return cell_of("%s", region->calls > 0 || is_total ? "-" : "");
	if (statistic->kind == RS_STATISTIC_OF_REGION)
		return rs_format_field(field, false);
	if (amount < bound && !is_sampled_max)
		return rs_cell_amount("<", bound, column->is_ns);
	return cell_of("%s%s",
		!is_sampled_max ? ""
		: column->utf8	? "\xe2\x89\xa5"
				: ">=",
		rs_format_field(field, column->is_ns).text);
}

struct rs_cell_text rs_cell_share(uint32_t share, double below)
{
	if (share == RS_NO_SHARE)
		return cell_of("-");
	if (isfinite(below) && below > 0)
		return cell_of("<%.*f%%", below < 0.1 ? 1 : 0,
			ceil(fmin(below, 1) * (below < 0.1 ? 1000 : 100)) / (below < 0.1 ? 10 : 1));
	return cell_of("%" PRIu32 ".%" PRIu32 "%%", share / 10, share % 10);
}

struct rs_cell_text rs_cell_error(const struct rs_value *value)
{
	if (!rs_value_is_estimate(value))
		return cell_of("%s", "");
	if (!rs_value_has_error(value) || value->total == 0)
		return cell_of("-");
	double share = rs_value_error(value) / (double)value->total;
	return share < LEAST_SHOWN_SHARE ? cell_of("%s", "") : cell_of("%.1f%%", share * 100);
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

struct rs_cell_text rs_cell_metric(const struct rs_metric *metric)
{
	char unit[UNIT_BYTES];
	rs_text_escape(unit, sizeof(unit), metric->unit);
	/* the word "count" would add nothing */
	bool is_plain = strcmp(unit, "count") == 0;
	struct rs_cell_text cell = rs_format_metric("", is_plain ? "ratio" : unit, metric->value);
	if (!cell.text[0])
		return cell_of(
			"%s", metric->status == RS_VALUE_UNDEFINED || !rs_metric_has_row(metric)
				      ? rs_status_words(metric->status)
				      : "-");
	size_t length = strlen(cell.text);
	if (cell.text[length - 1] == ' ')
		cell.text[length - 1] = '\0';
	return cell;
}
