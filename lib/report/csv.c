/* SPDX-License-Identifier: MIT */
/*
 * The CSV report: one flat table with a fixed set of columns, whatever was measured, so that a
 * script can rely on it. Comes in: a finished summary. Goes out: one line a row, quoted as
 * RFC 4180 says, lines ended by a line feed alone. Numbers are in full: integers exact, reals with
 * 15 significant digits, a point for decimals; what does not exist is empty.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/report.h"
#include "report/status.h"

enum field {
	FIELD_KIND,
	FIELD_REGION,
	FIELD_PROCESS,
	FIELD_THREAD,
	FIELD_EVENT,
	FIELD_UNIT,
	FIELD_STATUS,
	FIELD_VALUE,
	FIELD_CALLS,
	FIELD_COUNTED,
	FIELD_TOTAL,
	FIELD_SELF_TOTAL,
	FIELD_AVG,
	FIELD_MIN,
	FIELD_P50,
	FIELD_P90,
	FIELD_P99,
	FIELD_MAX,
	FIELD_STDDEV,
	FIELD_RUNNING,
	FIELD_N,
};

static const char *const field_names[FIELD_N] = {
	[FIELD_KIND] = "kind",
	[FIELD_REGION] = "region",
	[FIELD_PROCESS] = "process",
	[FIELD_THREAD] = "thread",
	[FIELD_EVENT] = "event",
	[FIELD_UNIT] = "unit",
	[FIELD_STATUS] = "status",
	[FIELD_VALUE] = "value",
	[FIELD_CALLS] = "calls",
	[FIELD_COUNTED] = "counted",
	[FIELD_TOTAL] = "total",
	[FIELD_SELF_TOTAL] = "self_total",
	[FIELD_AVG] = "avg",
	[FIELD_MIN] = "min",
	[FIELD_P50] = "p50",
	[FIELD_P90] = "p90",
	[FIELD_P99] = "p99",
	[FIELD_MAX] = "max",
	[FIELD_STDDEV] = "stddev",
	[FIELD_RUNNING] = "running",
};

static const char *const diag_names[RS_CELL_DIAG_N] = {
	[RS_CELL_DIAG_RECURSIVE] = "recursive",
	[RS_CELL_DIAG_LOST] = "lost",
	[RS_CELL_DIAG_UNMATCHED] = "unmatched",
	[RS_CELL_DIAG_OPEN] = "open",
	[RS_CELL_DIAG_CUT] = "cut",
	[RS_CELL_DIAG_CLAMPED] = "clamped",
	[RS_CELL_DIAG_MOVED] = "moved",
};

#define NUMBER_BYTES 32

/* One row: a field is the text in text[], or the number in numbers[], or empty. */
struct row {
	const char *text[FIELD_N];
	char numbers[FIELD_N][NUMBER_BYTES];
};

static void put_text(struct row *row, enum field field, const char *text)
{
	row->text[field] = text;
}

static void put_unsigned(struct row *row, enum field field, uint64_t value)
{
	snprintf(row->numbers[field], NUMBER_BYTES, "%" PRIu64, value);
	row->text[field] = row->numbers[field];
}

/* A ratio over nothing is not a number: it does not exist, and stays empty. */
static void put_real(struct row *row, enum field field, double value)
{
	if (!isfinite(value))
		return;
	snprintf(row->numbers[field], NUMBER_BYTES, "%.15g", value);
	row->text[field] = row->numbers[field];
}

/*
 * Quote when a reader could mistake part of the field for something else. Any character of the
 * separator counts, not only the whole of it: a field's end and a separator's beginning could
 * otherwise be read as a separator that comes one character early. Space at an end is quoted
 * since some readers strip it.
 */
static bool needs_quotes(const char *field, const char *separator)
{
	size_t length = strlen(field);
	if (length == 0)
		return false;
	return strpbrk(field, separator) || strpbrk(field, "\"\r\n") || field[0] == ' ' ||
	       field[0] == '\t' || field[length - 1] == ' ' || field[length - 1] == '\t';
}

static void write_field(const char *field, const char *separator, FILE *stream)
{
	if (!needs_quotes(field, separator)) {
		fputs(field, stream);
		return;
	}
	putc('"', stream);
	for (; *field; field++) {
		if (*field == '"')
			putc('"', stream);
		putc(*field, stream);
	}
	putc('"', stream);
}

static void write_row(const char *const text[FIELD_N], const char *separator, FILE *stream)
{
	for (int i = 0; i < FIELD_N; i++) {
		if (i > 0)
			fputs(separator, stream);
		if (text[i])
			write_field(text[i], separator, stream);
	}
	putc('\n', stream);
}

