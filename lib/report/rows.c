/* SPDX-License-Identifier: MIT */
/*
 * This file makes the rows of the flat table. It reads a finished summary. It makes a row for each
 * fact. Values that were not measured also have rows, so that scripts can rely on them. A value
 * that does not exist is an absent field.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/interval.h"
#include "report/rows_giver.h"

static const char *const words[RS_ROW_STATISTICS] = {
	"run", "kind", "region", "parent", "process", "thread", "event", "unit", "status", "value"};

static const char *const diag_names[RS_ACCUMULATOR_DIAG_N] = {
	[RS_ACCUMULATOR_DIAG_RECURSIVE] = "recursive",
	[RS_ACCUMULATOR_DIAG_LOST] = "lost",
	[RS_ACCUMULATOR_DIAG_UNMATCHED] = "unmatched",
	[RS_ACCUMULATOR_DIAG_OPEN] = "open",
	[RS_ACCUMULATOR_DIAG_CUT] = "cut",
	[RS_ACCUMULATOR_DIAG_CLAMPED] = "clamped",
	[RS_ACCUMULATOR_DIAG_MOVED] = "moved",
};

const char *rs_row_word(size_t field)
{
	if (field < RS_ROW_STATISTICS)
		return words[field];
	const struct rs_statistic *statistic = &rs_statistics[field - RS_ROW_STATISTICS];
	return statistic->in & RS_IN_ROWS ? statistic->word : NULL;
}

/* ---- values ---- */

/* Set the statistics and the status of a row from a value. region is NULL for the run. */
static void set_statistics(
	struct rs_row *row, const struct rs_summary_region *region, const struct rs_value *value)
{
	rs_row_set_text(row, RS_ROW_STATUS, rs_status_word(value->status));
	row->value = value;
	for (int i = 0; i < RS_STATISTIC_N; i++)
		if (rs_statistics[i].in & RS_IN_ROWS)
			rs_row_set(row, (enum rs_statistic_index)i,
				rs_statistic_of(&rs_statistics[i], region, value));
}

/* Return a field for a number. In an interval, the number may be negative, in two's complement. */
static struct rs_field field_of_number(const struct rs_row_giver *giver, uint64_t number)
{
	int64_t value = (int64_t)number;
	return giver->is_interval && value < 0 ? rs_field_of_real((double)value)
					       : rs_field_of_integer(number);
}

/* Replace the statistics that have other values in an interval than in the run. region is NULL for
 * the run. */
static void set_differences(const struct rs_row_giver *giver, struct rs_row *row,
	const struct rs_summary_region *region, const struct rs_value *value)
{
	const struct rs_field absent = {0};
	bool has_total = rs_value_has_total(value);
	rs_row_set(row, RS_STATISTIC_THREADS, absent); /* unknown for an interval */
	rs_row_set(row, RS_STATISTIC_COUNTED, absent);
	if (region)
		rs_row_set(row, RS_STATISTIC_CALLS, field_of_number(giver, region->calls));
	if (region && !rs_value_status_is_refusal(value->status))
		rs_row_set(row, RS_STATISTIC_COUNTED, field_of_number(giver, value->counted));
	if (has_total)
		rs_row_set(row, RS_STATISTIC_TOTAL, field_of_number(giver, value->total));
	if (has_total && !value->lacks_self)
		rs_row_set(row, RS_STATISTIC_SELF, field_of_number(giver, (uint64_t)value->self));
}

/* Return true if a column of the summary has rows. The parts of an event add up to the event, so
 * only -v shows rows for parts. */
static bool has_rows(const struct rs_row_giver *giver, size_t column)
{
	return giver->options->verbose || !giver->summary->columns[column].is_part;
}

/* Give the row of a metric. region is NULL for the whole run. */
static void give_metric(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const struct rs_metric *metric, enum rs_value_status status)
{
	struct rs_row row = rs_row_of(giver, "metric", region, metric->name, metric->unit);
	rs_row_set_text(&row, RS_ROW_STATUS, rs_status_word(status));
	rs_row_set(&row, RS_STATISTIC_AVG, rs_field_of_real(metric->value));
	rs_row_give_field(giver, row, rs_field_of_real(metric->value));
}

/* Give the rows of a region's metrics. A metric has the same status as its event. Skip metrics of
 * an event's parts on single types of cores, because they have the same name as the metric of the
 * whole event. */
