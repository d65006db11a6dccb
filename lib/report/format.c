/* SPDX-License-Identifier: MIT */
/*
 * This file formats numbers for tables. It reads a number and its unit, and writes ASCII text. The
 * text does not depend on the locale, because the program never sets LC_NUMERIC.
 */
#include "report/format.h"

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

/* Append value with three significant digits. A value of 1,000 or more keeps all digits. Only
 * values in the largest unit are that large. */
static void add_three_digits(char *text, double value)
{
	char *end = text + strlen(text);
	size_t room = RS_CELL_TEXT_BYTES - strlen(text);
	if (value < 9.995)
		snprintf(end, room, "%.2f", value);
	else if (value < 99.95)
		snprintf(end, room, "%.1f", value);
	else
		rs_text_unsigned(end, rounded(value));
}

static void format_magnitude(
	struct rs_cell_text *cell, enum rs_format_unit unit, uint64_t value, const char *sign)
{
	snprintf(cell->text, sizeof(cell->text), "%s", sign);
	if (unit == RS_FORMAT_COUNT && value <= LARGEST_FULL_COUNT) {
		rs_text_unsigned(cell->text + strlen(cell->text), value);
		finish(cell, strlen(cell->text));
		return;
	}
	const struct short_unit *units = unit == RS_FORMAT_NS ? ns_units : count_units;
	size_t n_units = unit == RS_FORMAT_NS ? sizeof(ns_units) / sizeof(ns_units[0])
					      : sizeof(count_units) / sizeof(count_units[0]);
	size_t u = 0;
	/* use the next unit if value would round to 1,000 in this one */
	while (u + 1 < n_units && (double)value / units[u].size >= 999.5)
		u++;
	if (unit == RS_FORMAT_NS && u == 0)
		rs_text_unsigned(cell->text + strlen(cell->text), value);
	else
		add_three_digits(cell->text, (double)value / units[u].size);
	finish(cell, strlen(cell->text));
	strcat(cell->text, units[u].name);
}

void rs_format_total(
	struct rs_cell_text *cell, enum rs_format_unit unit, uint64_t value, bool scaled)
{
	format_magnitude(cell, unit, value, scaled ? "~" : "");
}

void rs_format_mean(struct rs_cell_text *cell, enum rs_format_unit unit, double value)
{
	if (value >= 99.5 && (unit == RS_FORMAT_NS || value > LARGEST_FULL_COUNT)) {
		format_magnitude(cell, unit, rounded(value), "");
		return;
	}
	rs_format_average(cell, value);
	if (unit == RS_FORMAT_NS && isfinite(value))
		strcat(cell->text, ns_units[0].name);
}

void rs_format_field(struct rs_cell_text *cell, struct rs_field field, bool is_ns)
{
	if (field.kind == RS_FIELD_INTEGER && is_ns)
		rs_format_total(cell, RS_FORMAT_NS, field.integer, false);
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

void rs_format_metric(struct rs_cell_text *cell, const char *name, const char *unit, double value)
{
	cell->text[0] = '\0';
	if (!isfinite(value)) {
		finish(cell, 0);
		return;
	}
	snprintf(cell->text, sizeof(cell->text), "%s", value < 0 ? "-" : "");
	add_three_digits(cell->text, fabs(value));
	size_t used = strlen(cell->text);
	finish(cell, used);
	if (strcmp(unit, "%") == 0)
		strcat(cell->text, "%");
	else
		snprintf(cell->text + used, sizeof(cell->text) - used, " %s",
			strcmp(unit, "ratio") == 0 ? name : unit);
}
