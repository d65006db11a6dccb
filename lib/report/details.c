/* SPDX-License-Identifier: MIT */
/*
 * This file writes details of a region as text: the work of its calls, its slowest calls and the
 * overhead of its markers. It reads the region in a summary. It omits details that do not fit the
 * width.
 */
#include "report/details.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/markdown.h"
#include "report/style.h"

#define INDENT 2u
#define NAME_BYTES 512u
#define EVENT_BYTES (NAME_BYTES + RS_CELL_TEXT_BYTES + 4u)
#define HEAD_BYTES 256u
#define RATIO_BYTES 48u
#define LINE_BYTES 4096u

/* If the ratio of averages is this large, the other calls had almost none of the event. Then show
 * the average per call instead. */
#define MOST_RATIO 100

/* Write a positive number with two digits: "9.9", "34". Write larger numbers without decimals:
 * "340". */
static const char *two_digits(char digits[RS_TEXT_INTEGER_BYTES], double value)
{
	if (value < 9.95)
		snprintf(digits, RS_TEXT_INTEGER_BYTES, "%.1f", value);
	else
		rs_text_unsigned(digits, (uint64_t)fmin(value + 0.5, 1e19));
	return digits;
}

/* ---- work ---- */

/* Append a number and its unit to text, unless the number is 0 or unknown. before: separator
 * between this number and those before it. */
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

/* Append a rate, unless tables show the same value as a metric. */
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

/* ---- slow calls ---- */

/* Write the average of an event over a tail's calls as a multiple of the average over the other
 * calls: "name 40x", "name 1.5x". If the other calls had almost none of the event, write the
 * average itself: "name 0.9 a call". */
static void format_event(
	char *out, const struct rs_summary_column *column, const struct rs_tail_event *event)
{
	char name[NAME_BYTES], digits[RS_TEXT_INTEGER_BYTES];
	bool is_ratio = event->ratio < MOST_RATIO;
	double value = is_ratio ? event->ratio : event->avg;
	rs_text_escape(name, sizeof(name), column->name);
	snprintf(out, EVENT_BYTES, "%s %s%s", name, two_digits(digits, value),
		is_ratio ? "x" : " a call");
}

char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail, size_t columns)
{
	struct rs_cell_text share, bound;
	size_t room = (tail->n_shown + 1) * (EVENT_BYTES + 2), length;
	char *text = malloc(room), event[EVENT_BYTES];
	if (!text)
		return NULL;
	rs_format_percent(&share, tail->share);
	rs_format_total(&bound, RS_FORMAT_NS, tail->bound_ns, false);
	length = (size_t)snprintf(text, room, "slowest %s%% (>= %s):", share.text, bound.text);
	for (size_t i = 0; i < tail->n_shown; i++) {
		size_t column = tail->shown[i];
		format_event(event, &summary->columns[column], &tail->events[column]);
		/* show the first event at any width */
		if (i > 0 && columns > 0 && rs_width_of(text) + 2 + rs_width_of(event) > columns)
			break;
		length += (size_t)snprintf(
			text + length, room - length, "%s%s", i > 0 ? ", " : " ", event);
	}
	return text;
}

/* Write the time of the slowest call as a multiple of the region's p90: "4.2x p90". Write "" if the
 * ratio is unknown. */
static void format_ratio(char text[RATIO_BYTES], const struct rs_summary_region *region)
{
	char digits[RS_TEXT_INTEGER_BYTES];
	text[0] = '\0';
	if (isfinite(region->slowest_ratio))
		snprintf(text, RATIO_BYTES, "%sx p90", two_digits(digits, region->slowest_ratio));
}

/* Fill head[HEAD_BYTES] with the time, the ratio to p90, the start and the thread of the slowest
 * call. */
static void format_head(char *head, const struct rs_summary_region *region)
{
	struct rs_cell_text time, start;
	char ratio[RATIO_BYTES];
	rs_format_total(&time, RS_FORMAT_NS, region->slowest[0].total, false);
	format_ratio(ratio, region);
	rs_format_total(&start, RS_FORMAT_NS, region->slowest_start_ns, false);
	snprintf(head, HEAD_BYTES, "slowest call: %s, %s, %s after the start, thread %u", time.text,
		ratio, start.text, (unsigned)region->slowest_tid);
}

