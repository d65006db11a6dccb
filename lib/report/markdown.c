/* SPDX-License-Identifier: MIT */
/*
 * The report for pages that show Markdown, such as a merge request: tables as GitHub writes them.
 * Comes in: a finished summary. Goes out: a row for each region and event, the whole run, and the
 * messages. Names are shown as in a table, and what Markdown or HTML would obey is escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/metric_rows.h"
#include "report/choice.h"
#include "report/command_line.h"
#include "report/format.h"
#include "report/report.h"
#include "report/statistic.h"
#include "report/status.h"
#include "report/table_slowest.h"
#include "report/table_tails.h"
#include "report/table_work.h"
#include "report/table_works.h"

#define SHOWN_REGIONS 20u /* where nobody asked for more or fewer */

/* What of each value is shown. */
static const enum rs_statistic_index shown[] = {RS_STATISTIC_AVG, RS_STATISTIC_P50,
	RS_STATISTIC_P90, RS_STATISTIC_P99, RS_STATISTIC_MAX, RS_STATISTIC_TOTAL,
	RS_STATISTIC_SELF_TOTAL};
#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Text within a cell or a line, where a backslash makes any punctuation plain (CommonMark 0.31,
 * 2.4). A line end, where text has lines, stays one. */
static void write_text(const char *text, bool has_lines, FILE *stream)
{
	for (size_t left = strlen(text), taken; left > 0; left -= taken, text += taken) {
		char plain[RS_TEXT_SHOWN_BYTES];
		taken = rs_text_show_next(text, left, plain);
		if (has_lines && *text == '\n') {
			fputs("  \n  ", stream);
			continue;
		}
		for (const char *c = plain; *c; c++) {
			if (strchr("\\`*_{}[]<>|~&$", *c))
				putc('\\', stream);
			putc(*c, stream);
		}
	}
}

static bool is_time(const struct rs_summary_column *column)
{
	return strcmp(column->unit, "ns") == 0;
}

static void write_number(const struct rs_summary_value *value,
	const struct rs_summary_column *column, enum rs_statistic_index index, FILE *stream)
{
	const struct rs_number number = rs_statistic_of(value, index);
	enum rs_statistic_kind kind = rs_statistics[index].kind;
	struct rs_cell_text cell = {0};
	if (number.kind == RS_NUMBER_NONE)
		strcpy(cell.text, "-");
	else if (kind == RS_STATISTIC_OF_ALL)
		rs_format_total(&cell, is_time(column) ? RS_QUANTITY_NS : RS_QUANTITY_COUNT,
			number.integer, false);
	else if (kind == RS_STATISTIC_OF_ONE)
		rs_format_integer(&cell, number.integer);
	else
		rs_format_average(&cell, number.real);
	bool is_scaled = kind == RS_STATISTIC_OF_ALL && value->status == RS_VALUE_SCALED;
	fprintf(stream, " %s%s |", is_scaled ? "\\~" : "", cell.text);
}

/* The metrics that stand beside a value. */
static void write_metrics(const struct rs_metric *metrics, size_t n, size_t column, FILE *stream)
{
	const char *before = " ";
	for (size_t i = 0; i < n; i++) {
		struct rs_cell_text cell;
		if (metrics[i].column != column)
			continue;
		rs_format_metric(&cell, metrics[i].name, metrics[i].unit, metrics[i].value);
		fprintf(stream, "%s%s", before, cell.text);
		before = ", ";
	}
	fputs(" |\n", stream);
}

static void write_event(const struct rs_summary_column *column, FILE *stream)
{
	putc(' ', stream);
	write_text(column->name, false, stream);
	fprintf(stream, "%s |", is_time(column) ? ", ns" : "");
}

/* Who a row is of. */
static void write_region_name(const struct rs_summary_region *region, FILE *stream)
{
	fputs("| ", stream);
	write_text(region->name, false, stream);
	if (region->process && region->process->has_rank)
		fprintf(stream, ", rank %" PRIu32, region->process->rank);
	if (region->process)
		fprintf(stream, ", process %s", region->process->label);
	if (region->thread)
		fprintf(stream, ", thread %s", region->thread->label);
	fputs(" |", stream);
}

/* What stands in a cell of a row of its own. */
static void write_metric(const struct rs_metric *metric, FILE *stream)
{
	struct rs_cell_text cell;
	rs_metric_cell(&cell, metric);
	putc(' ', stream);
	write_text(cell.text, false, stream);
	fputs(" |\n", stream);
}

/* Metrics that stand beside no value. */
static void write_metric_rows(const struct rs_summary_region *region, FILE *stream)
{
	for (size_t i = 0; i < region->n_metrics; i++) {
		if (!rs_metric_has_row(&region->metrics[i]))
			continue;
		write_region_name(region, stream);
		putc(' ', stream);
		write_text(region->metrics[i].name, false, stream);
		fputs(" | |", stream);
		for (size_t n = 0; n < N_SHOWN; n++)
			fputs(" |", stream);
		write_metric(&region->metrics[i], stream);
	}
}

