/*
 * The last stage before the report: plan, collected cells and the run's outcome come in, finished
 * numbers go out, each row with one value a column.
 */
#include "stats/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "stats/arena.h"
#include "stats/merge.h"
#include "stats/metrics.h"
#include "stats/own_cost.h"
#include "stats/values.h"
#include "stats/warnings.h"

struct builder {
	struct rs_summary *summary;
	struct rs_arena *arena;
	const struct rs_plan *plan;
	const struct rs_collection *collection; /* or NULL */
	const struct rs_outcome *outcome;
	struct rs_ticks rate;
	size_t plan_index[RS_MAX_EVENTS]; /* of each event of the collection */
	size_t *columns; /* of each event of the plan: the user's order, not the groups' */
};

/* The events of the segment are those of the plan that regions count, in the same order. */
static bool match_events(struct builder *builder, struct rs_err *err)
{
	uint32_t n = 0;
	for (size_t i = 0; i < builder->plan->n_events; i++) {
		const struct rs_event *event = &builder->plan->events[i];
		if (event->status == RS_EVENT_OK && event->in_regions && n < RS_MAX_EVENTS)
			builder->plan_index[n++] = i;
	}
	if (builder->collection && builder->collection->n_events != n)
		return rs_err_set(err, "cannot sum up: %u events planned, %u measured", n,
			builder->collection->n_events);
	return true;
}

/* Behind time, one for each event that the user wrote earlier. */
static size_t column_of(const struct rs_plan *plan, size_t index)
{
	size_t column = 1;
	for (size_t i = 0; i < plan->n_events; i++)
		column += plan->events[i].position < plan->events[index].position ||
			  (plan->events[i].position == plan->events[index].position && i < index);
	return column;
}

