/* SPDX-License-Identifier: MIT */
/*
 * This file computes a summary from a run, with one value for each row and column of a report.
 */
#include "stats/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "stats/builder.h"

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static struct rs_value total_of(const struct rs_builder *builder, const struct rs_event *event)
{
	const struct rs_plan *plan = builder->run->plan;
	struct rs_total total = {0};
	const struct rusage *usage = &builder->run->outcome->usage;
	if (event->attr.type == RS_TYPE_RUSAGE) {
		const struct timeval *time = event->attr.config == RS_RUSAGE_USER
						     ? &usage->ru_utime
						     : &usage->ru_stime;
		return (struct rs_value){
			.total = timeval_ns(time), .enabled_ns = 1, .running_ns = 1};
	}
	if (builder->run->outcome->totals)
		total = builder->run->outcome->totals[event - plan->events];
	/* The event exists on one type of core only, where it was always on its PMU. So its count
	 * is exact, although it was not counted on other cores. */
	if (event->core_pmu > 0 && !event->part_name && event->group >= 0 &&
		plan->groups[event->group].totals_whole)
		total.enabled_ns = total.running_ns;
	struct rs_value value = {.enabled_ns = total.enabled_ns};
	if (total.counted) {
		value.total = total.value;
		value.running_ns = total.running_ns;
	}
	return value;
}

static void make_total(struct rs_builder *builder, size_t column, struct rs_value *value)
{
	const struct rs_column_events *own = &builder->columns.events[column];
	const struct rs_column_events *from = own->sum > 0 ? &builder->columns.events[own->sum]
							   : own;
	struct rs_value values[RS_MAX_CORE_PMUS];
	const struct rs_value *parts[RS_MAX_CORE_PMUS];
	size_t n = 0, place = RS_ALL_PARTS;
	for (size_t i = 0; i < from->n; i++) {
		const struct rs_event *event = from->events[i];
		if (event->status != RS_EVENT_OK)
			continue;
		place = own->sum > 0 && event == own->events[0] ? n : place;
		values[n] = total_of(builder, event);
		parts[n] = &values[n];
		n++;
	}
	*value = (struct rs_value){.status = rs_columns_status(own)};
	if (value->status == RS_VALUE_NOT_COUNTED)
		rs_value_scale(value, parts, n, place);
	value->lacks_self = true;
}

static void make_run(struct rs_builder *builder)
{
	const struct rs_outcome *outcome = builder->run->outcome;
	struct rs_summary *summary = builder->summary;
	struct rs_summary_region *total = &summary->total;
	summary->columns = builder->columns.columns;
	summary->n_columns = builder->columns.n;
	summary->elapsed_ns = rs_outcome_elapsed_ns(outcome);
	summary->user_ns = timeval_ns(&outcome->usage.ru_utime);
	summary->system_ns = timeval_ns(&outcome->usage.ru_stime);
	total->values = rs_arena_array(builder->arena, summary->n_columns, sizeof(*total->values));
	total->values[0] = rs_value_of_call(summary->elapsed_ns);
	for (size_t i = 0; i < builder->run->n_threads; i++)
		rs_add_saturating(
			&summary->whole.lifetimes_ns, builder->run->threads[i].lifetime_ns);
	rs_marker_overhead_of_run(summary);
	for (size_t c = 1; c < RS_EVENT_FIRST; c++)
		total->values[c].status = RS_VALUE_NOT_COUNTED;
	for (size_t c = RS_EVENT_FIRST; c < builder->columns.n; c++)
		make_total(builder, c, &total->values[c]);
	struct rs_metrics_source source = rs_builder_metrics_source(builder, NULL, 0);
	rs_metrics_make(&total->metrics, &total->n_metrics, builder->arena, &source);
}

static void make_merged(struct rs_builder *builder, enum rs_merge_by by)
{
	struct rs_summary *summary = builder->summary;
	struct rs_merge merge;
	summary->merged = summary->regions;
	summary->n_merged = summary->n_regions;
	if (by != RS_MERGE_REGION) {
		rs_merge_make(&merge, builder->arena, builder->run, RS_MERGE_REGION);
		rs_builder_make_rows(
			builder, merge.rows, merge.n_rows, &summary->merged, &summary->n_merged);
	}
	for (size_t i = 0, row = 0; i < summary->n_merged; i++) {
		struct rs_summary_region *region = &summary->merged[i];
		region->first_row = row;
		while (row < summary->n_regions && summary->regions[row].index == region->index)
			row++;
		region->end_row = row;
	}
}

