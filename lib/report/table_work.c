/* SPDX-License-Identifier: MIT */
/*
 * The work of a region as text. In come bytes, operations and rates of a summary; out goes a line
 * with those of them that there are.
 */
#include "report/table_work.h"

#include <math.h>
#include <string.h>

#include "base/width.h"
#include "report/format.h"

#define INDENT 2u

/* Add a figure and its unit; nothing where there is none. before: what parts it from the last. */
static void add(char *text, const char *before, double value, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	struct rs_cell_text cell;
	char full[32];
	size_t used = strlen(text), p = 0;
	bool is_rate = strchr(unit, '/') != NULL;
	if (!isfinite(value) || value <= 0)
		return;
	for (; !is_rate && p < 6 && value >= 999.5; p++)
		value /= 1000;
	snprintf(full, sizeof(full), "%s%s", prefixes[p], unit);
	rs_format_metric(&cell, "", full, value);
	snprintf(text + used, RS_WORK_TEXT_BYTES - used, "%s%s", used > 0 ? before : "", cell.text);
}

/* Add a rate, unless a metric that was asked for says the same in a row of its own. */
static void add_rate(
	char *text, const struct rs_summary_region *region, double value, const char *unit)
{
	for (size_t i = 0; i < region->n_metrics; i++) {
		const struct rs_metric *metric = &region->metrics[i];
		bool is_it = metric->column == RS_NO_COLUMN && strcmp(metric->unit, unit) == 0;
		if (is_it && fabs(metric->value - value) <= 1e-9 * value)
			return;
	}
	add(text, "  ", value, unit);
}

bool rs_work_text(char *text, const struct rs_summary_region *region)
{
	const struct rs_summary_work *work = &region->work;
	double calls = (double)work->calls;
	text[0] = '\0';
	if (work->calls == 0)
		return false;
	add_rate(text, region, work->gb_per_s, "GB/s");
	add_rate(text, region, work->gflop_per_s, "GFLOP/s");
	add_rate(text, region, work->flop_per_byte, "flop/B");
	size_t rates = strlen(text);
	add(text, "  ", (double)work->bytes / calls, "B");
	add(text, work->bytes > 0 ? ", " : "  ", (double)work->flops / calls, "flop");
	if (strlen(text) == rates)
		return rates > 0;
	strcat(text, " a call");
	return true;
}

void rs_table_work(const struct rs_summary_region *region, const struct rs_report_options *options,
	FILE *stream)
{
	char text[RS_WORK_TEXT_BYTES], line[RS_WORK_TEXT_BYTES + 8], cut[RS_WORK_TEXT_BYTES + 16];
	size_t width = options->width > (int)INDENT ? (size_t)options->width - INDENT : SIZE_MAX;
	if (!rs_work_text(text, region))
		return;
	snprintf(line, sizeof(line), "work: %s", text);
	rs_width_cut(cut, sizeof(cut), line, width);
	fprintf(stream, "%*s%s\n", (int)INDENT, "", cut);
}