static void give_metrics(const struct rs_row_giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_summary_region *of = region ? region : &summary->total;
	for (size_t i = 0; i < of->n_metrics; i++) {
		const struct rs_metric *metric = &of->metrics[i];
		size_t column = metric->column;
		if (column == RS_NO_COLUMN)
			give_metric(giver, region, metric, metric->status);
		else if (!summary->columns[column].is_part)
			give_metric(giver, region, metric, of->values[column].status);
	}
}

/* Give the row of the overhead of markers, if it is known. */
static void give_overhead(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const struct rs_marker_overhead *cost)
{
	if (!cost->known)
		return;
	if (isfinite(cost->call_ns))
		rs_row_give_field(giver, rs_row_of(giver, "info", region, "overhead", "ns"),
			rs_field_of_real(cost->call_ns));
	if (isfinite(cost->share))
		rs_row_give_field(giver, rs_row_of(giver, "info", region, "overhead_share", "%"),
			rs_field_of_real(cost->share * 100));
}

/* ---- the run ---- */

/* Give the row of a total of the run. In this row, the run is one call, which was counted if the
 * total is not scaled. */
static void give_run_value(const struct rs_row_giver *giver, const char *event, const char *unit,
	const struct rs_value *value)
{
	struct rs_row row = rs_row_of(giver, "run", NULL, event, unit);
	set_statistics(&row, NULL, value);
	if (giver->is_interval)
		set_differences(giver, &row, NULL, value);
	else
		rs_row_set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(1));
	if (!giver->is_interval && !rs_value_status_is_refusal(value->status))
		rs_row_set(&row, RS_STATISTIC_COUNTED,
			rs_field_of_integer(value->status == RS_VALUE_OK));
	rs_row_give(giver, &row);
}

/* Give the row of a time that the kernel keeps for every process without a counter. Its name is
 * that of perf stat. */
static void give_run_time(const struct rs_row_giver *giver, const char *name, uint64_t time_ns)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_value value = {.lacks_self = true, .total = time_ns};
	/* -e named this event, so it already has a row */
	for (size_t i = 0; i < summary->n_columns; i++)
		if (summary->columns[i].in_totals && strcmp(summary->columns[i].name, name) == 0)
			return;
	give_run_value(giver, name, "ns", &value);
}

static void give_run_values(const struct rs_row_giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++)
		if (i == 0 || (summary->columns[i].in_totals && has_rows(giver, i)))
			give_run_value(giver, summary->columns[i].name, summary->columns[i].unit,
				&summary->total.values[i]);
}

static void give_run(const struct rs_row_giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	give_run_values(giver);
	give_run_time(giver, "user_time", summary->user_ns);
	give_run_time(giver, "system_time", summary->system_ns);
	give_metrics(giver, NULL);
	give_overhead(giver, NULL, &summary->total.overhead);
	if (summary->overhead_setup_ns > 0)
		rs_row_give_field(giver, rs_row_of(giver, "info", NULL, "overhead_setup", "ns"),
			rs_field_of_real((double)summary->overhead_setup_ns));
	rs_rows_give_facts(giver);
}

/* ---- regions ---- */

static const char *kind_of(const struct rs_summary_region *region)
{
	return region->work_of ? "work" : "region";
}

static void give_value(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, const struct rs_value *value)
{
	struct rs_row row = rs_row_of(giver, kind_of(region), region, event, unit);
	set_statistics(&row, region, value);
	if (giver->is_interval)
		set_differences(giver, &row, region, value);
	rs_row_give(giver, &row);
}

static void give_column(
	const struct rs_row_giver *giver, const struct rs_summary_region *region, size_t column)
{
	const struct rs_summary_column *from = &giver->summary->columns[column];
	if (column == 0 || (from->in_regions && has_rows(giver, column)))
		give_value(giver, region, from->name, from->unit, &region->values[column]);
}

/* Give the row of a sum of work. The sum is exact, and `counted` is how many calls reported
 * work. */
