/* SPDX-License-Identifier: MIT */
/*
 * This file makes the rows of the flat table. It reads a finished summary. It makes a row for each
 * fact, also for what was not measured, so that scripts can rely on the row. A value that does not
 * exist is an absent field.
 */
#include "report/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/command_line.h"

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

/* State while rows are made. */
struct giver {
	const struct rs_summary *summary;
	const struct rs_report_options *options;
	struct rs_row_sink *sink;
};

const char *rs_row_word(size_t field)
{
	if (field < RS_ROW_STATISTICS)
		return words[field];
	const struct rs_statistic *statistic = &rs_statistics[field - RS_ROW_STATISTICS];
	return statistic->in & RS_IN_ROWS ? statistic->word : NULL;
}

/* ---- rows ---- */

static void give(const struct giver *giver, const struct rs_row *row)
{
	giver->sink->take(giver->sink, row);
}

static void set_text(struct rs_row *row, enum rs_row_field field, const char *text)
{
	row->fields[field] = rs_field_of_text(text);
}

static void set(struct rs_row *row, enum rs_statistic_index statistic, struct rs_field field)
{
	row->fields[RS_ROW_STATISTICS + statistic] = field;
}

/* Return a row with the fields that say what it describes. region is NULL for the whole run. */
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

/* Give a row that has a value and no statistics. */
static void give_field(const struct giver *giver, struct rs_row row, struct rs_field field)
{
	row.fields[RS_ROW_VALUE] = field;
	give(giver, &row);
}

void rs_row_set_statistics(
	struct rs_row *row, const struct rs_summary_region *region, const struct rs_value *value)
{
	set_text(row, RS_ROW_STATUS, rs_status_word(value->status));
	row->value = value;
	for (int i = 0; i < RS_STATISTIC_N; i++)
		if (rs_statistics[i].in & RS_IN_ROWS)
			set(row, (enum rs_statistic_index)i,
				rs_statistic_of(&rs_statistics[i], region, value));
}

/* Return true if a column has rows. The parts of an event add up to the event, so only -v shows
 * them. */
static bool has_rows(const struct giver *giver, size_t column)
{
	return giver->options->verbose || !giver->summary->columns[column].is_part;
}

/* Give the row of a metric. region is NULL for the whole run. */
static void give_metric(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_metric *metric, enum rs_value_status status)
{
	struct rs_row row = row_of(giver, "metric", region, metric->name, metric->unit);
	set_text(&row, RS_ROW_STATUS, rs_status_word(status));
	set(&row, RS_STATISTIC_AVG, rs_field_of_real(metric->value));
	give_field(giver, row, rs_field_of_real(metric->value));
}

/* Make the rows of a region's metrics. The status of a metric is that of its event. Skip metrics of
 * an event on single types of cores, because their names equal that of the whole event's metric. */
static void give_metrics(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_value *values = region ? region->values : summary->total.values;
	const struct rs_metric *metrics = region ? region->metrics : summary->total.metrics;
	size_t n_metrics = region ? region->n_metrics : summary->total.n_metrics;
	for (size_t i = 0; i < n_metrics; i++) {
		size_t column = metrics[i].column;
		if (column == RS_NO_COLUMN)
			give_metric(giver, region, &metrics[i], metrics[i].status);
		else if (!summary->columns[column].is_part)
			give_metric(giver, region, &metrics[i], values[column].status);
	}
}

/* ---- facts ---- */

/* Give a number about the run. */
static void give_fact(const struct giver *giver, const char *name, uint64_t number)
{
	give_field(giver, row_of(giver, "info", NULL, name, NULL), rs_field_of_integer(number));
}

/* Give a text about the run, unless it is empty. */
static void give_text(const struct giver *giver, const char *name, const char *text)
{
	if (text && *text)
		give_field(giver, row_of(giver, "info", NULL, name, NULL), rs_field_of_text(text));
}

