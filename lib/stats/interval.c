/* SPDX-License-Identifier: MIT */
/*
 * This file subtracts summaries. It reads the summary of the run so far and what all intervals before
 * had. It computes the next interval, and what all intervals together have then.
 */
#include "stats/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/builder.h"

struct step {
	bool is_last;
	struct rs_arena *interval; /* arena of the interval */
	struct rs_arena *sum; /* arena of the new sum of all intervals */
};

/* Return what is new, and add it to the sum. A number that became smaller is 0, except at the end. */
static uint64_t advance(const struct step *step, uint64_t *sum, uint64_t now)
{
	uint64_t before = *sum;
	if (now < before && !step->is_last)
		return 0;
	*sum = now;
	return now - before;
}

/* Return the sum of squared deviations of the added values (T. Chan, G. Golub, R. LeVeque, 1983,
 * formula 2.1, solved for the second sample). */
static double added_square(
	const struct rs_value *added, const struct rs_value *before, const struct rs_value *now)
{
	double n = (double)added->weight, m = (double)before->weight;
	if (n <= 0 || m <= 0)
		return n > 0 ? now->square : 0;
	double distance = (double)added->sum / n - (double)before->sum / m;
	return fmax(now->square - before->square - distance * distance * n * m / (n + m), 0);
}

/* Take up to n calls from a bucket. Return how many are still missing. */
static uint64_t take(struct rs_bucket *bucket, uint64_t n)
{
	uint64_t taken = n < bucket->count ? n : bucket->count;
	bucket->count -= taken;
	return n - taken;
}

/*
 * Subtract a histogram. When the length of a tick is known better, calls may move to the next bucket
 * of the grid. Then one bucket has too many new calls, and its neighbour has a negative number of
 * them, which is missing elsewhere.
 */
static bool subtract_histogram(struct rs_histogram *added, const struct rs_histogram *before,
	const struct rs_histogram *now, struct rs_arena *arena)
{
	uint64_t missing = 0;
	size_t b = 0, i = 0, n = 0;
	struct rs_bucket *buckets = rs_arena_array(arena, now->n + 1, sizeof(*buckets));
	while (buckets && (b < before->n || i < now->n)) {
		const struct rs_bucket *old = b < before->n ? &before->buckets[b] : NULL;
		const struct rs_bucket *new = i < now->n ? &now->buckets[i] : NULL;
		uint64_t low = new && (!old || new->low <= old->low) ? new->low : old->low;
		struct rs_bucket own = {.low = low, .count = 0};
		uint64_t had = 0;
		if (new &&new->low == low)
			own = now->buckets[i++];
		if (old && old->low == low)
			had = before->buckets[b++].count;
		had = take(&own, had);
		if (n > 0 && buckets[n - 1].high == low)
			had = take(&buckets[n - 1], had);
		missing = take(&own, missing + had);
		n -= n > 0 && buckets[n - 1].count == 0;
		if (own.count > 0)
			buckets[n++] = own;
	}
	for (; missing > 0 && n > 0; n -= buckets[n - 1].count == 0)
		missing = take(&buckets[n - 1], missing);
	*added = (struct rs_histogram){.buckets = buckets, .n = n, .incomplete = now->incomplete};
	return buckets;
}

static uint64_t middle_of(const struct rs_bucket *bucket)
{
	return bucket->low + (bucket->high - bucket->low - 1) / 2;
}

/* Set min and max. They are exact if the outermost bucket of the run has new calls. */
static void set_extremes(struct rs_value *added, const struct rs_value *now)
{
	const struct rs_histogram *own = &added->histogram, *all = &now->histogram;
	if (own->n == 0) {
		added->weight = 0; /* no distribution is known */
		return;
	}
	const struct rs_bucket *first = &own->buckets[0], *last = &own->buckets[own->n - 1];
	added->min = first->low == all->buckets[0].low ? now->min : middle_of(first);
	added->max = last->low == all->buckets[all->n - 1].low ? now->max : middle_of(last);
	if (added->max < added->min)
		added->max = added->min;
}