static void give_work_sum(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, uint64_t total)
{
	struct rs_row row = rs_row_of(giver, kind_of(region), region, event, unit);
	rs_row_set_text(&row, RS_ROW_STATUS, rs_status_word(RS_VALUE_OK));
	if (!giver->is_interval) {
		rs_row_set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(region->calls));
		rs_row_set(&row, RS_STATISTIC_THREADS, rs_field_of_integer(region->n_threads));
	}
	rs_row_set(&row, RS_STATISTIC_COUNTED, field_of_number(giver, region->work.calls));
	rs_row_set(&row, RS_STATISTIC_TOTAL, field_of_number(giver, total));
	rs_row_set(&row, RS_STATISTIC_AVG,
		rs_field_of_real((double)total / (double)region->work.calls));
	rs_row_give(giver, &row);
}

/* Give the row of a rate of work. Its status is that of the time from which the rate was
 * computed. */
static void give_work_rate(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const char *name, const char *unit, double value)
{
	const struct rs_metric metric = {.name = name, .unit = unit, .value = value};
	if (isfinite(value) && !giver->is_interval)
		give_metric(giver, region, &metric, region->values[0].status);
}

static void give_work(const struct rs_row_giver *giver, const struct rs_summary_region *region)
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

/* Return a row of a tail (slowest calls). Each tail of a region has a different count of calls. */
static struct rs_row row_of_tail(const struct rs_row_giver *giver,
	const struct rs_summary_region *region, const struct rs_tail *tail, const char *event,
	const char *unit)
{
	struct rs_row row = rs_row_of(giver, "tail", region, event, unit);
	rs_row_set_text(&row, RS_ROW_STATUS,
		rs_status_word(tail->is_scaled ? RS_VALUE_SCALED : RS_VALUE_OK));
	rs_row_set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(tail->calls));
	return row;
}

/* Give the rows of a tail. They tell which share of the calls it contains and how long its shortest
 * call is. A row for each event compares the tail with the other calls. */
static void give_tail(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const struct rs_tail *tail)
{
	rs_row_give_field(giver, row_of_tail(giver, region, tail, "share", "ratio"),
		rs_field_of_real(tail->share));
	rs_row_give_field(giver, row_of_tail(giver, region, tail, "bound", "ns"),
		rs_field_of_integer(tail->bound_ns));
	for (size_t i = RS_EVENT_FIRST; i < giver->summary->n_columns; i++) {
		const struct rs_summary_column *column = &giver->summary->columns[i];
		const struct rs_tail_event *event = &tail->events[i];
		if (!event->is_known || !has_rows(giver, i))
			continue;
		struct rs_row row = row_of_tail(giver, region, tail, column->name, column->unit);
		rs_row_set(&row, RS_STATISTIC_TOTAL, rs_field_of_integer(event->total));
		rs_row_set(&row, RS_STATISTIC_AVG, rs_field_of_real(event->avg));
		rs_row_give_field(giver, row, rs_field_of_real(event->ratio));
	}
}

/* Give the rows of the slowest call, unless the region has too few calls for a comparison. */
static void give_slowest(const struct rs_row_giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	char process[16], thread[16];
	if (!region->slowest || !isfinite(region->slowest_ratio))
		return;
	snprintf(process, sizeof(process), "%" PRIu32, region->slowest_pid);
	snprintf(thread, sizeof(thread), "%" PRIu32, region->slowest_tid);
	struct rs_row row = rs_row_of(giver, "slowest", region, "start", "ns");
	rs_row_set_text(&row, RS_ROW_PROCESS, process);
	rs_row_set_text(&row, RS_ROW_THREAD, thread);
	rs_row_give_field(giver, row, rs_field_of_integer(region->slowest_start_ns));
	rs_row_set_text(&row, RS_ROW_EVENT, "p90_ratio");
	rs_row_set_text(&row, RS_ROW_UNIT, "ratio");
	rs_row_give_field(giver, row, rs_field_of_real(region->slowest_ratio));
	for (size_t i = 0; i < summary->n_columns; i++) {
		if (!rs_value_has_total(&region->slowest[i]) || !has_rows(giver, i))
			continue;
		rs_row_set_text(&row, RS_ROW_EVENT, summary->columns[i].name);
		rs_row_set_text(&row, RS_ROW_UNIT, summary->columns[i].unit);
		rs_row_give_field(giver, row, rs_field_of_integer(region->slowest[i].total));
	}
}

