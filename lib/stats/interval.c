/* SPDX-License-Identifier: MIT */
/*
 * This file computes the next interval of a run. From the summary of the run so far it subtracts
 * the sum of all earlier intervals. It also computes the new sum.
 */
#include "stats/interval.h"

#include "stats/builder.h"
#include "stats/difference.h"
#include "stats/histogram.h"

struct step {
	bool is_last;
	struct rs_interval *added;
	const struct rs_intervals *before; /* the sum of earlier intervals */
	struct rs_intervals *next; /* the new sum */
	struct rs_arena *interval; /* arena of the interval */
	struct rs_arena *sum; /* arena of the new sum of all intervals */
};

/* Set a value of the interval to the difference of now and sum, and update sum. */
static void subtract_value(const struct step *step, struct rs_value *added, struct rs_value *sum,
	const struct rs_value *now)
{
	/* use the self value that reports show, which is never negative */
	uint64_t self = rs_value_self(sum), self_now = rs_value_self(now);
	int64_t self_added = (int64_t)rs_advance(&self, self_now, step->is_last);
	rs_value_subtract(added, sum, now, step->is_last, step->interval);
	added->self = self_added;
	sum->self = (int64_t)self;
	sum->square = now->square;
	sum->lacks_self = now->lacks_self;
	sum->histogram = now->histogram; /* copy_values() copies its buckets later */
}

/* Copy values with their buckets into the arena of the sum, since the summary is released before
 * the sum. */
static void copy_values(
	const struct step *step, struct rs_value **copy, const struct rs_value *values, size_t n)
{
	*copy = rs_arena_copy(step->sum, values, n, sizeof(**copy));
	for (size_t c = 0; c < n; c++)
		rs_histogram_own(&(*copy)[c].histogram, step->sum);
}

static void subtract_work(const struct step *step, struct rs_summary_region *added,
	struct rs_summary_work *sum, const struct rs_summary_work *now)
{
	struct rs_summary_work *work = &added->work;
	work->calls = rs_advance(&sum->calls, now->calls, step->is_last);
	work->bytes = rs_advance(&sum->bytes, now->bytes, step->is_last);
	work->flops = rs_advance(&sum->flops, now->flops, step->is_last);
	rs_builder_set_rates(work, &added->values[RS_EVENT_TIME]);
}

/* Set a region of the interval (or the whole run) to the difference of now and sum, and update
 * sum. */
static void subtract_region(const struct step *step, struct rs_summary_region *added,
	struct rs_summary_region *sum, const struct rs_summary_region *now, size_t n_columns)
{
	struct rs_value *values = rs_arena_array(step->interval, n_columns, sizeof(*values));
	if (!sum->values)
		sum->values = rs_arena_array(step->interval, n_columns, sizeof(*sum->values));
	*added = *now;
	added->values = values;
	added->metrics = NULL;
	added->n_metrics = 0;
	added->calls = rs_advance(&sum->calls, now->calls, step->is_last);
	added->work = (struct rs_summary_work){0};
	bool is_run = !now->name;
	for (size_t c = 0; c < n_columns; c++)
		if (added->calls == 0 && !is_run && !step->is_last)
			values[c] = (struct rs_value){.status = now->values[c].status};
		else
			subtract_value(step, &values[c], &sum->values[c], &now->values[c]);
	if (added->calls > 0 || step->is_last)
		subtract_work(step, added, &sum->work, &now->work);
	copy_values(step, &sum->values, sum->values, n_columns);
}

static void make_metrics(struct rs_builder *builder, struct rs_interval *interval)
{
	const struct rs_summary *summary = interval->summary;
	struct rs_metrics_source source = rs_builder_metrics_source(builder, NULL, 0);
	source.values = interval->total.values;
	rs_metrics_set_fact(&source, RS_FACT_TIME, (double)source.values[0].total);
	rs_metrics_set_fact(&source, RS_FACT_WALL_TIME, (double)source.values[0].total);
	rs_metrics_make(
		&interval->total.metrics, &interval->total.n_metrics, &interval->arena, &source);
	for (size_t i = 0; i < summary->n_merged; i++) {
		struct rs_summary_region *region = &interval->regions[i];
		uint64_t counted = region->values[RS_EVENT_TIME].counted;
		if (region->calls == 0 || (int64_t)counted <= 0)
			continue;
		source = rs_builder_metrics_source(builder, region, counted);
		rs_metrics_set_fact(
			&source, RS_FACT_WALL_TIME, (double)interval->total.values[0].total);
		rs_metrics_make(&region->metrics, &region->n_metrics, &interval->arena, &source);
	}
}

static void make(void *context)
{
	const struct step *step = context;
	struct rs_interval *interval = step->added;
	const struct rs_intervals *intervals = step->before;
	struct rs_intervals *next = step->next;
	const struct rs_summary *summary = interval->summary;
	/* the builder only reads the summary */
	struct rs_builder builder = {.summary = (struct rs_summary *)summary,
		.arena = step->interval,
		.run = summary->run};
	size_t n = summary->n_columns;
	next->n_regions = summary->run->n_regions;
	if (next->n_regions < intervals->n_regions)
		next->n_regions = intervals->n_regions;
	next->regions = rs_arena_array(step->sum, next->n_regions, sizeof(*next->regions));
	interval->regions = rs_arena_array(
		step->interval, summary->n_merged, sizeof(*interval->regions));
	next->total = intervals->total;
	subtract_region(step, &interval->total, &next->total, &summary->total, n);
	for (size_t i = 0; i < intervals->n_regions; i++)
		next->regions[i] = intervals->regions[i];
	for (size_t i = 0; i < summary->n_merged; i++)
		subtract_region(step, &interval->regions[i],
			&next->regions[summary->merged[i].index], &summary->merged[i], n);
	/* copy regions that are missing in this summary, since their accumulators could not be read
	 * this time */
	for (size_t i = 0; i < intervals->n_regions; i++)
		if (intervals->regions[i].values &&
			next->regions[i].values == intervals->regions[i].values)
			copy_values(step, &next->regions[i].values, next->regions[i].values, n);
	rs_columns_make(&builder.columns, step->interval, summary->run->plan);
	make_metrics(&builder, interval);
}

bool rs_interval_make(struct rs_interval *interval, struct rs_intervals *intervals,
	const struct rs_summary *summary, bool is_last)
{
	struct rs_intervals next = {0};
	*interval = (struct rs_interval){.summary = summary,
		.begin_ns = intervals->total.values ? intervals->total.values[0].total : 0,
		.end_ns = summary->elapsed_ns};
	struct step step = {is_last, interval, intervals, &next, &interval->arena, &next.arena};
	if (!rs_arena_guard(make, &step)) {
		rs_intervals_finish(&next);
		rs_interval_finish(interval);
		return false;
	}
	rs_intervals_finish(intervals);
	*intervals = next;
	return true;
}

void rs_interval_finish(struct rs_interval *interval)
{
	rs_arena_finish(&interval->arena);
	*interval = (struct rs_interval){0};
}

void rs_intervals_finish(struct rs_intervals *intervals)
{
	rs_arena_finish(&intervals->arena);
	*intervals = (struct rs_intervals){0};
}
