/* SPDX-License-Identifier: MIT */
/*
 * This file makes the regions of a summary from merged rows. Each region gets one value for each
 * column, which is scaled if its event was multiplexed. Metrics, tails and other members are
 * computed from the values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/builder.h"

/* If there are fewer calls, p90 is the time of the slowest call itself. */
#define LEAST_CALLS 10u
/* Reports show the slowest call in a line of its own if it took 10 times p90 and 1 % of the
 * region's time. */
#define LEAST_RATIO 10.0
#define LEAST_PART 0.01
/* The standard error of the marker time that is subtracted from each call, as a share of the
 * overhead of a pair. It depends on the work around the markers, which calibration cannot know. */
#define MARKER_ERROR (1.0 / 16)

/* Allocate an array with one value for each column. Only the statuses are set. */
static struct rs_value *make_values(struct rs_builder *builder)
{
	struct rs_value *values = rs_arena_array(
		builder->arena, builder->columns.n, sizeof(*values));
	for (size_t c = 1; c < builder->columns.n; c++)
		values[c].status = rs_columns_status(&builder->columns.events[c]);
	return values;
}

/* Set the status of a total to RS_VALUE_SCALED if some calls were not measured. */
static void mark_sampled(struct rs_value *value, const struct rs_result *row)
{
	bool is_sampled = row->calls != row->measured || row->calls != row->weight;
	if (is_sampled && rs_value_has_total(value))
		value->status = row->weight > 0 ? RS_VALUE_SCALED : RS_VALUE_NOT_COUNTED;
}

/* Return a value that needs no counter: time, on-CPU time or off-CPU time. */
static struct rs_value value_of(const struct rs_result *row, enum rs_event_index event)
{
	struct rs_value value = row->values[event];
	if (!rs_value_has_total(&value))
		return (struct rs_value){.status = value.status};
	/* off-CPU time is known for all calls, so it is no estimate */
	if (event == RS_EVENT_TIME || event == RS_EVENT_CPU_TIME)
		mark_sampled(&value, row);
	if (value.status == RS_VALUE_SCALED && row->measured > 0) {
		double pair_ns = (double)row->overhead.fast_ns / (double)row->measured;
		value.marker_error = MARKER_ERROR * pair_ns * (double)row->calls;
	}
	return value;
}

/* Return the time of a row. If calls were sampled, the off-CPU time of all calls is still known,
 * and is part of the total. So the average is then total / calls. This is not possible with
 * recursion, since the total contains nested calls of the region only once. */
static struct rs_value time_of(const struct rs_result *row)
{
	struct rs_value time = value_of(row, RS_EVENT_TIME);
	if (time.status == RS_VALUE_SCALED && rs_value_has_total(&row->values[RS_EVENT_CPU_TIME]) &&
		row->diag[RS_ACCUMULATOR_DIAG_RECURSIVE] == 0)
		time.calls = row->calls;
	return time;
}

static void make_events(
	struct rs_builder *builder, struct rs_value *values, const struct rs_result *row)
{
	for (size_t c = RS_EVENT_FIRST; c < builder->columns.n; c++) {
		const struct rs_column_events *own = &builder->columns.events[c];
		const struct rs_value *parts[RS_MAX_CORE_PMUS];
		size_t n = own->n_counters;
		for (size_t i = 0; i < n; i++)
			parts[i] = &row->values[rs_event_of_counter(own->counters[i])];
		if (n == 0)
			continue;
		if (own->part != RS_ALL_PARTS)
			values[c] = *parts[own->part];
		else
			rs_value_merge(&values[c], parts, n, builder->arena);
		rs_value_scale(&values[c], parts, n, own->part);
		mark_sampled(&values[c], row);
	}
}

/* Return true if a column is a clock that stops while its thread is off the CPU. */
static bool is_cpu_clock(const struct rs_builder *builder, size_t column)
{
	const struct perf_event_attr *attr = &builder->columns.events[column].events[0]->attr;
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_TASK_CLOCK ||
							   attr->config == PERF_COUNT_SW_CPU_CLOCK);
}

/* Limit CPU clocks to the time of the region, since on-CPU time cannot exceed it. */
static void limit_clocks(const struct rs_builder *builder, struct rs_value *values)
{
	for (size_t c = RS_EVENT_FIRST; c < builder->columns.n; c++)
		if (is_cpu_clock(builder, c))
			rs_value_limit(&values[c], &values[0]);
}

/* Return the value of a column in the slowest call. If the event has parts, only one of them can
 * have counted the whole call. */
static uint64_t slowest_of(
	const struct rs_builder *builder, const struct rs_result *row, size_t column)
{
	const struct rs_column_events *own = &builder->columns.events[column];
	uint64_t number = UINT64_MAX;
	for (size_t i = 0; i < own->n; i++) {
		uint32_t counter = own->events[i]->counter;
		const struct rs_value *value = &row->values[rs_event_of_counter(counter)];
		if (counter > 0 && value->slowest != UINT64_MAX)
			number = value->slowest;
	}
	return number;
}