static void make_regions(struct rs_builder *builder, const struct rs_summary_options *options)
{
	struct rs_summary *summary = builder->summary;
	const struct rs_run *run = builder->run;
	struct rs_merge merge;
	enum rs_merge_by by = options->per_thread    ? RS_MERGE_THREAD
			      : options->per_process ? RS_MERGE_PROCESS
						     : RS_MERGE_REGION;
	if (!run->is_measured)
		return;
	rs_merge_make(&merge, builder->arena, run, by);
	builder->bounds_ns = rs_marker_overhead_find_bounds(builder);
	rs_builder_name_places(builder, &merge);
	rs_builder_make_rows(
		builder, merge.rows, merge.n_rows, &summary->regions, &summary->n_regions);
	rs_builder_make_rows(
		builder, merge.works, merge.n_works, &summary->works, &summary->n_works);
	make_merged(builder, by);
}

static void make_glance(struct rs_builder *builder, const struct rs_summary_options *options)
{
	rs_builder_make_whole(builder);
	rs_glance_make(builder->summary, builder->arena);
	if (options->per_thread || options->per_process)
		rs_builder_make_places(builder, options->per_thread);
}

static void make_distributions(struct rs_builder *builder, const struct rs_summary_options *options)
{
	struct rs_summary *summary = builder->summary;
	summary->n_distributions = options->n_distributions;
	summary->distributions = rs_arena_array(
		builder->arena, options->n_distributions, sizeof(*summary->distributions));
	for (size_t i = 0; i < options->n_distributions; i++)
		rs_distribution_make(&summary->distributions[i], builder->arena, summary,
			options->distributions[i]);
}

/* Return the label of a process in the rows of the report, or its pid if it has no rows. */
static const char *find_label(const struct rs_builder *builder, uint32_t index)
{
	const struct rs_summary_process *process = rs_builder_process(builder->summary, index);
	return process ? process->label
		       : rs_arena_format(
				 builder->arena, "%" PRIu32, builder->run->processes[index].pid);
}

static void list_running(struct rs_builder *builder)
{
	struct rs_summary *summary = builder->summary;
	const struct rs_run *run = builder->run;
	summary->running = rs_arena_array(
		builder->arena, run->n_processes, sizeof(*summary->running));
	for (uint32_t i = 0; i < run->n_processes; i++) {
		if (!run->processes[i].is_running)
			continue;
		struct rs_summary_process *process = &summary->running[summary->n_running++];
		process->index = i;
		process->name = run->processes[i].name;
		process->label = find_label(builder, i);
	}
}

static void make_counts(struct rs_builder *builder)
{
	if (!builder->run->is_measured)
		return;
	struct rs_counts *counts = rs_arena_array(builder->arena, 1, sizeof(*counts));
	builder->summary->counts = counts;
	rs_counts_make(counts, builder->arena, builder->run);
}

static bool no_memory(struct rs_err *err)
{
	return rs_err_set_errno(err, ENOMEM, "cannot sum up the results");
}

static void make(void *context)
{
	struct rs_builder *builder = context;
	rs_columns_make(&builder->columns, builder->arena, builder->run->plan);
	make_run(builder);
	make_regions(builder, builder->options);
	make_glance(builder, builder->options);
	make_distributions(builder, builder->options);
	list_running(builder);
	make_counts(builder);
}

bool rs_summary_init(struct rs_summary *summary, const struct rs_summary_options *options,
	const struct rs_run *run, struct rs_err *err)
{
	const struct rs_outcome *outcome = run->outcome;
	*summary = (struct rs_summary){.run = run,
		.label = run->label,
		.argv = run->argv,
		.percentiles = options->percentiles,
		.timed_out = outcome->timed_out};
	summary->exit_status = rs_outcome_exit_status(outcome);
	if (outcome->started && WIFSIGNALED(outcome->wait_status))
		summary->term_signal = WTERMSIG(outcome->wait_status);
	summary->usual = calloc(1, sizeof(*summary->usual));
	struct rs_builder builder = {
		.summary = summary, .options = options, .arena = &summary->arena, .run = run};
	bool done = (summary->usual || no_memory(err)) &&
		    rs_metrics_add_usual(summary->usual, err) &&
		    (rs_arena_guard(make, &builder) || no_memory(err));
	if (!done)
		rs_summary_finish(summary);
	return done;
}

void rs_summary_finish(struct rs_summary *summary)
{
	rs_arena_finish(&summary->arena);
	rs_metrics_finish(summary->usual);
	free(summary->usual);
	*summary = (struct rs_summary){0};
}

void rs_snapshot_finish(struct rs_snapshot *snapshot)
{
	rs_summary_finish(&snapshot->summary);
	rs_run_finish(&snapshot->run);
	rs_outcome_finish(&snapshot->outcome);
}

void rs_snapshot_release(struct rs_snapshot *snapshot)
{
	if (snapshot)
		rs_snapshot_finish(snapshot);
	free(snapshot);
}