static bool make_columns(struct builder *builder)
{
	struct rs_summary *summary = builder->summary;
	size_t n = 1 + builder->plan->n_events;
	struct rs_summary_column *columns = rs_arena_array(builder->arena, n, sizeof(*columns));
	builder->columns = rs_arena_array(builder->arena, n, sizeof(*builder->columns));
	if (!columns || !builder->columns)
		return false;
	columns[0] = (struct rs_summary_column){"time", "ns", true, true};
	for (size_t i = 0; i < builder->plan->n_events; i++) {
		const struct rs_event *event = &builder->plan->events[i];
		builder->columns[i] = column_of(builder->plan, i);
		columns[builder->columns[i]] = (struct rs_summary_column){
			event->name, event->unit, event->in_regions, event->in_totals, event->help};
	}
	summary->columns = columns;
	summary->n_columns = n;
	return true;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static bool make_run(struct builder *builder)
{
	const struct rs_outcome *outcome = builder->outcome;
	struct rs_summary_run *run = &builder->summary->run;
	const struct rs_clock_point *begin = &outcome->begin, *end = &outcome->end;
	run->elapsed_ns = end->monotonic_ns > begin->monotonic_ns
				  ? end->monotonic_ns - begin->monotonic_ns
				  : 0;
	run->user_ns = timeval_ns(&outcome->usage.ru_utime);
	run->system_ns = timeval_ns(&outcome->usage.ru_stime);
	run->max_rss_bytes = (uint64_t)outcome->usage.ru_maxrss * 1024;
	run->values = rs_arena_array(
		builder->arena, builder->summary->n_columns, sizeof(*run->values));
	if (!run->values)
		return false;
	rs_value_of_call(&run->values[0], run->elapsed_ns);
	rs_own_cost_make(&run->own_cost, builder->collection, &builder->rate);
	for (size_t i = 0; i < builder->plan->n_events; i++) {
		struct rs_total none = {0};
		rs_value_of_total(&run->values[builder->columns[i]],
			outcome->totals ? &outcome->totals[i] : &none,
			builder->plan->events[i].status == RS_EVENT_OK);
	}
	struct rs_metrics_source source = {builder->plan, builder->columns, run->values, 0};
	return rs_metrics_make(&run->metrics, &run->n_metrics, builder->arena, &source);
}

/* A column's place without a value, until one is known. */
static struct rs_value *make_values(struct builder *builder)
{
	struct rs_value *values = rs_arena_array(
		builder->arena, builder->summary->n_columns, sizeof(*values));
	if (!values)
		return NULL;
	for (size_t i = 0; i < builder->plan->n_events; i++)
		values[builder->columns[i]].status = builder->plan->events[i].status == RS_EVENT_OK
							     ? RS_VALUE_NOT_COUNTED
							     : RS_VALUE_NOT_SUPPORTED;
	return values;
}

/* Where values of an event of the collection belong. */
static size_t place_of(const struct builder *builder, uint32_t event)
{
	return builder->columns[builder->plan_index[event]];
}

static bool make_slowest(
	struct builder *builder, struct rs_summary_region *region, const struct rs_cell_copy *cell)
{
	const struct rs_ticks *rate = &builder->rate;
	uint64_t start = cell->slowest_start_ticks;
	region->slowest_start_ns = start > rate->begin ? rs_ticks_to_ns(rate, start - rate->begin)
						       : 0;
	region->slowest_pid = cell->slowest_pid;
	region->slowest_tid = cell->slowest_tid;
	region->slowest = make_values(builder);
	if (!region->slowest)
		return false;
	uint64_t time = cell->slowest[0];
	rs_value_of_call(
		&region->slowest[0], time == UINT64_MAX ? UINT64_MAX : rs_ticks_to_ns(rate, time));
	for (uint32_t i = 0; i < builder->collection->n_events; i++)
		rs_value_of_call(&region->slowest[place_of(builder, i)], cell->slowest[i + 1]);
	return true;
}

/* Self time over lifetimes: how much of its threads' life a region took. */
static double share_of(const struct rs_merged_row *row)
{
	rs_i128 self = row->quantities[0].moments.self;
	if (row->lifetime_ticks == 0 || row->measured == 0)
		return NAN;
	if (self <= 0)
		return 0;
	double share = (double)((long double)self / (long double)row->lifetime_ticks);
	share *= (double)row->calls / (double)row->measured;
	return share < 1 ? share : 1;
}

static bool make_region(
	struct builder *builder, struct rs_summary_region *region, const struct rs_merged_row *row)
{
	const struct rs_collection *collection = builder->collection;
	region->name = rs_arena_format(builder->arena, "%s", collection->regions[row->region].name);
	region->pid = row->pid;
	region->tid = row->tid;
	region->calls = row->calls;
	region->n_threads = row->n_threads;
	region->share = share_of(row);
	memcpy(region->diag, row->diag, sizeof(region->diag));
	region->values = make_values(builder);
	if (!region->name || !region->values)
		return false;
	rs_value_of_time(&region->values[0], row, &builder->rate);
	for (uint32_t i = 0; i < collection->n_events; i++)
		rs_value_of_event(&region->values[place_of(builder, i)], row, i + 1,
			collection->event_group[i], &builder->rate);
	if (row->measured == 0)
		return true;
	struct rs_metrics_source source = {
		builder->plan, builder->columns, region->values, row->measured};
	return rs_metrics_make(&region->metrics, &region->n_metrics, builder->arena, &source) &&
	       (!row->slowest || make_slowest(builder, region, row->slowest));
}

static bool make_regions(
	struct builder *builder, const struct rs_summary_options *options, struct rs_err *err)
{
	struct rs_summary *summary = builder->summary;
	struct rs_merge merge;
	enum rs_merge_by by = options->per_thread    ? RS_MERGE_THREAD
			      : options->per_process ? RS_MERGE_PROCESS
						     : RS_MERGE_REGION;
	if (!builder->collection)
		return true;
	if (!rs_merge_make(&merge, builder->arena, builder->collection, by, err))
		return false;
	summary->regions = rs_arena_array(builder->arena, merge.n_rows, sizeof(*summary->regions));
	for (size_t i = 0; summary->regions && i < merge.n_rows; i++) {
		if (!make_region(builder, &summary->regions[i], &merge.rows[i]))
			break;
		summary->n_regions++;
	}
	if (!summary->regions || summary->n_regions < merge.n_rows)
		return rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
	return true;
}

static bool make_messages(struct builder *builder, const struct rs_summary_options *options)
{
	struct rs_summary *summary = builder->summary;
	struct rs_messages warnings = {.arena = builder->arena};
	struct rs_messages notes = {.arena = builder->arena};
	struct rs_messages details = {.arena = builder->arena};
	struct rs_warnings_source source = {.options = options,
		.plan = builder->plan,
		.collection = builder->collection,
		.outcome = builder->outcome,
		.summary = summary,
		.plan_index = builder->plan_index};
	rs_warnings_of_run(&warnings, &notes, &source);
	rs_warnings_of_regions(&warnings, &notes, &source);
	rs_warnings_details(&details, &source);
	rs_own_cost_tell(&warnings, &notes, &details, builder->collection, &summary->run.own_cost,
		options->raw);
	summary->warnings = warnings.items;
	summary->n_warnings = warnings.n;
	summary->notes = notes.items;
	summary->n_notes = notes.n;
	summary->details = details.items;
	summary->n_details = details.n;
	return !warnings.failed && !notes.failed && !details.failed;
}

bool rs_summary_init(struct rs_summary *summary, const struct rs_summary_options *options,
	const struct rs_plan *plan, char *const *argv, const struct rs_collection *collection,
	const struct rs_outcome *outcome, struct rs_err *err)
{
	*summary = (struct rs_summary){.argv = argv, .timed_out = outcome->timed_out};
	summary->exit_status = rs_outcome_exit_status(outcome);
	if (outcome->started && WIFSIGNALED(outcome->wait_status))
		summary->term_signal = WTERMSIG(outcome->wait_status);
	summary->arena = calloc(1, sizeof(struct rs_arena));
	struct builder builder = {.summary = summary,
		.arena = summary->arena,
		.plan = plan,
		.collection = collection,
		.outcome = outcome,
		.rate = rs_ticks_between(&outcome->begin, &outcome->end)};
	bool done = summary->arena != NULL;
	if (!done)
		rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
	done = done && match_events(&builder, err);
	if (done && !(make_columns(&builder) && make_run(&builder)))
		done = rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
	done = done && make_regions(&builder, options, err);
	if (done && !make_messages(&builder, options))
		done = rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
	if (!done)
		rs_summary_finish(summary);
	return done;
}

void rs_summary_finish(struct rs_summary *summary)
{
	if (!summary)
		return;
	rs_arena_finish(summary->arena);
	free(summary->arena);
	*summary = (struct rs_summary){0};
}