/* Set slowest_ratio, the slowest call's time as a multiple of p90, and slowest_matters. */
static void compare_slowest(struct rs_summary_region *region)
{
	const struct rs_value *time = &region->values[0], *slowest = &region->slowest[0];
	bool is_known = rs_value_has_total(slowest) && rs_value_has_quantiles(time) &&
			time->counted >= LEAST_CALLS && rs_value_quantile(time, RS_P90) > 0;
	region->slowest_ratio =
		is_known ? (double)slowest->total / (double)rs_value_quantile(time, RS_P90) : NAN;
	region->slowest_matters = is_known && region->slowest_ratio >= LEAST_RATIO &&
				  (double)slowest->total >= (double)time->total * LEAST_PART;
}

/* Set the members about the slowest call. The row must have measured calls. */
static void make_slowest(
	struct rs_builder *builder, struct rs_summary_region *region, const struct rs_result *row)
{
	struct rs_value *values = make_values(builder);
	region->slowest_start_ns = row->slowest_start_ns;
	region->slowest_pid = row->slowest_pid;
	region->slowest_tid = row->slowest_tid;
	region->slowest = values;
	values[0] = rs_value_of_call(row->values[RS_EVENT_TIME].slowest);
	for (size_t c = RS_EVENT_FIRST; c < builder->columns.n; c++)
		if (!rs_value_status_is_refusal(values[c].status) &&
			builder->columns.columns[c].in_regions)
			values[c] = rs_value_of_call(slowest_of(builder, row, c));
	compare_slowest(region);
	limit_clocks(builder, values);
}

/* Compute `shape`, the share of the region's time in calls of each length. The time of each call is
 * assumed to be the middle of its bucket. */
static void make_shape(
	struct rs_builder *builder, struct rs_summary_region *region, const struct rs_value *time)
{
	const struct rs_histogram *histogram = &time->histogram;
	double all = 0;
	double *shape = rs_arena_array(builder->arena, RS_SHAPE_STEPS, sizeof(*shape));
	for (size_t i = 0; i < histogram->n; i++) {
		const struct rs_bucket *bucket = &histogram->buckets[i];
		double middle = rs_bucket_center(bucket);
		double step = fmin(2 * log10(fmax(middle, 1)), RS_SHAPE_STEPS - 1);
		shape[(size_t)step] += middle * (double)bucket->count;
		all += middle * (double)bucket->count;
	}
	for (size_t i = 0; all > 0 && i < RS_SHAPE_STEPS; i++)
		shape[i] /= all;
	region->shape = all > 0 ? shape : NULL;
}

/* Return above / below. Return NAN if one of the two is not above 0, or is UINT64_MAX, which means
 * that a sum has overflowed. A time is below 0, as two's complement, if an interval corrects it. */
static double ratio(uint64_t above, uint64_t below)
{
	if (above == 0 || above == UINT64_MAX || below == UINT64_MAX || (int64_t)below <= 0)
		return NAN;
	return (double)above / (double)below;
}

void rs_builder_set_rates(struct rs_summary_work *work, const struct rs_value *time)
{
	uint64_t time_ns = rs_value_has_total(time) && work->calls > 0 ? time->total : 0;
	work->gb_per_s = ratio(work->bytes, time_ns);
	work->gflop_per_s = ratio(work->flops, time_ns);
	work->flop_per_byte = ratio(work->flops, work->bytes);
}

struct rs_metrics_source rs_builder_metrics_source(
	const struct rs_builder *builder, const struct rs_summary_region *region, uint64_t measured)
{
	const struct rs_summary *summary = builder->summary;
	uint32_t cpus = summary->run->machine.cpus;
	struct rs_metrics_source source = {.columns = &builder->columns,
		.values = region ? region->values : summary->total.values,
		.measured = measured,
		.usual = summary->usual,
		.plan = builder->run->plan};
	rs_metrics_set_fact(&source, RS_FACT_TIME, (double)source.values[0].total);
	/* several merged runs may have run at the same time or one after the other, so their rates
	 * are unknown */
	if (rs_run_n_merged(builder->run) == 1)
		rs_metrics_set_fact(&source, RS_FACT_WALL_TIME, (double)summary->elapsed_ns);
	rs_metrics_set_fact(&source, RS_FACT_CALLS, region ? (double)region->calls : 1);
	if (region)
		rs_metrics_set_fact(&source, RS_FACT_THREADS, (double)region->n_threads);
	if (region && rs_value_has_total(&region->values[RS_EVENT_CPU_TIME]))
		rs_metrics_set_fact(
			&source, RS_FACT_CPU_TIME, (double)region->values[RS_EVENT_CPU_TIME].total);
	if (region && region->work.calls > 0 && region->work.bytes < UINT64_MAX)
		rs_metrics_set_fact(&source, RS_FACT_BYTES, (double)region->work.bytes);
	if (region && region->work.calls > 0 && region->work.flops < UINT64_MAX)
		rs_metrics_set_fact(&source, RS_FACT_FLOPS, (double)region->work.flops);
	if (cpus > 0)
		rs_metrics_set_fact(&source, RS_FACT_CPUS, cpus);
	return source;
}

