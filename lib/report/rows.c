/* SPDX-License-Identifier: MIT */
/*
 * This file makes the rows of the flat table. It reads a finished summary. It makes a row for each
 * fact. Values that were not measured also have rows, so that scripts can rely on them. A value
 * that does not exist is an absent field.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "record/document.h"
#include "report/format.h"
#include "report/rows.h"

static const char *const words[RS_ROW_STATISTICS] = {
	"run", "kind", "region", "parent", "process", "thread", "event", "unit", "status", "value"};

static const char *const marker_words[RS_ADAPTER_COUNT_N] = {
	[RS_ADAPTER_COUNT_LOADED] = "markers_processes",
	[RS_ADAPTER_COUNT_REGIONS] = "markers_regions",
	[RS_ADAPTER_COUNT_IGNORED] = "markers_ignored",
	[RS_ADAPTER_COUNT_UNMATCHED] = "markers_unmatched",
	[RS_ADAPTER_COUNT_REFUSED] = "markers_refused",
	[RS_ADAPTER_COUNT_MEMORY] = "markers_memory",
	[RS_ADAPTER_COUNT_CHAINED] = "markers_chained",
};

const char *rs_row_word(size_t field)
{
	return field < RS_ROW_STATISTICS ? words[field]
					 : rs_statistics[field - RS_ROW_STATISTICS].word;
}

/* State while rows are made. In all functions, region is NULL for the whole run. */
struct giver {
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	rs_take_row *take;
	void *context;
	struct rs_arena *arena;
};

static void set_text(struct rs_row *row, enum rs_row_field field, const char *text)
{
	row->fields[field] = rs_field_of_text(text);
}

static void set(struct rs_row *row, enum rs_statistic_index statistic, struct rs_field field)
{
	row->fields[RS_ROW_STATISTICS + statistic] = field;
}

static void set_status(struct rs_row *row, enum rs_value_status status)
{
	set_text(row, RS_ROW_STATUS, rs_status_word(status));
}

/* Return a row in which the fields before RS_ROW_STATUS are set. These fields say what the row
 * describes. */
static struct rs_row row_of(const struct giver *giver, const char *kind,
	const struct rs_summary_region *region, const char *event, const char *unit)
{
	struct rs_row row = {0};
	set_text(&row, RS_ROW_RUN, giver->summary->label);
	set_text(&row, RS_ROW_KIND, kind);
	set_text(&row, RS_ROW_EVENT, event);
	set_text(&row, RS_ROW_UNIT, unit);
	set_text(&row, RS_ROW_PROCESS, region && region->process ? region->process->label : "all");
	set_text(&row, RS_ROW_THREAD, region && region->thread ? region->thread->label : "all");
	if (!region)
		return row;
	set_text(&row, RS_ROW_REGION, region->name);
	set_text(&row, RS_ROW_PARENT, region->work_of ? region->work_of : region->parent);
	return row;
}

static void give(const struct giver *giver, const struct rs_row *row)
{
	giver->take(giver->context, row);
}

static void give_field(const struct giver *giver, struct rs_row row, struct rs_field field)
{
	row.fields[RS_ROW_VALUE] = field;
	give(giver, &row);
}

/* Give a row with a fact, unless it is absent. */
static void give_info(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, const char *unit, struct rs_field field)
{
	if (field.kind != RS_FIELD_ABSENT)
		give_field(giver, row_of(giver, "info", region, name, unit), field);
}

/* ---- facts about the run ---- */

static void give_fact(const struct giver *giver, const char *name, uint64_t number)
{
	give_info(giver, NULL, name, NULL, rs_field_of_integer(number));
}

/* Give a row with a number or a text about the run, unless it is 0 or empty. */
static void give_known(
	const struct giver *giver, const char *name, uint64_t number, const char *text)
{
	if (number > 0)
		give_fact(giver, name, number);
	else if (text && *text)
		give_info(giver, NULL, name, NULL, rs_field_of_text(text));
}

/* Give rows that count the slow calls of each --slow rule, and the slow calls that were not
 * written. */