/* Who a row is of. region: NULL for the whole run. */
static void put_place(struct row *row, const char *kind, const struct rs_summary_region *region)
{
	put_text(row, FIELD_KIND, kind);
	put_text(row, FIELD_PROCESS, "all");
	put_text(row, FIELD_THREAD, "all");
	if (!region)
		return;
	put_text(row, FIELD_REGION, region->name);
	if (region->process)
		put_text(row, FIELD_PROCESS, region->process->label);
	if (region->thread)
		put_text(row, FIELD_THREAD, region->thread->label);
}

static void put_value(struct row *row, const struct rs_value *value)
{
	put_text(row, FIELD_STATUS, rs_status_word(value->status));
	if (value->has_total) {
		put_unsigned(row, FIELD_TOTAL, value->total);
		put_real(row, FIELD_RUNNING, value->running);
	}
	if (!value->has_distribution)
		return;
	put_real(row, FIELD_AVG, value->avg);
	put_unsigned(row, FIELD_MIN, value->min);
	put_unsigned(row, FIELD_MAX, value->max);
	put_real(row, FIELD_STDDEV, value->stddev);
	if (value->lacks_quantiles)
		return;
	put_unsigned(row, FIELD_P50, value->p50);
	put_unsigned(row, FIELD_P90, value->p90);
	put_unsigned(row, FIELD_P99, value->p99);
}

static void write_region_value(const struct rs_summary_region *region,
	const struct rs_summary_column *column, const struct rs_value *value, const char *separator,
	FILE *stream)
{
	struct row row = {0};
	put_place(&row, "region", region);
	put_text(&row, FIELD_EVENT, column->name);
	put_text(&row, FIELD_UNIT, column->unit);
	put_unsigned(&row, FIELD_CALLS, region->calls);
	if (!rs_value_status_is_refusal(value->status))
		put_unsigned(&row, FIELD_COUNTED, value->counted);
	if (value->has_total)
		put_unsigned(&row, FIELD_SELF_TOTAL, value->self_total);
	put_value(&row, value);
	write_row(row.text, separator, stream);
}

/* The whole run is one call, and counted as one when nothing of it had to be scaled. */
static void write_run_value(const struct rs_summary_column *column, const struct rs_value *value,
	const char *separator, FILE *stream)
{
	struct row row = {0};
	put_place(&row, "run", NULL);
	put_text(&row, FIELD_EVENT, column->name);
	put_text(&row, FIELD_UNIT, column->unit);
	put_unsigned(&row, FIELD_CALLS, 1);
	if (!rs_value_status_is_refusal(value->status))
		put_unsigned(&row, FIELD_COUNTED, value->status == RS_VALUE_OK);
	put_value(&row, value);
	write_row(row.text, separator, stream);
}

/* What the kernel accounts for every process without a counter: perf's names for it. */
static void write_run_time(const char *name, uint64_t time_ns, const char *separator, FILE *stream)
{
	struct rs_summary_column column = {.name = name, .unit = "ns"};
	struct rs_value value = {
		.status = RS_VALUE_OK, .has_total = true, .total = time_ns, .running = 1};
	write_run_value(&column, &value, separator, stream);
}

/* Whether a column has rows: those of parts, which add up to others, only when asked for. */
static bool has_rows(
	const struct rs_summary_column *column, const struct rs_report_options *options)
{
	return options->verbose || !column->is_part;
}

/* A metric is as good as the value that it stands beside. That of a part would not be told from the
 * whole's by its name. */
static void write_metrics(const struct rs_summary *summary, const struct rs_summary_region *region,
	const char *separator, FILE *stream)
{
	const struct rs_value *values = region ? region->values : summary->run.values;
	const struct rs_metric *metrics = region ? region->metrics : summary->run.metrics;
	size_t n_metrics = region ? region->n_metrics : summary->run.n_metrics;
	for (size_t i = 0; i < n_metrics; i++) {
		struct row row = {0};
		if (summary->columns[metrics[i].column].is_part)
			continue;
		put_place(&row, "metric", region);
		put_text(&row, FIELD_EVENT, metrics[i].name);
		put_text(&row, FIELD_UNIT, metrics[i].unit);
		put_text(&row, FIELD_STATUS, rs_status_word(values[metrics[i].column].status));
		put_real(&row, FIELD_VALUE, metrics[i].value);
		put_real(&row, FIELD_AVG, metrics[i].value);
		write_row(row.text, separator, stream);
	}
}