static void make_region(
	struct rs_builder *builder, struct rs_summary_region *region, const struct rs_result *row)
{
	const struct rs_run *run = builder->run;
	const struct rs_run_region *own = &run->regions[row->region];
	uint32_t work_of = rs_run_work_of(run, row->region);
	region->index = row->region;
	region->name = own->name;
	if (work_of != RS_NO_REGION) {
		region->work_of = run->regions[work_of].name;
		region->work_bytes = own->work_bytes;
		region->work_flops = own->work_flops;
		region->is_other_work = own->flags & RS_REGION_OTHER_WORK;
	}
	if (row->parent)
		region->parent = run->regions[row->parent->region].name;
	region->calls = row->calls;
	region->n_threads = row->n_threads;
	region->ranks = row->n_ranks > 0 ? row->ranks : NULL;
	region->is_apart = row->calls > 0 && row->n_parents == 0;
	region->bound_ns = builder->bounds_ns[row->region];
	for (size_t i = 0; i < row->n_parents; i++)
		region->n_parents += row->parents[i] != row->region;
	rs_marker_overhead_of_row(&region->overhead, row);
	rs_long_calls_make(
		&region->long_calls, &row->values[RS_EVENT_TIME], &row->values[RS_EVENT_CPU_TIME]);
	memcpy(region->diag, row->diag, sizeof(region->diag));
	region->running = row->running;
	region->values = make_values(builder);
	for (enum rs_event_index v = 0; v < RS_EVENT_FIRST; v++)
		region->values[v] = v == RS_EVENT_TIME ? time_of(row) : value_of(row, v);
	region->work = (struct rs_summary_work){
		.calls = row->work_calls, .bytes = row->work_bytes, .flops = row->work_flops};
	rs_builder_set_rates(&region->work, &region->values[0]);
	make_events(builder, region->values, row);
	limit_clocks(builder, region->values);
	for (size_t c = 0; c < builder->columns.n; c++)
		region->values[c].lacks_self = region->is_apart;
	make_shape(builder, region, &row->values[RS_EVENT_TIME]);
	if (row->measured == 0)
		return;
	struct rs_metrics_source source = rs_builder_metrics_source(builder, region, row->measured);
	rs_metrics_make(&region->metrics, &region->n_metrics, builder->arena, &source);
	if (row->values[RS_EVENT_TIME].slowest != UINT64_MAX)
		make_slowest(builder, region, row);
	rs_tails_make(region, builder->arena, &builder->columns, row);
}

static bool are_same(const struct rs_rank *a, const struct rs_rank *b)
{
	return a->pid == b->pid && a->rank == b->rank && strcmp(a->host, b->host) == 0;
}

/* Remove the distributions over processes if each contains only one process. This happens if the
 * files that --rotate saved of one process are merged. */
static void forget_ranks(struct rs_summary_region *regions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (regions[i].ranks &&
			!are_same(&regions[i].ranks->lowest, &regions[i].ranks->highest))
			return;
	for (size_t i = 0; i < n; i++)
		regions[i].ranks = NULL;
}

static int compare_rows(const void *left, const void *right)
{
	const struct rs_result *a = left, *b = right;
	int order = rs_compare_numbers(a->region, b->region);
	order = order ? order : rs_compare_numbers(a->process, b->process);
	return order ? order : rs_compare_numbers(a->thread, b->thread);
}

/* Set inner_variance of all values. The rows have the order of compare_rows(). */
static void add_inner_variances(const struct rs_builder *builder, const struct rs_result *rows,
	struct rs_summary_region *regions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < rows[i].n_parents; p++) {
			const struct rs_result key = {.region = rows[i].parents[p],
				.process = rows[i].process,
				.thread = rows[i].thread};
			/* the total of a recursive region does not contain nested calls again */
			const struct rs_result *outer =
				key.region == rows[i].region
					? NULL
					: bsearch(&key, rows, n, sizeof(key), compare_rows);
			for (size_t c = 0; outer && c < builder->columns.n; c++)
				regions[outer - rows].values[c].inner_variance += pow(
					rs_value_error(&regions[i].values[c]) / 2, 2);
		}
}

void rs_builder_make_rows(struct rs_builder *builder, const struct rs_result *rows, size_t n_rows,
	struct rs_summary_region **regions, size_t *n)
{
	*regions = rs_arena_array(builder->arena, n_rows, sizeof(**regions));
	*n = n_rows;
	for (size_t i = 0; i < n_rows; i++) {
		struct rs_summary_region *region = &(*regions)[i];
		region->process = rs_builder_process(builder->summary, rows[i].process);
		region->thread = rs_builder_thread(builder->summary, rows[i].thread);
		region->parent_row = rows[i].parent ? (size_t)(rows[i].parent - rows) : RS_NO_ROW;
		make_region(builder, region, &rows[i]);
	}
	add_inner_variances(builder, rows, *regions, n_rows);
	forget_ranks(*regions, n_rows);
}