/* A row of on-CPU time, or of off-CPU time of a kind. */
static void write_cpu_row(const struct rs_summary *summary, const struct rs_summary_region *region,
	const char *word, const struct rs_summary_value *value, uint64_t n, FILE *stream)
{
	struct rs_summary_column column = summary->columns[0];
	char calls[RS_TEXT_INTEGER_BYTES];
	column.name = word;
	write_region_name(region, stream);
	write_event(&column, stream);
	fprintf(stream, " %s |", rs_text_unsigned(calls, n));
	for (size_t i = 0; i < N_SHOWN; i++)
		write_number(value, &column, shown[i], stream);
	fputs(" |\n", stream);
}

/* On-CPU time, and what there is of off-CPU time: of how many calls. */
static void write_cpu_time(
	const struct rs_summary *summary, const struct rs_summary_region *region, FILE *stream)
{
	if (!region->cpu_time.has_total)
		return;
	write_cpu_row(summary, region, rs_cpu_time_word, &region->cpu_time, region->calls, stream);
	for (int k = 0; k < RS_OFF_N; k++)
		if (region->off[k].total > 0)
			write_cpu_row(summary, region, rs_off_words[k], &region->off[k],
				region->off[k].counted, stream);
}

static void write_region(const struct rs_summary *summary, const struct rs_choice *choice,
	const struct rs_summary_region *region, FILE *stream)
{
	char calls[RS_TEXT_INTEGER_BYTES];
	for (size_t c = 0; c < summary->n_columns; c++) {
		const struct rs_summary_value *value = &region->values[c];
		if (!rs_choice_has_row(choice, summary, c))
			continue;
		write_region_name(region, stream);
		write_event(&summary->columns[c], stream);
		rs_text_unsigned(calls, region->calls);
		fprintf(stream, " %s |", calls);
		for (size_t i = 0; i < N_SHOWN; i++)
			write_number(value, &summary->columns[c], shown[i], stream);
		if (!value->has_total) {
			putc(' ', stream);
			write_text(rs_status_words(value->status), false, stream);
		}
		write_metrics(region->metrics, region->n_metrics, c, stream);
		if (c == 0)
			write_cpu_time(summary, region, stream);
	}
	write_metric_rows(region, stream);
}

static void write_fact(const struct rs_summary_region *region, const char *text, FILE *stream)
{
	fputs("\n- ", stream);
	write_text(region->name, false, stream);
	fputs(", ", stream);
	write_text(text, false, stream);
	putc('\n', stream);
}

/* Its slowest call, where that is far from the others. */
static void write_slowest(
	const struct rs_summary *summary, const struct rs_summary_region *region, FILE *stream)
{
	char *text = rs_slowest_text(summary, region, 0);
	if (text)
		write_fact(region, text, stream);
	free(text);
}

/* Why its slow calls are slow, a line each. */
static void write_tails(
	const struct rs_summary *summary, const struct rs_summary_region *region, FILE *stream)
{
	for (size_t i = 0; i < region->n_tails; i++) {
		const struct rs_summary_tail *tail = &region->tails[i];
		char *text = tail->n_told > 0 ? rs_tail_text(summary, tail, 0) : NULL;
		if (!text)
			continue;
		write_fact(region, text, stream);
		free(text);
	}
}

/* What calls told of their work. */
static void write_work(const struct rs_summary_region *region, FILE *stream)
{
	char text[RS_WORK_TEXT_BYTES];
	if (!rs_work_text(text, region))
		return;
	fputs("\n- ", stream);
	write_text(region->name, false, stream);
	fputs(", work: ", stream);
	write_text(text, false, stream);
	putc('\n', stream);
}

/* The calls of a region that did the same work. False: no memory. */
static bool write_works(const struct rs_summary *summary, const struct rs_summary_region *region,
	const struct rs_report_options *options, FILE *stream)
{
	const struct rs_summary_region **works = calloc(summary->n_works + 1, sizeof(*works));
	size_t left_out, n = 0;
	if (works)
		n = rs_works_of(works, summary, region, options, &left_out);
	if (n > 0) {
		fputs("\n| calls of the same work |", stream);
		for (int c = 0; c < RS_WORKS_N; c++)
			fprintf(stream, " %s |", rs_works_title((enum rs_works_column)c));
		fputs("\n|---|", stream);
		for (int c = 0; c < RS_WORKS_N; c++)
			fputs("--:|", stream);
		putc('\n', stream);
	}
	for (size_t i = 0; i < n; i++) {
		write_region_name(region, stream);
		for (int c = 0; c < RS_WORKS_N; c++) {
			struct rs_cell_text cell;
			rs_works_cell(&cell, works[i], (enum rs_works_column)c);
			fprintf(stream, " %s |", cell.text);
		}
		putc('\n', stream);
	}
	if (n > 0 && left_out > 0)
		fprintf(stream, "\nand %zu more\n", left_out);
	free(works);
	return works;
}