static void give_slow(const struct giver *giver)
{
	const struct rs_run_how *how = &giver->summary->run->how;
	for (size_t i = 0; i < how->n_slow; i++) {
		struct rs_row row = row_of(
			giver, "info", NULL, "slow_calls", how->slow[i].condition);
		set_text(&row, RS_ROW_REGION, how->slow[i].region);
		give_field(giver, row, rs_field_of_integer(how->slow[i].calls));
	}
	if (how->n_slow == 0)
		return;
	give_fact(giver, "slow_lines", how->slow_lines);
	give_fact(giver, "slow_over_limit", how->slow_over_limit);
	give_fact(giver, "slow_lost", how->slow_lost);
	give_fact(giver, "slow_unwritten", how->slow_unwritten);
}

static void give_names(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_processes; i++)
		give_info(giver, &(struct rs_summary_region){.process = &summary->processes[i]},
			"process_name", NULL, rs_field_of_text(summary->processes[i].name));
	for (size_t i = 0; i < summary->n_ranks; i++)
		give_info(giver, &(struct rs_summary_region){.process = &summary->ranks[i]},
			"process_rank", NULL, rs_field_of_integer(summary->ranks[i].rank));
	for (size_t i = 0; i < summary->n_threads; i++) {
		const struct rs_summary_thread *thread = &summary->threads[i];
		give_info(giver,
			&(struct rs_summary_region){.process = thread->process, .thread = thread},
			"thread_name", NULL, rs_field_of_text(thread->name));
	}
	for (size_t i = 0; i < summary->n_running; i++)
		give_info(giver, &(struct rs_summary_region){.process = &summary->running[i]},
			"running", NULL, rs_field_of_text(summary->running[i].name));
}

static void give_facts(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_run *run = summary->run;
	give_known(giver, "command", 0, rs_report_command_text(summary->argv, giver->arena));
	give_known(giver, "started", run->started_s > 0 ? (uint64_t)run->started_s : 0, NULL);
	give_known(giver, "host", 0, run->machine.host);
	give_known(giver, "kernel", 0, run->machine.kernel);
	give_known(giver, "architecture", 0, run->machine.architecture);
	give_known(giver, "processor", 0, run->machine.processor);
	give_known(giver, "cpus", run->machine.cpus, NULL);
	give_slow(giver);
	/* the unit of the counts of an adapter is its name in --markers */
	for (size_t i = 0; i < run->n_adapters; i++)
		for (size_t c = 0; c < RS_ADAPTER_COUNT_N && marker_words[c]; c++)
			give_info(giver, NULL, marker_words[c], run->adapters[i].word,
				rs_field_of_integer(run->adapters[i].counts[c]));
	give_fact(giver, "exit_status", (uint64_t)summary->exit_status);
	give_known(giver, "signal", (uint64_t)summary->term_signal, NULL);
	give_known(giver, "timed_out", summary->timed_out, NULL);
	give_names(giver);
}

/* ---- values ---- */

static void set_statistics(
	struct rs_row *row, const struct rs_summary_region *region, const struct rs_value *value)
{
	set_status(row, value->status);
	row->value = value;
	for (enum rs_statistic_index i = 0; i < RS_STATISTIC_ON_CPU; i++)
		set(row, i, rs_statistic_of(&rs_statistics[i], region, value));
}

/* Return a field for a number. In an interval, the number may be negative, in two's complement. */
static struct rs_field field_of_number(const struct giver *giver, uint64_t number)
{
	int64_t value = (int64_t)number;
	return giver->options->interval && value < 0 ? rs_field_of_real((double)value)
						     : rs_field_of_integer(number);
}

/* Replace the statistics that have other values in an interval than in the run. */
static void set_differences(const struct giver *giver, struct rs_row *row,
	const struct rs_summary_region *region, const struct rs_value *value)
{
	const struct rs_field absent = {0};
	bool has_total = rs_value_has_total(value);
	set(row, RS_STATISTIC_THREADS, absent); /* unknown for an interval */
	set(row, RS_STATISTIC_COUNTED, absent);
	if (region)
		set(row, RS_STATISTIC_CALLS, field_of_number(giver, region->calls));
	if (region && !rs_value_status_is_refusal(value->status))
		set(row, RS_STATISTIC_COUNTED, field_of_number(giver, value->counted));
	if (has_total)
		set(row, RS_STATISTIC_TOTAL, field_of_number(giver, value->total));
	if (has_total && !value->lacks_self)
		set(row, RS_STATISTIC_SELF, field_of_number(giver, (uint64_t)value->self));
}

