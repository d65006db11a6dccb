/* SPDX-License-Identifier: MIT */
/*
 * The whole run in a table. Comes in: the summary. Goes out: perf stat's picture, totals in full
 * and right-aligned, each with its metric, then the seconds and how the program ended.
 */
#include "report/whole_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/system_names.h"
#include "base/text.h"
#include "base/width.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/metric_rows.h"
#include "report/status.h"
#include "report/style.h"

#define NUMBER_WIDTH 18u
#define SECONDS_WIDTH 8u /* before the point */
#define UNIT_WIDTH 4u
#define NAME_WIDTH 22u
#define NAME_BYTES 512u
#define NS_PER_MS 1000000u

/* A total in full: counts as they are, times in milliseconds. */
static void total_cell(
	struct rs_cell_text *cell, const struct rs_summary_value *value, bool is_time)
{
	*cell = (struct rs_cell_text){0};
	if (!value->has_total) {
		strcpy(cell->text, rs_status_words(value->status));
		return;
	}
	char *text = cell->text;
	if (value->status == RS_VALUE_SCALED)
		*text++ = '~';
	if (!is_time) {
		rs_text_unsigned(text, value->total);
		return;
	}
	uint64_t hundredths = value->total / (NS_PER_MS / 100);
	rs_text_unsigned(text, hundredths / 100);
	snprintf(text + strlen(text), 4, ".%02u", (unsigned)(hundredths % 100));
}

static bool is_time(const struct rs_summary_column *column)
{
	return strcmp(column->unit, "ns") == 0;
}

/* Whether the run has a row for a column. */
static bool has_row(const struct rs_summary_column *column, const struct rs_report_options *options)
{
	return column->in_totals && (options->verbose || !column->is_part);
}

static size_t number_width(
	const struct rs_summary *summary, const struct rs_report_options *options)
{
	size_t widest = NUMBER_WIDTH;
	for (size_t i = 1; i < summary->n_columns; i++) {
		struct rs_cell_text cell;
		if (!has_row(&summary->columns[i], options))
			continue;
		total_cell(&cell, &summary->run.values[i], is_time(&summary->columns[i]));
		size_t width = strlen(cell.text);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* What stands right of an event's name: its metrics, and how long it was counted. */
static void write_remarks(const struct rs_summary *summary, size_t column, size_t n_pad,
	const struct rs_style *style, FILE *stream)
{
	const struct rs_summary_run *run = &summary->run;
	const char *before = "  # ";
	for (size_t m = 0; m < run->n_metrics; m++) {
		const struct rs_metric *metric = &run->metrics[m];
		struct rs_cell_text cell;
		if (metric->column != column)
			continue;
		rs_format_metric(&cell, metric->name, metric->unit, metric->value);
		fprintf(stream, "%*s%s%.*s%s%s%s", (int)n_pad, "", before, (int)cell.unit,
			cell.text, style->dim, cell.text + cell.unit, style->off);
		before = ", ";
		n_pad = 0;
	}
	if (run->values[column].has_total && run->values[column].running < 1) {
		struct rs_cell_text cell;
		rs_format_percent(&cell, run->values[column].running);
		fprintf(stream, "%*s  (%s%%)", (int)n_pad, "", cell.text);
	}
	putc('\n', stream);
}

static void write_totals(const struct rs_summary *summary, const struct rs_report_options *options,
	const struct rs_style *style, FILE *stream)
{
	size_t n_number = number_width(summary, options);
	bool any = false;
	for (size_t i = 1; i < summary->n_columns; i++) {
		const struct rs_summary_column *column = &summary->columns[i];
		struct rs_cell_text cell;
		char name[NAME_BYTES];
		if (!has_row(column, options))
			continue;
		total_cell(&cell, &summary->run.values[i], is_time(column));
		rs_text_escape(name, sizeof(name), column->name);
		bool unit = is_time(column) && summary->run.values[i].has_total;
		const char *indent = column->is_part ? "  " : "";
		fprintf(stream, "%*s %s%-*s%s  %s%s", (int)n_number, cell.text,
			unit ? style->dim : "", (int)UNIT_WIDTH, unit ? "msec" : "",
			unit ? style->off : "", indent, name);
		size_t n_name = strlen(indent) + rs_width_of(name);
		write_remarks(
			summary, i, n_name < NAME_WIDTH ? NAME_WIDTH - n_name : 0, style, stream);
		any = true;
	}
	any |= rs_metric_rows_of_run(summary, n_number, UNIT_WIDTH, options, stream);
	if (any)
		putc('\n', stream);
}

static void write_seconds(uint64_t time_ns, const char *what, FILE *stream)
{
	char whole[RS_TEXT_INTEGER_BYTES];
	rs_text_unsigned(whole, time_ns / 1000000000u);
	fprintf(stream, "%*s.%09" PRIu64 " seconds %s\n", (int)SECONDS_WIDTH, whole,
		time_ns % 1000000000u, what);
}

static void write_end(const struct rs_summary *summary, const struct rs_style *style, FILE *stream)
{
	if (!summary->timed_out && summary->term_signal == 0 && summary->exit_status == 0)
		return;
	fprintf(stream, "\n%*s%s", (int)(SECONDS_WIDTH - 1), "", style->warn);
	const char *name = rs_system_signal_name(summary->term_signal);
	if (summary->timed_out)
		fprintf(stream, "timed out%s", summary->term_signal != 0 ? ", " : "");
	if (summary->term_signal != 0 && name)
		fprintf(stream, "killed by SIG%s (signal %d)", name, summary->term_signal);
	else if (summary->term_signal != 0)
		fprintf(stream, "killed by signal %d", summary->term_signal);
	else if (!summary->timed_out)
		fprintf(stream, "exit status %d", summary->exit_status);
	fprintf(stream, "%s\n", style->off);
}

void rs_report_whole_run(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const struct rs_style *style = rs_style_get(options->color);
	static const char before[] = "Whole run of ";
	size_t columns = 0;
	if (options->width > (int)sizeof(before))
		columns = (size_t)options->width - sizeof(before);
	fprintf(stream, "%s%s", style->bold, before);
	rs_report_command_line(summary->argv, columns, stream);
	fprintf(stream, ":%s\n\n", style->off);
	write_totals(summary, options, style, stream);
	write_seconds(summary->run.elapsed_ns, "time elapsed", stream);
	putc('\n', stream);
	write_seconds(summary->run.user_ns, "user", stream);
	write_seconds(summary->run.system_ns, "sys", stream);
	write_end(summary, style, stream);
}
