/* SPDX-License-Identifier: MIT */
/*
 * The rows of the flat table. Comes in: a finished summary. Goes out: one row a fact, whatever was
 * measured, so that a script can rely on it; what does not exist is in no field.
 */
#include "report/rows.h"

#include <math.h>
#include <string.h>

#include "report/rows_facts.h"
#include "report/rows_slow.h"
#include "report/status.h"

/* The fields that are statistics of a value are called as these are. */
static const struct {
	const char *word;
	bool is_statistic;
	enum rs_statistic_index statistic;
} fields[RS_FIELD_N] = {
	[RS_FIELD_RUN] = {"run"},
	[RS_FIELD_KIND] = {"kind"},
	[RS_FIELD_REGION] = {"region"},
	[RS_FIELD_PARENT] = {"parent"},
	[RS_FIELD_PROCESS] = {"process"},
	[RS_FIELD_THREAD] = {"thread"},
	[RS_FIELD_EVENT] = {"event"},
	[RS_FIELD_UNIT] = {"unit"},
	[RS_FIELD_STATUS] = {"status"},
	[RS_FIELD_VALUE] = {"value"},
	[RS_FIELD_ERROR] = {NULL, true, RS_STATISTIC_ERROR},
	[RS_FIELD_CALLS] = {"calls"},
	[RS_FIELD_COUNTED] = {NULL, true, RS_STATISTIC_COUNTED},
	[RS_FIELD_THREADS] = {"threads"},
	[RS_FIELD_TOTAL] = {NULL, true, RS_STATISTIC_TOTAL},
	[RS_FIELD_SELF_TOTAL] = {NULL, true, RS_STATISTIC_SELF_TOTAL},
	[RS_FIELD_AVG] = {NULL, true, RS_STATISTIC_AVG},
	[RS_FIELD_MIN] = {NULL, true, RS_STATISTIC_MIN},
	[RS_FIELD_P50] = {NULL, true, RS_STATISTIC_P50},
	[RS_FIELD_P90] = {NULL, true, RS_STATISTIC_P90},
	[RS_FIELD_P99] = {NULL, true, RS_STATISTIC_P99},
	[RS_FIELD_MAX] = {NULL, true, RS_STATISTIC_MAX},
	[RS_FIELD_STDDEV] = {NULL, true, RS_STATISTIC_STDDEV},
	[RS_FIELD_RUNNING] = {NULL, true, RS_STATISTIC_RUNNING},
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

/* What rows are made with. */
struct giver {
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_row_sink *sink;
};

const char *rs_field_word(enum rs_field field)
{
	return fields[field].is_statistic ? rs_statistics[fields[field].statistic].word
					  : fields[field].word;
}

static void give(const struct giver *giver, const struct rs_row *row)
{
	giver->sink->take(giver->sink, row);
}

/* A row and who it is of. region: NULL for the whole run. */
static struct rs_row row_of(
	const struct giver *giver, const char *kind, const struct rs_summary_region *region)
{
	struct rs_row row = {.texts = {[RS_FIELD_RUN] = giver->summary->label,
				     [RS_FIELD_KIND] = kind,
				     [RS_FIELD_PROCESS] = "all",
				     [RS_FIELD_THREAD] = "all"}};
	if (!region)
		return row;
	row.texts[RS_FIELD_REGION] = region->name;
	row.texts[RS_FIELD_PARENT] = region->work_of ? region->work_of : region->parent;
	if (region->process)
		row.texts[RS_FIELD_PROCESS] = region->process->label;
	if (region->thread)
		row.texts[RS_FIELD_THREAD] = region->thread->label;
	return row;
}

static void set_value(struct rs_row *row, const struct rs_value *value)
{
	row->texts[RS_FIELD_STATUS] = rs_status_word(value->status);
	row->value = value;
	for (int i = 0; i < RS_FIELD_N; i++)
		if (fields[i].is_statistic)
			row->numbers[i] = rs_statistic_of(value, fields[i].statistic);
}

static void give_region_value(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_summary_column *column, const struct rs_value *value)
{
	struct rs_row row = row_of(giver, region->work_of ? "work" : "region", region);
	row.texts[RS_FIELD_EVENT] = column->name;
	row.texts[RS_FIELD_UNIT] = column->unit;
	row.numbers[RS_FIELD_CALLS] = rs_number_of_integer(region->calls);
	row.numbers[RS_FIELD_THREADS] = rs_number_of_integer(region->n_threads);
	set_value(&row, value);
	give(giver, &row);
}

/* The whole run is one call, and counted as one when nothing of it had to be scaled. */
static void give_run_value(const struct giver *giver, const struct rs_summary_column *column,
	const struct rs_value *value)
{
	struct rs_row row = row_of(giver, "run", NULL);
	row.texts[RS_FIELD_EVENT] = column->name;
	row.texts[RS_FIELD_UNIT] = column->unit;
	row.numbers[RS_FIELD_CALLS] = rs_number_of_integer(1);
	set_value(&row, value);
	if (!rs_value_status_is_refusal(value->status))
		row.numbers[RS_FIELD_COUNTED] = rs_number_of_integer(value->status == RS_VALUE_OK);
	give(giver, &row);
}

/* What the kernel accounts for every process without a counter: perf's names for it. */
static void give_run_time(const struct giver *giver, const char *name, uint64_t time_ns)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++) /* it was asked for as an event */
		if (summary->columns[i].in_totals && strcmp(summary->columns[i].name, name) == 0)
			return;
	struct rs_summary_column column = {.name = name, .unit = "ns"};
	const struct rs_value value = {.lacks_self = true, .total = time_ns};
	give_run_value(giver, &column, &value);
}