static const char *kind_of(const struct rs_summary_region *region)
{
	return !region ? "run" : region->work_of ? "work" : "region";
}

static void give_value(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, const struct rs_value *value)
{
	struct rs_row row = row_of(giver, kind_of(region), region, event, unit);
	set_statistics(&row, region, value);
	if (giver->options->interval) {
		set_differences(giver, &row, region, value);
	} else if (!region) {
		/* the run is one call; it was counted if the total is not scaled */
		set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(1));
		if (!rs_value_status_is_refusal(value->status))
			set(&row, RS_STATISTIC_COUNTED,
				rs_field_of_integer(value->status == RS_VALUE_OK));
	}
	give(giver, &row);
}

/* Return true if a column of the summary has rows. The parts of an event add up to the event, so
 * only -v shows rows for parts. */
static bool has_rows(const struct giver *giver, size_t column)
{
	return giver->options->verbose || !giver->summary->columns[column].is_part;
}

static void give_column(
	const struct giver *giver, const struct rs_summary_region *region, size_t index)
{
	const struct rs_summary_column *column = &giver->summary->columns[index];
	const struct rs_summary_region *of = region ? region : &giver->summary->total;
	if (index == 0 ||
		((region ? column->in_regions : column->in_totals) && has_rows(giver, index)))
		give_value(giver, region, column->name, column->unit, &of->values[index]);
}

static void give_metric(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, const char *unit, double value, enum rs_value_status status)
{
	struct rs_row row = row_of(giver, "metric", region, name, unit);
	set_status(&row, status);
	set(&row, RS_STATISTIC_AVG, rs_field_of_real(value));
	give_field(giver, row, rs_field_of_real(value));
}

/* Give the rows of a region's metrics. A metric has the same status as its event. Skip metrics of
 * an event's parts on single types of cores, because they have the same name as the metric of the
 * whole event. */
static void give_metrics(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary_region *of = region ? region : &giver->summary->total;
	for (size_t i = 0; i < of->n_metrics; i++) {
		const struct rs_metric *metric = &of->metrics[i];
		bool is_own = metric->column == RS_NO_COLUMN;
		if (is_own || !giver->summary->columns[metric->column].is_part)
			give_metric(giver, region, metric->name, metric->unit, metric->value,
				is_own ? metric->status : of->values[metric->column].status);
	}
}

static void give_overhead(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_marker_overhead *cost)
{
	if (!cost->known)
		return;
	give_info(giver, region, "overhead", "ns", rs_field_of_real(cost->call_ns));
	give_info(giver, region, "overhead_share", "%", rs_field_of_real(cost->share * 100));
}

/* ---- the run ---- */

/* Give the row of a time that the kernel keeps for every process without a counter. The time has
 * the same name as in perf stat. */
static void give_run_time(const struct giver *giver, const char *name, uint64_t time_ns)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_value value = {.lacks_self = true, .total = time_ns};
	/* if -e named this event, it already has a row */
	for (size_t i = 0; i < summary->n_columns; i++)
		if (summary->columns[i].in_totals && strcmp(summary->columns[i].name, name) == 0)
			return;
	give_value(giver, NULL, name, "ns", &value);
}

static void give_run(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++)
		give_column(giver, NULL, i);
	give_run_time(giver, "user_time", summary->user_ns);
	give_run_time(giver, "system_time", summary->system_ns);
	give_metrics(giver, NULL);
	give_overhead(giver, NULL, &summary->total.overhead);
	if (summary->overhead_setup_ns > 0)
		give_info(giver, NULL, "overhead_setup", "ns",
			rs_field_of_real((double)summary->overhead_setup_ns));
	give_facts(giver);
}

/* ---- regions ---- */

/* Give the row of a sum of work. The sum is exact, and `counted` is how many calls reported
 * work. */