/* Give the row of the process with the lowest or highest time. label: "lowest" or "highest". */
static void give_rank(const struct rs_row_giver *giver, const struct rs_summary_region *region,
	const char *label, const struct rs_rank *rank, uint64_t time_ns)
{
	char process[16], event[32];
	snprintf(process, sizeof(process), "%" PRIu32, rank->pid);
	snprintf(event, sizeof(event), "%s_rank", label);
	struct rs_row row = rs_row_of(giver, "ranks", region, label, "ns");
	rs_row_set_text(&row, RS_ROW_PROCESS, process);
	rs_row_give_field(giver, row, rs_field_of_integer(time_ns));
	row = rs_row_of(giver, "ranks", region, event, NULL);
	rs_row_set_text(&row, RS_ROW_PROCESS, process);
	if (rank->rank != RS_NO_RANK)
		rs_row_give_field(giver, row, rs_field_of_integer(rank->rank));
}

/* Give rows that tell how a region's time differs between the processes of merged runs. */
static void give_ranks(const struct rs_row_giver *giver, const struct rs_summary_region *region)
{
	const struct rs_ranks *ranks = region->ranks;
	if (!ranks)
		return;
	struct rs_row row = rs_row_of(giver, "ranks", region, "time", "ns");
	struct rs_value times = ranks->times;
	times.total = times.sum;
	times.lacks_self = true;
	set_statistics(&row, region, &times);
	rs_row_give(giver, &row);
	give_rank(giver, region, "lowest", &ranks->lowest, times.min);
	give_rank(giver, region, "highest", &ranks->highest, times.max);
	if (times.max > 0)
		rs_row_give_field(giver, rs_row_of(giver, "ranks", region, "imbalance", "ratio"),
			rs_field_of_real((double)times.max / rs_value_average(&times)));
}

static void give_diagnostic(const struct rs_row_giver *giver,
	const struct rs_summary_region *region, const char *name, uint64_t number)
{
	struct rs_row row = rs_row_of(giver, "diagnostic", region, name, NULL);
	rs_row_set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(number));
	if (number > 0)
		rs_row_give_field(giver, row, rs_field_of_integer(number));
}

static void give_region(const struct rs_row_giver *giver, const struct rs_summary_region *region)
{
	for (size_t i = 0; i < giver->summary->n_columns; i++)
		give_column(giver, region, i);
	give_work(giver, region);
	for (size_t i = 0; i < region->n_tails; i++)
		give_tail(giver, region, &region->tails[i]);
	give_slowest(giver, region);
	give_ranks(giver, region);
	give_metrics(giver, region);
	give_overhead(giver, region, &region->overhead);
	for (int i = 0; i < RS_ACCUMULATOR_DIAG_N; i++)
		if (diag_names[i])
			give_diagnostic(giver, region, diag_names[i], region->diag[i]);
	/* calls that are open and can still end */
	give_diagnostic(giver, region, "running", region->running);
}

/* Give the rows of events, work and metrics of a region, or of its calls with the same work. */
static void give_values(const struct rs_row_giver *giver, const struct rs_summary_region *region)
{
	for (size_t i = 0; i < giver->summary->n_columns; i++)
		if (!region->work_of || i == RS_EVENT_TIME || i >= RS_EVENT_FIRST)
			give_column(giver, region, i);
	give_work(giver, region);
	give_metrics(giver, region);
}

void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_row_sink *sink)
{
	const struct rs_row_giver giver = {summary, options, sink};
	give_run(&giver);
	for (size_t r = 0; r < summary->n_regions; r++)
		give_region(&giver, &summary->regions[r]);
	for (size_t r = 0; r < summary->n_works; r++)
		give_values(&giver, &summary->works[r]);
}

/* Return true if a region needs rows in an interval: calls ended, or a value changed. */
static bool has_news(const struct rs_summary *summary, const struct rs_summary_region *region)
{
	bool any = region->calls > 0;
	for (size_t c = 0; c < summary->n_columns; c++)
		any |= (region->values[c].total | (uint64_t)region->values[c].self) > 0;
	return any;
}

void rs_rows_give_interval(const struct rs_interval *interval,
	const struct rs_report_options *options, struct rs_row_sink *sink)
{
	struct rs_summary summary = *interval->summary;
	const struct rs_row_giver giver = {&summary, options, sink, true};
	summary.total = interval->total;
	give_run_values(&giver);
	give_metrics(&giver, NULL);
	for (size_t i = 0; i < summary.n_merged; i++)
		if (has_news(&summary, &interval->regions[i]))
			give_values(&giver, &interval->regions[i]);
}
