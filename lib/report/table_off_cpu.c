/* SPDX-License-Identifier: MIT */
/*
 * How long a region was on a CPU, and why it was not: lines in the table. Comes in: a region of a
 * summary. Goes out: what a call takes on the CPU, and how long calls were blocked and preempted, as a
 * part of their time and of how many calls.
 */
#include "report/table_off_cpu.h"

#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/statistic.h"

#define INDENT 2u

#define LINE_BYTES 512u

static void add(char *line, const char *word, uint64_t ns, bool is_estimate)
{
	struct rs_cell_text cell;
	size_t used = strlen(line);
	rs_format_total(&cell, RS_QUANTITY_NS, ns, is_estimate);
	snprintf(line + used, LINE_BYTES - used, "   %s%s%s", word, *word ? " " : "", cell.text);
}

/* "   96.5% of its time", behind what line[LINE_BYTES] holds. */
static void add_share(char *line, uint64_t ns, const struct rs_summary_value *time)
{
	size_t used = strlen(line);
	if (time->has_total && time->total > 0 && ns <= time->total)
		snprintf(line + used, LINE_BYTES - used, "   %.1f%% of its time",
			100 * (double)ns / (double)time->total);
}

static void write_line(const char *line, const struct rs_report_options *options, FILE *stream)
{
	char cut[LINE_BYTES + 4];
	size_t width = options->width > (int)INDENT ? (size_t)options->width - INDENT : SIZE_MAX;
	rs_width_cut(cut, sizeof(cut), line, width);
	fprintf(stream, "%*s%s\n", (int)INDENT, "", cut);
}

static void write_cpu_time(const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_summary_value *value = &region->cpu_time;
	char line[LINE_BYTES];
	snprintf(line, sizeof(line), "%s:", rs_cpu_time_word);
	if (value->has_distribution) {
		add(line, "avg", (uint64_t)(value->avg + 0.5), false);
		if (!value->lacks_quantiles)
			add(line, "p90", value->p90, false);
		add(line, "max", value->max, false);
	}
	add(line, "total", value->total, value->status == RS_VALUE_SCALED);
	write_line(line, options, stream);
}

static void write_off(const struct rs_summary_region *region, enum rs_off_kind kind,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_summary_value *value = &region->off[kind];
	char line[LINE_BYTES], digits[RS_TEXT_INTEGER_BYTES];
	if (value->total == 0)
		return;
	snprintf(line, sizeof(line), "%s:", rs_off_words[kind]);
	add(line, "", value->total, false);
	add_share(line, value->total, &region->values[0]);
	size_t used = strlen(line);
	snprintf(line + used, sizeof(line) - used, "   %s call%s",
		rs_text_unsigned(digits, value->counted), value->counted == 1 ? "" : "s");
	write_line(line, options, stream);
}

void rs_table_off_cpu(const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	if (!region->cpu_time.has_total)
		return;
	write_cpu_time(region, options, stream);
	for (int k = 0; k < RS_OFF_N; k++)
		write_off(region, (enum rs_off_kind)k, options, stream);
}