static void write_diagnostics(
	const struct rs_summary_region *region, const char *separator, FILE *stream)
{
	for (int i = 0; i < RS_CELL_DIAG_N; i++) {
		if (region->diag[i] == 0 || !diag_names[i])
			continue;
		struct row row = {0};
		put_place(&row, "diagnostic", region);
		put_text(&row, FIELD_EVENT, diag_names[i]);
		put_unsigned(&row, FIELD_VALUE, region->diag[i]);
		put_unsigned(&row, FIELD_CALLS, region->diag[i]);
		write_row(row.text, separator, stream);
	}
}

/* Calls that are no less than others but for having not ended yet. */
static void write_running(
	const struct rs_summary_region *region, const char *separator, FILE *stream)
{
	struct row row = {0};
	if (region->running == 0)
		return;
	put_place(&row, "diagnostic", region);
	put_text(&row, FIELD_EVENT, "running");
	put_unsigned(&row, FIELD_VALUE, region->running);
	put_unsigned(&row, FIELD_CALLS, region->running);
	write_row(row.text, separator, stream);
}

/* region: NULL for the whole run. */
static void write_own(const struct rs_summary_region *region, const char *name, const char *unit,
	double value, const char *separator, FILE *stream)
{
	struct row row = {0};
	if (!isfinite(value))
		return;
	put_place(&row, "metric", region);
	put_text(&row, FIELD_EVENT, name);
	put_text(&row, FIELD_UNIT, unit);
	put_text(&row, FIELD_STATUS, rs_status_word(RS_VALUE_OK));
	put_real(&row, FIELD_VALUE, value);
	put_real(&row, FIELD_AVG, value);
	write_row(row.text, separator, stream);
}

/* What the markers cost, where it is known. */
static void write_own_cost(const struct rs_summary_region *region, const struct rs_own_cost *cost,
	const char *separator, FILE *stream)
{
	if (!cost->known)
		return;
	write_own(region, "own_cost", "ns", cost->call_ns, separator, stream);
	write_own(region, "own_share", "%", cost->share * 100, separator, stream);
}

static void write_run(const struct rs_summary *summary, const struct rs_report_options *options,
	const char *separator, FILE *stream)
{
	const struct rs_summary_run *run = &summary->run;
	for (size_t i = 0; i < summary->n_columns; i++)
		if (i == 0 ||
			(summary->columns[i].in_totals && has_rows(&summary->columns[i], options)))
			write_run_value(&summary->columns[i], &run->values[i], separator, stream);
	write_run_time("user_time", run->user_ns, separator, stream);
	write_run_time("system_time", run->system_ns, separator, stream);
	write_metrics(summary, NULL, separator, stream);
	write_own_cost(NULL, &run->own_cost, separator, stream);
	if (run->own_setup_ns > 0)
		write_own(NULL, "own_setup", "ns", (double)run->own_setup_ns, separator, stream);
}

/* What a process or a thread is called. */
static void write_name(const char *event, const struct rs_summary_process *process,
	const struct rs_summary_thread *thread, const char *separator, FILE *stream)
{
	struct row row = {0};
	const struct rs_summary_region place = {.process = process, .thread = thread};
	put_place(&row, "info", &place);
	put_text(&row, FIELD_EVENT, event);
	put_text(&row, FIELD_VALUE, thread ? thread->name : process->name);
	write_row(row.text, separator, stream);
}

static void write_names(const struct rs_summary *summary, const char *separator, FILE *stream)
{
	for (size_t i = 0; i < summary->n_processes; i++)
		write_name("process_name", &summary->processes[i], NULL, separator, stream);
	for (size_t i = 0; i < summary->n_threads; i++)
		write_name("thread_name", summary->threads[i].process, &summary->threads[i],
			separator, stream);
	for (size_t i = 0; i < summary->n_running; i++)
		write_name("running", &summary->running[i], NULL, separator, stream);
}

void rs_report_csv_header(const char *separator, FILE *stream)
{
	write_row(field_names, separator, stream);
}

void rs_report_csv(
	const struct rs_summary *summary, const struct rs_report_options *options, FILE *stream)
{
	const char *separator = options->separator ? options->separator : ",";
	if (options->header)
		rs_report_csv_header(separator, stream);
	write_run(summary, options, separator, stream);
	write_names(summary, separator, stream);
	for (size_t r = 0; r < summary->n_regions; r++) {
		const struct rs_summary_region *region = &summary->regions[r];
		for (size_t i = 0; i < summary->n_columns; i++)
			if (i == 0 || (summary->columns[i].in_regions &&
					      has_rows(&summary->columns[i], options)))
				write_region_value(region, &summary->columns[i], &region->values[i],
					separator, stream);
		write_metrics(summary, region, separator, stream);
		write_own_cost(region, &region->own_cost, separator, stream);
		write_diagnostics(region, separator, stream);
		write_running(region, separator, stream);
	}
}