static void give_work_sum(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, uint64_t total)
{
	struct rs_row row = row_of(giver, kind_of(region), region, event, unit);
	set_status(&row, RS_VALUE_OK);
	if (!giver->options->interval) {
		set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(region->calls));
		set(&row, RS_STATISTIC_THREADS, rs_field_of_integer(region->n_threads));
	}
	set(&row, RS_STATISTIC_COUNTED, field_of_number(giver, region->work.calls));
	set(&row, RS_STATISTIC_TOTAL, field_of_number(giver, total));
	set(&row, RS_STATISTIC_AVG, rs_field_of_real((double)total / (double)region->work.calls));
	give(giver, &row);
}

/* Give the rows of a region's work. The status of a rate is that of the time from which the rate
 * was computed. */
static void give_work(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary_work *work = &region->work;
	const struct {
		const char *name, *unit;
		double value;
	} rates[] = {{"byte rate", "GB/s", work->gb_per_s},
		{"flop rate", "GFLOP/s", work->gflop_per_s},
		{"intensity", "flop/byte", work->flop_per_byte}};
	if (work->calls == 0)
		return;
	give_work_sum(giver, region, "bytes", "byte", work->bytes);
	give_work_sum(giver, region, "flops", "flop", work->flops);
	for (size_t i = 0; !giver->options->interval && i < sizeof(rates) / sizeof(rates[0]); i++)
		if (isfinite(rates[i].value))
			give_metric(giver, region, rates[i].name, rates[i].unit, rates[i].value,
				region->values[0].status);
}

/* Return a row of a tail (slowest calls). Each tail of a region has a different count of calls. */
static struct rs_row row_of_tail(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_tail *tail, const char *event, const char *unit)
{
	struct rs_row row = row_of(giver, "tail", region, event, unit);
	set_status(&row, tail->is_scaled ? RS_VALUE_SCALED : RS_VALUE_OK);
	set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(tail->calls));
	return row;
}

/* Give the rows of a tail. They tell which share of the calls it contains and how long its shortest
 * call is. A row for each event compares the tail with the other calls. */
static void give_tail(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_tail *tail)
{
	give_field(giver, row_of_tail(giver, region, tail, "share", "ratio"),
		rs_field_of_real(tail->share));
	give_field(giver, row_of_tail(giver, region, tail, "bound", "ns"),
		rs_field_of_integer(tail->bound_ns));
	for (size_t i = RS_EVENT_FIRST; i < giver->summary->n_columns; i++) {
		const struct rs_summary_column *column = &giver->summary->columns[i];
		const struct rs_tail_event *event = &tail->events[i];
		if (!event->is_known || !has_rows(giver, i))
			continue;
		struct rs_row row = row_of_tail(giver, region, tail, column->name, column->unit);
		set(&row, RS_STATISTIC_TOTAL, rs_field_of_integer(event->total));
		set(&row, RS_STATISTIC_AVG, rs_field_of_real(event->avg));
		give_field(giver, row, rs_field_of_real(event->ratio));
	}
}

/* Give a row about one process. If tid is not NULL, the row is about this thread of the process. */
static void give_of_process(const struct giver *giver, struct rs_row row, uint32_t pid,
	const uint32_t *tid, struct rs_field field)
{
	char process[16], thread[16];
	snprintf(process, sizeof(process), "%" PRIu32, pid);
	set_text(&row, RS_ROW_PROCESS, process);
	if (tid) {
		snprintf(thread, sizeof(thread), "%" PRIu32, *tid);
		set_text(&row, RS_ROW_THREAD, thread);
	}
	give_field(giver, row, field);
}

static void give_of_slowest(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, struct rs_field field)
{
	give_of_process(giver, row_of(giver, "slowest", region, event, unit), region->slowest_pid,
		&region->slowest_tid, field);
}

/* Give the rows of the slowest call, unless the region has too few calls for a comparison. */
static void give_slowest(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	if (!region->slowest || !isfinite(region->slowest_ratio))
		return;
	give_of_slowest(
		giver, region, "start", "ns", rs_field_of_integer(region->slowest_start_ns));
	give_of_slowest(
		giver, region, "p90_ratio", "ratio", rs_field_of_real(region->slowest_ratio));
	for (size_t i = 0; i < summary->n_columns; i++)
		if (rs_value_has_total(&region->slowest[i]) && has_rows(giver, i))
			give_of_slowest(giver, region, summary->columns[i].name,
				summary->columns[i].unit,
				rs_field_of_integer(region->slowest[i].total));
}