/* False: no memory. */
static bool write_regions(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	struct rs_choice choice;
	if (!rs_choice_make(&choice, summary, options, SHOWN_REGIONS))
		return false;
	fputs("| region | event | calls |", stream);
	for (size_t i = 0; i < N_SHOWN; i++) {
		putc(' ', stream);
		write_text(rs_statistics[shown[i]].word, false, stream);
		fputs(" |", stream);
	}
	fputs(" |\n|---|---|--:|", stream);
	for (size_t i = 0; i < N_SHOWN; i++)
		fputs("--:|", stream);
	fputs("---|\n", stream);
	for (size_t i = 0; i < choice.n_regions; i++)
		write_region(summary, &choice, &summary->regions[choice.regions[i]], stream);
	if (choice.n_left_out > 0)
		fprintf(stream, "\nand %zu more regions\n", choice.n_left_out);
	bool done = true;
	for (size_t i = 0; i < choice.n_regions; i++) {
		write_work(&summary->regions[choice.regions[i]], stream);
		done &= write_works(summary, &summary->regions[choice.regions[i]], options, stream);
	}
	for (size_t i = 0; i < choice.n_regions; i++) {
		write_tails(summary, &summary->regions[choice.regions[i]], stream);
		write_slowest(summary, &summary->regions[choice.regions[i]], stream);
	}
	putc('\n', stream);
	rs_choice_finish(&choice);
	return done;
}

static void write_row_of_run(const struct rs_summary *summary, size_t column, FILE *stream)
{
	const struct rs_summary_value *value = &summary->run.values[column];
	putc('|', stream);
	write_event(&summary->columns[column], stream);
	if (value->has_total) {
		struct rs_cell_text cell;
		rs_format_integer(&cell, value->total);
		fprintf(stream, " %s%s |", value->status == RS_VALUE_SCALED ? "\\~" : "",
			cell.text);
	} else {
		putc(' ', stream);
		write_text(rs_status_words(value->status), false, stream);
		fputs(" |", stream);
	}
	write_metrics(summary->run.metrics, summary->run.n_metrics, column, stream);
}

static void write_time_of_run(const char *name, uint64_t time_ns, FILE *stream)
{
	struct rs_cell_text cell;
	rs_format_integer(&cell, time_ns);
	fprintf(stream, "| %s, ns | %s | |\n", name, cell.text);
}

static void write_run(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	char *command = NULL;
	size_t bytes = 0;
	FILE *text = open_memstream(&command, &bytes);
	if (text) {
		rs_report_command_line(summary->argv, 0, text);
		fclose(text);
	}
	fputs("Whole run of ", stream);
	write_text(command ? command : "?", false, stream);
	fputs(":\n\n| event | total | |\n|---|--:|---|\n", stream);
	free(command);
	for (size_t c = 0; c < summary->n_columns; c++)
		if (c == 0 || (summary->columns[c].in_totals &&
				      (options->verbose || !summary->columns[c].is_part)))
			write_row_of_run(summary, c, stream);
	for (size_t i = 0; i < summary->run.n_metrics; i++) {
		if (!rs_metric_has_row(&summary->run.metrics[i]))
			continue;
		fputs("| ", stream);
		write_text(summary->run.metrics[i].name, false, stream);
		fputs(" | |", stream);
		write_metric(&summary->run.metrics[i], stream);
	}
	write_time_of_run("user", summary->run.user_ns, stream);
	write_time_of_run("sys", summary->run.system_ns, stream);
	if (summary->timed_out)
		fputs("\ntimed out\n", stream);
	else if (summary->term_signal != 0)
		fprintf(stream, "\nkilled by signal %d\n", summary->term_signal);
	else if (summary->exit_status != 0)
		fprintf(stream, "\nexit status %d\n", summary->exit_status);
}

static void write_messages(
	const char *kind, const struct rs_message *messages, size_t n, FILE *stream)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(stream, "\n- **%s:** ", kind);
		write_text(messages[i].text, true, stream);
		putc('\n', stream);
	}
}

bool rs_report_markdown(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	if (summary->n_regions > 0 && !write_regions(summary, options, stream))
		return false;
	write_run(summary, options, stream);
	write_messages("warning", summary->warnings, summary->n_warnings, stream);
	write_messages("note", summary->notes, summary->n_notes, stream);
	if (options->verbose)
		write_messages("note", summary->details, summary->n_details, stream);
	return true;
}