char *rs_slowest_text(
	const struct rs_summary *summary, const struct rs_summary_region *region, size_t columns)
{
	size_t room = HEAD_BYTES + summary->n_columns * EVENT_BYTES;
	char *text = region->slowest && region->slowest_matters ? malloc(room) : NULL;
	if (!text)
		return NULL;
	format_head(text, region);
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++) {
		const struct rs_value *value = &region->slowest[c];
		char name[NAME_BYTES], event[EVENT_BYTES];
		struct rs_cell_text cell;
		bool is_ns = strcmp(summary->columns[c].unit, "ns") == 0;
		if (!rs_value_has_total(value) || summary->columns[c].is_part)
			continue;
		rs_text_escape(name, sizeof(name), summary->columns[c].name);
		rs_format_total(&cell, is_ns ? RS_FORMAT_NS : RS_FORMAT_COUNT, value->total, false);
		snprintf(event, sizeof(event), ", %s %s", name, cell.text);
		if (columns == 0 || rs_width_of(text) + rs_width_of(event) <= columns)
			strcat(text, event);
	}
	return text;
}

/* ---- lines ---- */

/* Return the greatest width of a line's text; 0: no limit. */
static size_t text_width(const struct rs_report_options *options)
{
	return options->width > (int)INDENT ? (size_t)options->width - INDENT : 0;
}

static void write_line(const struct rs_summary_region *region, const char *text,
	const struct rs_report_options *options, FILE *stream)
{
	char cut[LINE_BYTES];
	if (options->markdown) {
		fputs("- ", stream);
		rs_markdown_text(region->name, false, stream);
		fputs(": ", stream);
		rs_markdown_text(text, false, stream);
		putc('\n', stream);
		return;
	}
	rs_width_cut(
		cut, sizeof(cut), text, text_width(options) > 0 ? text_width(options) : SIZE_MAX);
	fprintf(stream, "%*s%s\n", (int)INDENT, "", cut);
}

static void write_slowest(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	char *text = rs_slowest_text(summary, region, text_width(options)), ratio[RATIO_BYTES];
	struct rs_cell_text start;
	format_ratio(ratio, region);
	rs_format_total(&start, RS_FORMAT_NS, region->slowest_start_ns, false);
	if (text && options->markdown)
		write_line(region, text, options, stream);
	else if (text)
		fprintf(stream, "  %s\n", text);
	else if (region->slowest && !options->markdown)
		fprintf(stream,
			"  slowest call: %s after the start, process %" PRIu32 ", thread %" PRIu32
			"%s%s\n",
			start.text, region->slowest_pid, region->slowest_tid, ratio[0] ? ", " : "",
			ratio);
	free(text);
}

/* Write the line with the name of a region, above its details. */
static void write_name(const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	char name[LINE_BYTES], cut[LINE_BYTES];
	rs_text_escape(name, sizeof(name), region->name);
	rs_width_cut(
		cut, sizeof(cut), name, options->width > 0 ? (size_t)options->width : SIZE_MAX);
	fprintf(stream, "\n%s%s%s\n", style->bold, cut, style->off);
}

void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_marker_overhead *cost = &region->overhead;
	char line[RS_WORK_TEXT_BYTES + 8], work[RS_WORK_TEXT_BYTES];
	if (!region->slowest && !cost->known && region->work.calls == 0)
		return;
	if (!options->markdown)
		write_name(region, options, stream);
	if (rs_work_text(work, region)) {
		snprintf(line, sizeof(line), "%s%s", options->markdown ? "" : "work: ", work);
		write_line(region, line, options, stream);
	}
	for (size_t i = 0; i < region->n_tails; i++) {
		const struct rs_tail *tail = &region->tails[i];
		char *text = tail->n_shown > 0 ? rs_tail_text(summary, tail, text_width(options))
					       : NULL;
		if (text)
			write_line(region, text, options, stream);
		free(text);
	}
	write_slowest(summary, region, options, stream);
	if (cost->known && isfinite(cost->share) && !options->markdown)
		fprintf(stream,
			"  overhead: at least %.*f ns a call, %.3g%% of the CPU time of its calls "
			"and markers\n",
			cost->call_ns < 100 ? 1 : 0, cost->call_ns, cost->share * 100);
}
