/* SPDX-License-Identifier: MIT */
/*
 * This file writes details of a region as text: the work of its calls, its slowest calls and the
 * overhead of its markers. It reads the region in a summary. It omits events that do not fit the
 * width.
 */
#include "report/tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/width.h"
#include "report/format.h"
#include "report/grid.h"

#define INDENT 2u
#define LINE_BYTES 4096u

/* If the ratio of averages is this large, the other calls had almost none of the event. Then show
 * the average per call instead. */
#define MOST_RATIO 100

/* Write a positive number with two digits: "9.9", "34". Write larger numbers without decimals:
 * "340". */
static const char *two_digits(double value, struct rs_arena *arena)
{
	if (value < 9.95)
		return rs_arena_format(arena, "%.1f", value);
	return rs_arena_format(
		arena, "%s", rs_format_integer((uint64_t)fmin(value + 0.5, 1e19)).text);
}

/* ---- work ---- */

/* Return text, followed by a number and its unit. If the number is 0 or unknown, return only text.
 * before: separator between the number and the text before it. */
static const char *add(struct rs_arena *arena, const char *text, const char *before, double value,
	const char *unit)
{
	bool is_rate = strchr(unit, '/') != NULL;
	if (!isfinite(value) || value <= 0)
		return text;
	unit = rs_arena_format(arena, "%s%s", is_rate ? "" : rs_format_prefix(&value), unit);
	return rs_arena_format(
		arena, "%s%s%s", text, *text ? before : "", rs_format_metric("", unit, value).text);
}

/* Append a rate, unless tables show the same value as a metric. */
static const char *add_rate(struct rs_arena *arena, const char *text,
	const struct rs_summary_region *region, double value, const char *unit)
{
	for (size_t i = 0; i < region->n_metrics; i++) {
		const struct rs_metric *metric = &region->metrics[i];
		bool is_it = metric->column == RS_NO_COLUMN && strcmp(metric->unit, unit) == 0;
		if (is_it && fabs(metric->value - value) <= 1e-9 * value)
			return text;
	}
	return add(arena, text, "  ", value, unit);
}

const char *rs_work_text(const struct rs_summary_region *region, struct rs_arena *arena)
{
	const struct rs_summary_work *work = &region->work;
	double calls = (double)work->calls;
	if (work->calls == 0)
		return "";
	const char *rates = add_rate(arena, "", region, work->gb_per_s, "GB/s");
	rates = add_rate(arena, rates, region, work->gflop_per_s, "GFLOP/s");
	rates = add_rate(arena, rates, region, work->flop_per_byte, "flop/B");
	const char *text = add(arena, rates, "  ", (double)work->bytes / calls, "B");
	text = add(arena, text, work->bytes > 0 ? ", " : "  ", (double)work->flops / calls, "flop");
	return text == rates ? rates : rs_arena_format(arena, "%s a call", text);
}

/* ---- slow calls ---- */

/* Return the average of an event over a tail's calls as a multiple of the average over the other
 * calls: "name 40x", "name 1.5x". If the other calls had almost none of the event, return the
 * average itself: "name 0.9 a call". */
static const char *event_text(const struct rs_summary_column *column,
	const struct rs_tail_event *event, struct rs_arena *arena)
{
	bool is_ratio = event->ratio < MOST_RATIO;
	double value = is_ratio ? event->ratio : event->avg;
	return rs_arena_format(arena, "%s %s%s", rs_arena_shown(arena, column->name),
		two_digits(value, arena), is_ratio ? "x" : " a call");
}

const char *rs_tail_text(const struct rs_summary *summary, const struct rs_tail *tail,
	size_t columns, struct rs_arena *arena)
{
	const char *text = rs_arena_format(arena,
		"slowest %s%% (>= %s):", rs_format_percent(tail->share).text,
		rs_format_total(tail->bound_ns, true).text);
	for (size_t i = 0; i < tail->n_shown; i++) {
		size_t column = tail->shown[i];
		const char *event = event_text(
			&summary->columns[column], &tail->events[column], arena);
		/* show the first event at any width */
		if (i > 0 && columns > 0 && rs_width_of(text) + 2 + rs_width_of(event) > columns)
			break;
		text = rs_arena_format(arena, "%s%s%s", text, i > 0 ? ", " : " ", event);
	}
	return text;
}

/* Return the time of the slowest call as a multiple of the region's p90: "4.2x p90". Return "" if
 * the ratio is unknown. */
static const char *ratio_text(const struct rs_summary_region *region, struct rs_arena *arena)
{
	return isfinite(region->slowest_ratio)
		       ? rs_arena_format(arena, "%sx p90", two_digits(region->slowest_ratio, arena))
		       : "";
}