/* region: NULL for the whole run. */
static void give_metric(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_metric *metric, enum rs_value_status status)
{
	struct rs_row row = row_of(giver, "metric", region);
	row.texts[RS_FIELD_EVENT] = metric->name;
	row.texts[RS_FIELD_UNIT] = metric->unit;
	row.texts[RS_FIELD_STATUS] = rs_status_word(status);
	row.numbers[RS_FIELD_VALUE] = rs_number_of_real(metric->value);
	row.numbers[RS_FIELD_AVG] = rs_number_of_real(metric->value);
	give(giver, &row);
}

/* A metric beside a value is as good as that. That of a part would not be told from the whole's by
 * its name. */
static void give_metrics(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_value *values = region ? region->values : summary->run.values;
	const struct rs_metric *metrics = region ? region->metrics : summary->run.metrics;
	size_t n_metrics = region ? region->n_metrics : summary->run.n_metrics;
	for (size_t i = 0; i < n_metrics; i++) {
		size_t column = metrics[i].column;
		if (column == RS_NO_COLUMN)
			give_metric(giver, region, &metrics[i], metrics[i].status);
		else if (!summary->columns[column].is_part)
			give_metric(giver, region, &metrics[i], values[column].status);
	}
}

/* A fact about what was measured, where it is known. */
static void give_own(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, const char *unit, double value)
{
	struct rs_row row = row_of(giver, "info", region);
	row.texts[RS_FIELD_EVENT] = name;
	row.texts[RS_FIELD_UNIT] = unit;
	row.numbers[RS_FIELD_VALUE] = rs_number_of_real(value);
	if (row.numbers[RS_FIELD_VALUE].kind != RS_NUMBER_NONE)
		give(giver, &row);
}

/* What the markers cost, where it is known. */
static void give_own_cost(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_own_cost *cost)
{
	if (!cost->known)
		return;
	give_own(giver, region, "own_cost", "ns", cost->call_ns);
	give_own(giver, region, "own_share", "%", cost->share * 100);
}

static void give_diagnostic(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, uint64_t number)
{
	struct rs_row row = row_of(giver, "diagnostic", region);
	if (number == 0)
		return;
	row.texts[RS_FIELD_EVENT] = name;
	row.numbers[RS_FIELD_VALUE] = rs_number_of_integer(number);
	row.numbers[RS_FIELD_CALLS] = rs_number_of_integer(number);
	give(giver, &row);
}