/* Give the overhead of markers if it is known. */
static void give_overhead(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_marker_overhead *cost)
{
	if (!cost->known)
		return;
	if (isfinite(cost->call_ns))
		give_field(giver, row_of(giver, "info", region, "overhead", "ns"),
			rs_field_of_real(cost->call_ns));
	if (isfinite(cost->share))
		give_field(giver, row_of(giver, "info", region, "overhead_share", "%"),
			rs_field_of_real(cost->share * 100));
}

/* Give the command, the start and the machine of the run. */
static void give_begin(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_run *run = summary->run;
	char *command = NULL;
	size_t bytes = 0;
	FILE *text = summary->argv ? open_memstream(&command, &bytes) : NULL;
	if (text) {
		rs_report_command_line(summary->argv, 0, text);
		fclose(text);
	}
	give_text(giver, "command", command);
	free(command);
	if (!run)
		return;
	if (run->started_s > 0)
		give_fact(giver, "started", (uint64_t)run->started_s);
	give_text(giver, "host", run->machine.host);
	give_text(giver, "kernel", run->machine.kernel);
	give_text(giver, "architecture", run->machine.architecture);
	give_text(giver, "processor", run->machine.processor);
	if (run->machine.cpus > 0)
		give_fact(giver, "cpus", run->machine.cpus);
}

/* Give the number of calls that were slow by each rule of --slow, and how many of them were not
 * written. */
static void give_slow(const struct giver *giver)
{
	const struct rs_run *run = giver->summary->run;
	const struct rs_run_how *how = run ? &run->how : NULL;
	for (size_t i = 0; how && i < how->n_slow; i++) {
		struct rs_row row = row_of(
			giver, "info", NULL, "slow_calls", how->slow[i].condition);
		set_text(&row, RS_ROW_REGION, how->slow[i].region);
		give_field(giver, row, rs_field_of_integer(how->slow[i].calls));
	}
	if (!how || how->n_slow == 0)
		return;
	give_fact(giver, "slow_lines", how->slow_lines);
	give_fact(giver, "slow_over_limit", how->slow_over_limit);
	give_fact(giver, "slow_lost", how->slow_lost);
	give_fact(giver, "slow_unwritten", how->slow_unwritten);
}

/* Give the counts of each adapter that was loaded. The unit of these rows is the word of the
 * adapter. */
static void give_markers(const struct giver *giver)
{
	const struct rs_run *run = giver->summary->run;
	for (size_t i = 0; run && i < run->n_adapters; i++) {
		const struct rs_run_adapter *adapter = &run->adapters[i];
		const struct {
			const char *word;
			uint64_t number;
		} counts[] = {{"markers_processes", adapter->loaded},
			{"markers_regions", adapter->regions},
			{"markers_ignored", adapter->ignored},
			{"markers_unmatched", adapter->unmatched},
			{"markers_refused", adapter->refused}, {"markers_memory", adapter->memory},
			{"markers_chained", adapter->chained}};
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
			give_field(giver,
				row_of(giver, "info", NULL, counts[c].word, adapter->word),
				rs_field_of_integer(counts[c].number));
	}
}

static void give_end(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	give_fact(giver, "exit_status", (uint64_t)summary->exit_status);
	if (summary->term_signal != 0)
		give_fact(giver, "signal", (uint64_t)summary->term_signal);
	if (summary->timed_out)
		give_fact(giver, "timed_out", 1);
}

/* Give the name of a process or a thread. */
static void give_name(const struct giver *giver, const char *event,
	const struct rs_summary_process *process, const struct rs_summary_thread *thread)
{
	const struct rs_summary_region place = {.process = process, .thread = thread};
	give_field(giver, row_of(giver, "info", &place, event, NULL),
		rs_field_of_text(thread ? thread->name : process->name));
}