/* Make the value of an interval, and replace sum. Return false if memory runs out. */
static bool subtract_value(const struct step *step, struct rs_value *added, struct rs_value *sum,
	const struct rs_value *now)
{
	const struct rs_value before = *sum;
	/* the self value as reports show it */
	uint64_t self = rs_value_self(&before), self_now = rs_value_self(now);
	*added = *now;
	added->limit = NULL;
	added->counted = advance(step, &sum->counted, now->counted);
	added->weight = advance(step, &sum->weight, now->weight);
	added->sum = advance(step, &sum->sum, now->sum);
	added->total = advance(step, &sum->total, now->total);
	added->self = (int64_t)advance(step, &self, self_now);
	sum->self = (int64_t)self;
	added->enabled_ns = advance(step, &sum->enabled_ns, now->enabled_ns);
	added->running_ns = advance(step, &sum->running_ns, now->running_ns);
	added->variance = fmax(now->variance - before.variance, 0);
	added->square = added_square(added, &before, now);
	sum->variance = now->variance;
	sum->square = now->square;
	sum->lacks_self = now->lacks_self;
	if (!subtract_histogram(
		    &added->histogram, &before.histogram, &now->histogram, step->interval))
		return false;
	set_extremes(added, now);
	sum->histogram = now->histogram; /* copied by copy_values() */
	return true;
}

/* Copy values with their buckets into the sum, since those of a summary do not last. */
static bool copy_values(
	const struct step *step, struct rs_value **copy, const struct rs_value *values, size_t n)
{
	struct rs_value *copies = rs_arena_array(step->sum, n, sizeof(*copies));
	for (size_t c = 0; copies && c < n; c++) {
		struct rs_histogram *histogram = &copies[c].histogram;
		copies[c] = values[c];
		histogram->buckets = rs_arena_array(
			step->sum, histogram->n, sizeof(*histogram->buckets));
		if (!histogram->buckets)
			return false;
		if (histogram->n > 0)
			memcpy(histogram->buckets, values[c].histogram.buckets,
				histogram->n * sizeof(*histogram->buckets));
	}
	*copy = copies;
	return copies;
}

static double rate(uint64_t amount, const struct rs_value *time)
{
	bool is_known = amount > 0 && (int64_t)time->total > 0;
	return is_known ? (double)amount / (double)time->total : NAN;
}

static void subtract_work(const struct step *step, struct rs_summary_region *added,
	struct rs_summary_work *sum, const struct rs_summary_work *now)
{
	struct rs_summary_work *work = &added->work;
	work->calls = advance(step, &sum->calls, now->calls);
	work->bytes = advance(step, &sum->bytes, now->bytes);
	work->flops = advance(step, &sum->flops, now->flops);
	work->gb_per_s = rate(work->bytes, &added->values[RS_EVENT_TIME]);
	work->gflop_per_s = rate(work->flops, &added->values[RS_EVENT_TIME]);
	work->flop_per_byte = work->bytes > 0 && work->flops > 0
				      ? (double)work->flops / (double)work->bytes
				      : NAN;
}

/* Subtract the sum from a region, or from the run, and replace the sum. Return false if memory runs
 * out. */
static bool subtract_region(const struct step *step, struct rs_summary_region *added,
	struct rs_summary_region *sum, const struct rs_summary_region *now, size_t n_columns)
{
	struct rs_value *values = rs_arena_array(step->interval, n_columns, sizeof(*values));
	if (!sum->values)
		sum->values = rs_arena_array(step->interval, n_columns, sizeof(*sum->values));
	if (!values || !sum->values)
		return false;
	*added = *now;
	added->values = values;
	added->metrics = NULL;
	added->n_metrics = 0;
	added->calls = advance(step, &sum->calls, now->calls);
	added->work = (struct rs_summary_work){0};
	bool is_run = !now->name;
	for (size_t c = 0; c < n_columns; c++)
		if (added->calls == 0 && !is_run && !step->is_last)
			values[c] = (struct rs_value){.status = now->values[c].status};
		else if (!subtract_value(step, &values[c], &sum->values[c], &now->values[c]))
			return false;
	if (added->calls > 0 || step->is_last)
		subtract_work(step, added, &sum->work, &now->work);
	return copy_values(step, &sum->values, sum->values, n_columns);
}