/* What a process or a thread is called. */
static void give_name(const struct giver *giver, const char *event,
	const struct rs_summary_process *process, const struct rs_summary_thread *thread)
{
	const struct rs_summary_region place = {.process = process, .thread = thread};
	struct rs_row row = row_of(giver, "info", &place);
	row.texts[RS_FIELD_EVENT] = event;
	row.texts[RS_FIELD_VALUE] = thread ? thread->name : process->name;
	give(giver, &row);
}

static void give_names(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_processes; i++)
		give_name(giver, "process_name", &summary->processes[i], NULL);
	rs_rows_give_ranks(summary, row_of(giver, "info", NULL), giver->sink);
	for (size_t i = 0; i < summary->n_threads; i++)
		give_name(giver, "thread_name", summary->threads[i].process, &summary->threads[i]);
	for (size_t i = 0; i < summary->n_running; i++)
		give_name(giver, "running", &summary->running[i], NULL);
}

/* Whether a column has rows: those of parts, which add up to others, only when asked for. */
static bool has_rows(const struct giver *giver, size_t column)
{
	return giver->options->verbose || !giver->summary->columns[column].is_part;
}

/* A row of a tail: which one it is, all of them say by its calls. */
static struct rs_row row_of_tail(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_summary_tail *tail, const char *event, const char *unit)
{
	struct rs_row row = row_of(giver, "tail", region);
	row.texts[RS_FIELD_EVENT] = event;
	row.texts[RS_FIELD_UNIT] = unit;
	row.texts[RS_FIELD_STATUS] = rs_status_word(
		tail->is_scaled ? RS_VALUE_SCALED : RS_VALUE_OK);
	row.numbers[RS_FIELD_CALLS] = rs_number_of_integer(tail->calls);
	return row;
}

/* What the slowest calls had of each event beside the others; their share, and how long they took. */
static void give_tail(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_summary_tail *tail)
{
	struct rs_row row = row_of_tail(giver, region, tail, "share", "ratio");
	row.numbers[RS_FIELD_VALUE] = rs_number_of_real(tail->share);
	give(giver, &row);
	row = row_of_tail(giver, region, tail, "bound", "ns");
	row.numbers[RS_FIELD_VALUE] = rs_number_of_integer(tail->bound_ns);
	give(giver, &row);
	for (size_t i = 1; i < giver->summary->n_columns; i++) {
		const struct rs_summary_column *column = &giver->summary->columns[i];
		const struct rs_summary_tail_event *event = &tail->events[i];
		if (!event->is_known || !has_rows(giver, i))
			continue;
		row = row_of_tail(giver, region, tail, column->name, column->unit);
		row.numbers[RS_FIELD_VALUE] = rs_number_of_real(event->ratio);
		row.numbers[RS_FIELD_TOTAL] = rs_number_of_integer(event->total);
		row.numbers[RS_FIELD_AVG] = rs_number_of_real(event->avg);
		give(giver, &row);
	}
}

static void give_run(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_summary_run *run = &summary->run;
	for (size_t i = 0; i < summary->n_columns; i++)
		if (i == 0 || (summary->columns[i].in_totals && has_rows(giver, i)))
			give_run_value(giver, &summary->columns[i], &run->values[i]);
	give_run_time(giver, "user_time", run->user_ns);
	give_run_time(giver, "system_time", run->system_ns);
	give_metrics(giver, NULL);
	give_own_cost(giver, NULL, &run->own_cost);
	if (run->own_setup_ns > 0)
		give_own(giver, NULL, "own_setup", "ns", (double)run->own_setup_ns);
	rs_rows_give_begin(summary, row_of(giver, "info", NULL), giver->sink);
	rs_rows_give_slow(summary, row_of(giver, "info", NULL), giver->sink);
	rs_rows_give_markers(summary, row_of(giver, "info", NULL), giver->sink);
	rs_rows_give_end(summary, row_of(giver, "info", NULL), giver->sink);
}