/* Return the line about the slowest call, without its events. */
static const char *slowest_start(const struct rs_summary *summary,
	const struct rs_summary_region *region, struct rs_arena *arena)
{
	const struct rs_run *run = summary->run;
	const char *ratio = ratio_text(region, arena);
	bool has_several = run->n_processes > 1 ||
			   (run->n_processes == 1 && run->processes[0].n_merged > 1);
	return rs_arena_format(arena, "slowest call: %s%s%s, %s after the start, %sthread %" PRIu32,
		rs_format_total(region->slowest[0].total, true).text, ratio[0] ? ", " : "", ratio,
		rs_format_total(region->slowest_start_ns, true).text,
		has_several ? rs_arena_format(arena, "process %" PRIu32 ", ", region->slowest_pid)
			    : "",
		region->slowest_tid);
}

const char *rs_slowest_text(const struct rs_summary *summary,
	const struct rs_summary_region *region, size_t columns, struct rs_arena *arena)
{
	if (!region->slowest || !region->slowest_matters)
		return NULL;
	const char *text = slowest_start(summary, region, arena);
	for (size_t c = RS_EVENT_FIRST; c < summary->n_columns; c++) {
		const struct rs_value *value = &region->slowest[c];
		if (!rs_value_has_total(value) || summary->columns[c].is_part)
			continue;
		const char *longer = rs_arena_format(arena, "%s, %s %s", text,
			rs_arena_shown(arena, summary->columns[c].name),
			rs_format_total(value->total, summary->columns[c].is_ns).text);
		if (columns == 0 || rs_width_of(longer) <= columns)
			text = longer;
	}
	return text;
}

/* ---- lines ---- */

static size_t text_width(const struct rs_report_options *options)
{
	return options->width > (int)INDENT ? (size_t)options->width - INDENT : 0;
}

/* Return the thread or process whose calls a row of a report by thread or process describes. */
static const char *place_text(const struct rs_summary_region *region, struct rs_arena *arena)
{
	const char *label = region->thread    ? region->thread->label
			    : region->process ? region->process->label
					      : NULL;
	const char *word = region->thread ? "thread " : "process ";
	/* the label can be "several threads" */
	return label ? rs_arena_format(arena, ", %s%s", strchr(label, ' ') ? "" : word,
			       rs_arena_shown(arena, label))
		     : "";
}

static void write_line(const struct rs_summary_region *region, const char *text,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	if (options->markdown) {
		fprintf(stream, "- %s%s: %s\n", rs_markdown_text(region->name, false, arena),
			place_text(region, arena), rs_markdown_text(text, false, arena));
		return;
	}
	text = rs_arena_format(arena, "%*s%s", (int)INDENT, "", text);
	fputs(rs_wrapped(text, 2 * INDENT, options->width, arena), stream);
}

static void write_slowest(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	const char *text = rs_slowest_text(summary, region, text_width(options), arena);
	if (!text && region->slowest && !options->markdown)
		text = slowest_start(summary, region, arena);
	if (text)
		write_line(region, text, options, arena, stream);
}

static void write_name(const struct rs_summary_region *region,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	char name[LINE_BYTES], cut[LINE_BYTES];
	const char *place = place_text(region, arena);
	size_t width = rs_width_of(place), columns = (size_t)options->width;
	rs_text_name(name, sizeof(name), region->name);
	rs_width_cut(cut, sizeof(cut), name,
		options->width <= 0 ? SIZE_MAX
		: columns > width   ? columns - width
				    : 1);
	fprintf(stream, "\n%s%s%s%s\n", style->bold, cut, place, style->off);
}

void rs_details_write(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, struct rs_arena *arena, FILE *stream)
{
	const struct rs_marker_overhead *cost = &region->overhead;
	const char *work = rs_work_text(region, arena);
	if (!region->slowest && !cost->known && region->work.calls == 0)
		return;
	if (!options->markdown)
		write_name(region, options, arena, stream);
	if (*work)
		write_line(region,
			options->markdown ? work : rs_arena_format(arena, "work: %s", work),
			options, arena, stream);
	for (size_t i = 0; i < region->n_tails; i++) {
		const struct rs_tail *tail = &region->tails[i];
		if (tail->n_shown > 0)
			write_line(region, rs_tail_text(summary, tail, text_width(options), arena),
				options, arena, stream);
	}
	write_slowest(summary, region, options, arena, stream);
	if (cost->known && isfinite(cost->share) && !options->markdown)
		write_line(region,
			rs_arena_format(arena,
				"overhead: at least %s a call, %.3g%% of the CPU time of its calls "
				"and markers",
				rs_format_overhead(cost->call_ns).text, cost->share * 100),
			options, arena, stream);
}