static void give_names(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_processes; i++)
		give_name(giver, "process_name", &summary->processes[i], NULL);
	for (size_t i = 0; i < summary->n_ranks; i++) {
		const struct rs_summary_region place = {.process = &summary->ranks[i]};
		give_field(giver, row_of(giver, "info", &place, "process_rank", NULL),
			rs_field_of_integer(summary->ranks[i].rank));
	}
	for (size_t i = 0; i < summary->n_threads; i++)
		give_name(giver, "thread_name", summary->threads[i].process, &summary->threads[i]);
	for (size_t i = 0; i < summary->n_running; i++)
		give_name(giver, "running", &summary->running[i], NULL);
}

/* ---- the run ---- */

/* Give a total of the run. The run is one call, which was counted if nothing had to be scaled. */
static void give_run_value(const struct giver *giver, const char *event, const char *unit,
	const struct rs_value *value)
{
	struct rs_row row = row_of(giver, "run", NULL, event, unit);
	rs_row_set_statistics(&row, NULL, value);
	set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(1));
	if (!rs_value_status_is_refusal(value->status))
		set(&row, RS_STATISTIC_COUNTED, rs_field_of_integer(value->status == RS_VALUE_OK));
	give(giver, &row);
}

/* Give a time that the kernel keeps for all processes, under perf's name for it. It needs no
 * counter. */
static void give_run_time(const struct giver *giver, const char *name, uint64_t time_ns)
{
	const struct rs_summary *summary = giver->summary;
	const struct rs_value value = {.lacks_self = true, .total = time_ns};
	/* -e named this event, so it has a row already */
	for (size_t i = 0; i < summary->n_columns; i++)
		if (summary->columns[i].in_totals && strcmp(summary->columns[i].name, name) == 0)
			return;
	give_run_value(giver, name, "ns", &value);
}

static void give_run(const struct giver *giver)
{
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++)
		if (i == 0 || (summary->columns[i].in_totals && has_rows(giver, i)))
			give_run_value(giver, summary->columns[i].name, summary->columns[i].unit,
				&summary->total.values[i]);
	give_run_time(giver, "user_time", summary->user_ns);
	give_run_time(giver, "system_time", summary->system_ns);
	give_metrics(giver, NULL);
	give_overhead(giver, NULL, &summary->total.overhead);
	if (summary->overhead_setup_ns > 0)
		give_field(giver, row_of(giver, "info", NULL, "overhead_setup", "ns"),
			rs_field_of_real((double)summary->overhead_setup_ns));
	give_begin(giver);
	give_slow(giver);
	give_markers(giver);
	give_end(giver);
}

/* ---- regions ---- */

static const char *kind_of(const struct rs_summary_region *region)
{
	return region->work_of ? "work" : "region";
}

static void give_value(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, const struct rs_value *value)
{
	struct rs_row row = row_of(giver, kind_of(region), region, event, unit);
	rs_row_set_statistics(&row, region, value);
	give(giver, &row);
}

static void give_column(
	const struct giver *giver, const struct rs_summary_region *region, size_t column)
{
	const struct rs_summary_column *from = &giver->summary->columns[column];
	if (column == 0 || (from->in_regions && has_rows(giver, column)))
		give_value(giver, region, from->name, from->unit, &region->values[column]);
}

/* Give the work of calls. It is exact, and `counted` says how many calls reported work. */
static void give_work_sum(const struct giver *giver, const struct rs_summary_region *region,
	const char *event, const char *unit, uint64_t total)
{
	struct rs_row row = row_of(giver, kind_of(region), region, event, unit);
	set_text(&row, RS_ROW_STATUS, rs_status_word(RS_VALUE_OK));
	set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(region->calls));
	set(&row, RS_STATISTIC_COUNTED, rs_field_of_integer(region->work.calls));
	set(&row, RS_STATISTIC_THREADS, rs_field_of_integer(region->n_threads));
	set(&row, RS_STATISTIC_TOTAL, rs_field_of_integer(total));
	set(&row, RS_STATISTIC_AVG, rs_field_of_real((double)total / (double)region->work.calls));
	give(giver, &row);
}

/* Give a rate of work, with the status of the time that it is computed from. */
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