/* On-CPU and off-CPU time, which are parts of time: in its unit. */
static void give_cpu_time(const struct giver *giver, const struct rs_summary_region *region)
{
	struct rs_summary_column column = giver->summary->columns[0];
	column.name = rs_cpu_time_word;
	give_region_value(giver, region, &column, &region->cpu_time);
	for (int k = 0; k < RS_OFF_N; k++) {
		column.name = rs_off_words[k];
		give_region_value(giver, region, &column, &region->off[k]);
	}
}

/* What calls told of their work: counted exactly, of those that did. */
static void give_work_sum(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, uint64_t total)
{
	struct rs_row row = row_of(giver, region->work_of ? "work" : "region", region);
	row.texts[RS_FIELD_EVENT] = event;
	row.texts[RS_FIELD_UNIT] = unit;
	row.texts[RS_FIELD_STATUS] = rs_status_word(RS_VALUE_OK);
	row.numbers[RS_FIELD_CALLS] = rs_number_of_integer(region->calls);
	row.numbers[RS_FIELD_COUNTED] = rs_number_of_integer(region->work.calls);
	row.numbers[RS_FIELD_THREADS] = rs_number_of_integer(region->n_threads);
	row.numbers[RS_FIELD_TOTAL] = rs_number_of_integer(total);
	row.numbers[RS_FIELD_AVG] = rs_number_of_real((double)total / (double)region->work.calls);
	give(giver, &row);
}

/* Its rates are as good as the time that they are over. */
static void give_work_rate(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, const char *unit, double value)
{
	const struct rs_metric metric = {.name = name, .unit = unit, .value = value};
	if (isfinite(value))
		give_metric(giver, region, &metric, region->values[0].status);
}

static void give_work(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary_work *work = &region->work;
	if (work->calls == 0)
		return;
	give_work_sum(giver, region, "bytes", "byte", work->bytes);
	give_work_sum(giver, region, "flops", "flop", work->flops);
	give_work_rate(giver, region, "byte rate", "GB/s", work->gb_per_s);
	give_work_rate(giver, region, "flop rate", "GFLOP/s", work->gflop_per_s);
	give_work_rate(giver, region, "intensity", "flop/byte", work->flop_per_byte);
}

static void give_region(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	give_region_value(giver, region, &summary->columns[0], &region->values[0]);
	give_cpu_time(giver, region);
	for (size_t i = 1; i < summary->n_columns; i++)
		if (summary->columns[i].in_regions && has_rows(giver, i))
			give_region_value(giver, region, &summary->columns[i], &region->values[i]);
	give_work(giver, region);
	for (size_t i = 0; i < region->n_tails; i++)
		give_tail(giver, region, &region->tails[i]);
	rs_rows_give_slowest(
		summary, region, row_of(giver, "slowest", region), giver->options, giver->sink);
	give_metrics(giver, region);
	give_own_cost(giver, region, &region->own_cost);
	for (int i = 0; i < RS_CELL_DIAG_N; i++)
		if (diag_names[i])
			give_diagnostic(giver, region, diag_names[i], region->diag[i]);
	/* calls that are no less than others but for having not ended yet */
	give_diagnostic(giver, region, "running", region->running);
}

/* Calls of a region that did the same work: what was measured of them; the rest is their region's. */
static void give_works(const struct giver *giver, const struct rs_summary_region *work)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++)
		if (i == 0 || (summary->columns[i].in_regions && has_rows(giver, i)))
			give_region_value(giver, work, &summary->columns[i], &work->values[i]);
	give_work(giver, work);
	give_metrics(giver, work);
}

void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink)
{
	const struct giver giver = {summary, options, sink};
	give_run(&giver);
	give_names(&giver);
	for (size_t r = 0; r < summary->n_regions; r++)
		give_region(&giver, &summary->regions[r]);
	for (size_t r = 0; r < summary->n_works; r++)
		give_works(&giver, &summary->works[r]);
}