/* Give rows that tell how a region's time differs between the processes of merged runs. */
static void give_ranks(const struct giver *giver, const struct rs_summary_region *region)
{
	static const char *const times_of[] = {"lowest", "highest"};
	static const char *const ranks_of[] = {"lowest_rank", "highest_rank"};
	const struct rs_ranks *ranks = region->ranks;
	if (!ranks)
		return;
	struct rs_row row = row_of(giver, "ranks", region, "time", "ns");
	struct rs_value times = ranks->times;
	times.total = times.sum;
	times.lacks_self = true;
	set_statistics(&row, region, &times);
	give(giver, &row);
	for (int i = 0; i < 2; i++) {
		const struct rs_rank *rank = i == 0 ? &ranks->lowest : &ranks->highest;
		give_of_process(giver, row_of(giver, "ranks", region, times_of[i], "ns"), rank->pid,
			NULL, rs_field_of_integer(i == 0 ? times.min : times.max));
		if (rank->rank != RS_NO_RANK)
			give_of_process(giver, row_of(giver, "ranks", region, ranks_of[i], NULL),
				rank->pid, NULL, rs_field_of_integer(rank->rank));
	}
	if (times.max > 0)
		give_field(giver, row_of(giver, "ranks", region, "imbalance", "ratio"),
			rs_field_of_real((double)times.max / rs_value_average(&times)));
}

static void give_diagnostic(const struct giver *giver, const struct rs_summary_region *region,
	const char *name, uint64_t number)
{
	struct rs_row row = row_of(giver, "diagnostic", region, name, NULL);
	set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(number));
	if (number > 0)
		give_field(giver, row, rs_field_of_integer(number));
}

static void give_region(const struct giver *giver, const struct rs_summary_region *region)
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
	if (region->bound_ns > 0)
		give_info(giver, region, "time_bound", "ns", rs_field_of_real(region->bound_ns));
	for (int i = 0; i < RS_ACCUMULATOR_DIAG_EXIT; i++)
		give_diagnostic(
			giver, region, rs_document_call_counts.members[i].key, region->diag[i]);
	/* calls that are open and can still end */
	give_diagnostic(giver, region, "running", region->running);
}

/* Give the rows of events, work and metrics of a region, or of its calls with the same work. */
static void give_values(const struct giver *giver, const struct rs_summary_region *region)
{
	for (size_t i = 0; i < giver->summary->n_columns; i++)
		if (!region->work_of || i == RS_EVENT_TIME || i >= RS_EVENT_FIRST)
			give_column(giver, region, i);
	give_work(giver, region);
	give_metrics(giver, region);
}

/* Return true if a region needs rows in an interval: calls ended, or a value changed. */
static bool has_news(const struct rs_summary *summary, const struct rs_summary_region *region)
{
	bool any = region->calls > 0;
	for (size_t c = 0; c < summary->n_columns; c++)
		any |= (region->values[c].total | (uint64_t)region->values[c].self) > 0;
	return any;
}

static void give_interval(struct giver giver)
{
	const struct rs_interval *interval = giver.options->interval;
	struct rs_summary summary = *interval->summary;
	summary.total = interval->total;
	giver.summary = &summary;
	for (size_t i = 0; i < summary.n_columns; i++)
		give_column(&giver, NULL, i);
	give_metrics(&giver, NULL);
	for (size_t i = 0; i < summary.n_merged; i++)
		if (has_news(&summary, &interval->regions[i]))
			give_values(&giver, &interval->regions[i]);
}

void rs_rows_give(const struct rs_summary *summary, const struct rs_report_options *options,
	struct rs_arena *arena, rs_take_row *take, void *context)
{
	const struct giver giver = {summary, options, take, context, arena};
	if (options->interval) {
		give_interval(giver);
		return;
	}
	give_run(&giver);
	for (size_t r = 0; r < summary->n_regions; r++)
		give_region(&giver, &summary->regions[r]);
	for (size_t r = 0; r < summary->n_works; r++)
		give_values(&giver, &summary->works[r]);
}