/* Return a row of a tail. Its number of calls tells the tails of a region apart. */
static struct rs_row row_of_tail(const struct giver *giver, const struct rs_summary_region *region,
	const struct rs_tail *tail, const char *event, const char *unit)
{
	struct rs_row row = row_of(giver, "tail", region, event, unit);
	set_text(&row, RS_ROW_STATUS,
		rs_status_word(tail->is_scaled ? RS_VALUE_SCALED : RS_VALUE_OK));
	set(&row, RS_STATISTIC_CALLS, rs_field_of_integer(tail->calls));
	return row;
}

/* Give the tail of a region: its share of the calls and the shortest duration of its calls. Then
 * give its use of each event compared with the other calls. */
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

/* Give the slowest call, unless the region has too few calls to compare it with. */
static void give_slowest(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_summary *summary = giver->summary;
	char process[16], thread[16];
	if (!region->slowest || !isfinite(region->slowest_ratio))
		return;
	snprintf(process, sizeof(process), "%" PRIu32, region->slowest_pid);
	snprintf(thread, sizeof(thread), "%" PRIu32, region->slowest_tid);
	struct rs_row row = row_of(giver, "slowest", region, "start", "ns");
	set_text(&row, RS_ROW_PROCESS, process);
	set_text(&row, RS_ROW_THREAD, thread);
	give_field(giver, row, rs_field_of_integer(region->slowest_start_ns));
	set_text(&row, RS_ROW_EVENT, "p90_ratio");
	set_text(&row, RS_ROW_UNIT, "ratio");
	give_field(giver, row, rs_field_of_real(region->slowest_ratio));
	for (size_t i = 0; i < summary->n_columns; i++) {
		if (!rs_value_has_total(&region->slowest[i]) || !has_rows(giver, i))
			continue;
		set_text(&row, RS_ROW_EVENT, summary->columns[i].name);
		set_text(&row, RS_ROW_UNIT, summary->columns[i].unit);
		give_field(giver, row, rs_field_of_integer(region->slowest[i].total));
	}
}

/* Make the row of the process with the "lowest" or "highest" time, as label says. */
static void give_rank(const struct giver *giver, const struct rs_summary_region *region,
	const char *label, const struct rs_rank *rank, uint64_t time_ns)
{
	char process[16], event[32];
	snprintf(process, sizeof(process), "%" PRIu32, rank->pid);
	snprintf(event, sizeof(event), "%s_rank", label);
	struct rs_row row = row_of(giver, "ranks", region, label, "ns");
	set_text(&row, RS_ROW_PROCESS, process);
	give_field(giver, row, rs_field_of_integer(time_ns));
	row = row_of(giver, "ranks", region, event, NULL);
	set_text(&row, RS_ROW_PROCESS, process);
	if (rank->rank != RS_NO_RANK)
		give_field(giver, row, rs_field_of_integer(rank->rank));
}

/* Give the distribution of a region's time over the processes of merged runs. */
static void give_ranks(const struct giver *giver, const struct rs_summary_region *region)
{
	const struct rs_ranks *ranks = region->ranks;
	if (!ranks)
		return;
	struct rs_row row = row_of(giver, "ranks", region, "time", "ns");
	struct rs_value times = ranks->times;
	times.total = times.sum;
	times.lacks_self = true;
	rs_row_set_statistics(&row, region, &times);
	give(giver, &row);
	give_rank(giver, region, "lowest", &ranks->lowest, times.min);
	give_rank(giver, region, "highest", &ranks->highest, times.max);
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
	const struct rs_summary *summary = giver->summary;
	for (size_t i = 0; i < summary->n_columns; i++)
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
	/* open calls that can still end */
	give_diagnostic(giver, region, "running", region->running);
}

/* Give the values of the calls of a region that did the same work. The other facts are in the rows
 * of the region. */
static void give_works(const struct giver *giver, const struct rs_summary_region *work)
{
	give_column(giver, work, RS_EVENT_TIME);
	for (size_t i = RS_EVENT_FIRST; i < giver->summary->n_columns; i++)
		give_column(giver, work, i);
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