static bool make_metrics(struct builder *builder, struct rs_interval *interval)
{
	const struct rs_summary *summary = interval->summary;
	struct rs_metrics_source source = rs_builder_metrics_source(builder, NULL, 0);
	source.values = interval->total.values;
	rs_metrics_set_fact(&source, RS_FACT_TIME, (double)source.values[0].total);
	rs_metrics_set_fact(&source, RS_FACT_WALL_TIME, (double)source.values[0].total);
	if (!rs_metrics_make(&interval->total.metrics, &interval->total.n_metrics, &interval->arena,
		    &source))
		return false;
	for (size_t i = 0; i < summary->n_merged; i++) {
		struct rs_summary_region *region = &interval->regions[i];
		uint64_t counted = region->values[RS_EVENT_TIME].counted;
		if (region->calls == 0 || (int64_t)counted <= 0)
			continue;
		source = rs_builder_metrics_source(builder, region, counted);
		rs_metrics_set_fact(
			&source, RS_FACT_WALL_TIME, (double)interval->total.values[0].total);
		if (!rs_metrics_make(
			    &region->metrics, &region->n_metrics, &interval->arena, &source))
			return false;
	}
	return true;
}

/* Make the interval and the new sum of all. Return false if memory runs out. */
static bool make(struct rs_interval *interval, struct rs_intervals *next,
	const struct rs_intervals *intervals, const struct step *step)
{
	const struct rs_summary *summary = interval->summary;
	size_t n = summary->n_columns;
	next->n_regions = summary->run->n_regions;
	if (next->n_regions < intervals->n_regions)
		next->n_regions = intervals->n_regions;
	next->regions = rs_arena_array(step->sum, next->n_regions, sizeof(*next->regions));
	interval->regions = rs_arena_array(
		step->interval, summary->n_merged, sizeof(*interval->regions));
	next->total = intervals->total;
	if (!next->regions || !interval->regions ||
		!subtract_region(step, &interval->total, &next->total, &summary->total, n))
		return false;
	for (size_t i = 0; i < intervals->n_regions; i++)
		next->regions[i] = intervals->regions[i];
	for (size_t i = 0; i < summary->n_merged; i++)
		if (!subtract_region(step, &interval->regions[i],
			    &next->regions[summary->merged[i].index], &summary->merged[i], n))
			return false;
	/* regions that this summary lacks, since their accumulators could not be read now */
	for (size_t i = 0; i < intervals->n_regions; i++)
		if (intervals->regions[i].values &&
			next->regions[i].values == intervals->regions[i].values &&
			!copy_values(step, &next->regions[i].values, next->regions[i].values, n))
			return false;
	return true;
}

bool rs_interval_make(struct rs_interval *interval, struct rs_intervals *intervals,
	const struct rs_summary *summary, bool is_last)
{
	struct rs_intervals next = {0};
	*interval = (struct rs_interval){.summary = summary,
		.begin_ns = intervals->total.values ? intervals->total.values[0].total : 0,
		.end_ns = summary->elapsed_ns};
	struct step step = {is_last, &interval->arena, &next.arena};
	/* the builder only reads the summary */
	struct builder builder = {.summary = (struct rs_summary *)summary,
		.arena = &interval->arena,
		.run = summary->run};
	bool done = rs_columns_make(&builder.columns, &interval->arena, summary->run->plan) &&
		    make(interval, &next, intervals, &step) && make_metrics(&builder, interval);
	if (!done) {
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
