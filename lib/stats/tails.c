/* SPDX-License-Identifier: MIT */
/*
 * This file finds out why slow calls are slow. The calls of a region are divided by time into
 * octaves, each from 2^k to 2^(k+1) ticks. A tail consists of the highest octaves, with about a
 * tenth or a hundredth of all calls. If these calls have clearly higher counts of an event than
 * chance explains, this file reports the event. The bound for chance depends on the variance of all
 * calls and on the largest count of a call. Clocks are not reported, since slow calls take longer
 * by definition.
 */
#include "stats/builder.h"

#include <math.h>

#include "stats/histogram.h"

/* A useful average needs at least this many measured calls in a tail, and at least as many outside
 * of it. */
#define LEAST_CALLS 10

/* An event is reported only if its average count in the tail is at least 1.5 times that of other
 * calls, and at least 0.1. */
#define LEAST_RATIO 1.5
#define LEAST_AVG 0.1

/* A difference is not chance if its probability is below e^-20 = 2e-9. NO_CHANCE is the natural
 * logarithm of that bound. */
#define NO_CHANCE (-20.0)

/* If the average counts of instructions differ by less than 5 %, slow and fast calls did the same
 * work. Reports say so. */
#define SAME_RATIO 0.05

static const double wanted_shares[RS_TAILS] = {0.1, 0.01};

/* Return the sum of the weights of the octaves 0 to end - 1, which have the longest times. */
static uint64_t weights_before(const struct rs_result *row, size_t end)
{
	uint64_t n = 0;
	for (size_t octave = 0; octave < end; octave++)
		rs_add_saturating(&n, row->octaves[octave].weight);
	return n;
}

/* Estimate how many measured calls have this sum of weights. */
static double measured_of(const struct rs_result *row, uint64_t weights)
{
	return (double)weights / (double)row->weight * (double)row->measured;
}

/* Find the octaves 0 to end - 1 whose share of the calls is nearest to `wanted`; half of `wanted`
 * is as near as twice `wanted`. Return end, or 0 if no share is near enough. */
static size_t find_end(const struct rs_result *row, double wanted)
{
	uint64_t all = weights_before(row, row->n_octaves);
	double nearest = 0.5 * log(10);
	size_t found = 0;
	for (size_t end = 1; end < row->n_octaves; end++) {
		uint64_t weights = weights_before(row, end);
		if (measured_of(row, weights) < LEAST_CALLS ||
			measured_of(row, all - weights) < LEAST_CALLS)
			continue;
		double distance = fabs(log((double)weights / (double)all / wanted));
		if (distance < nearest) {
			nearest = distance;
			found = end;
		}
	}
	return found;
}

static bool is_known(const struct rs_result *row, const uint32_t *counters, size_t n)
{
	uint64_t counted = 0;
	/* At most one part of the event counts a call from begin to end, so the counted calls of
	 * all parts can be added up. */
	for (size_t i = 0; i < n; i++)
		counted += row->values[rs_event_of_counter(counters[i])].counted;
	return counted == row->measured;
}

/* Sums of one event over some calls. The members tail_* are sums over the calls that are also in
 * the tail. */
struct sample {
	double calls;
	double sum;
	double square; /* sum of the squared counts of these calls */
	double most; /* upper bound of the count in one call */
	double tail_calls;
	double tail_sum;
};

/*
 * Return true if the counts in the tail are too high to be chance. Bennett's inequality (J. Am.
 * Stat. Assoc. 57, 1962) bounds the probability that the same number of calls, picked at random,
 * has such a high sum. It holds for any distribution, and also for picking without replacement
 * (Hoeffding, ibid. 58, 1963, section 6).
 */
static bool is_more(const struct sample *sample)
{
	double avg = sample->sum / sample->calls, tail_avg = sample->tail_sum / sample->tail_calls;
	double others_sum = fmax(sample->sum - sample->tail_sum, 0);
	double others_avg = others_sum / (sample->calls - sample->tail_calls);
	double variance = sample->square / sample->calls - avg * avg;
	/* largest possible distance of one call from the average */
	double most = sample->most - avg;
	if (tail_avg < LEAST_AVG || tail_avg < LEAST_RATIO * others_avg || variance <= 0 ||
		most <= 0)
		return false;
	double excess = most * (tail_avg - avg) / variance;
	double chance = -sample->tail_calls * variance / (most * most) *
			((1 + excess) * log1p(excess) - excess);
	return chance < NO_CHANCE;
}

/* Return the sample without the slowest call. The slowest call is often the first one, whose counts
 * are so high that they would hide all other differences. counters[n]: the indexes of the event's
 * parts in the segment. event: the sum of all parts. */
static struct sample without_slowest(const struct sample *sample, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *counters, size_t n)
{
	struct sample rest = *sample;
	for (size_t i = 0; i < n; i++) {
		uint64_t value = row->values[rs_event_of_counter(counters[i])].slowest;
		if (value == UINT64_MAX)
			continue;
		rest.sum -= (double)value;
		rest.tail_sum -= (double)value;
		rest.square -= (double)value * (double)value;
		if (value == event->max)
			rest.most = fmin(rest.most, (double)rs_histogram_second(&event->histogram));
	}
	rest.calls--;
	rest.tail_calls--;
	return rest;
}

struct rs_tail_event rs_tail_of_event(const struct rs_tail *tail, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *counters, size_t n)
{
	struct rs_tail_event had = {.is_known = n > 0 && is_known(row, counters, n)};
	uint64_t all = 0;
	if (!had.is_known)
		return had;
	for (size_t octave = 0; octave < row->n_octaves; octave++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t sum = row->octaves[octave].sums[counters[i] - 1];
			rs_add_saturating(&had.total, octave < tail->end ? sum : 0);
			rs_add_saturating(&all, sum);
		}
	}
	double calls = (double)row->weight, tail_calls = (double)tail->calls;
	had.avg = (double)had.total / tail_calls;
	had.ratio = had.avg / ((double)(all - had.total) / (calls - tail_calls));
	/* the sums contain each value times the weight of its call; assume that all measured calls
	 * have the average weight */
	double scale = (double)row->measured / calls;
	const struct sample sample = {.calls = (double)row->measured,
		.sum = (double)all * scale,
		.square = (event->square + rs_value_average(event) * (double)event->sum) * scale,
		.most = (double)event->max,
		.tail_calls = tail_calls * scale,
		.tail_sum = (double)had.total * scale};
	had.is_more = is_more(&sample);
	if (!had.is_more && row->measured == row->weight &&
		rs_histogram_count(&event->histogram) == row->measured && row->measured > 1) {
		const struct sample rest = without_slowest(&sample, row, event, counters, n);
		had.is_more = is_more(&rest);
	}
	return had;
}

size_t rs_tails_find(struct rs_tail *tails, const struct rs_result *row)
{
	size_t n = 0;
	/* if some calls are missing in the histogram, no tail can be found */
	if (row->weight == 0 || weights_before(row, row->n_octaves) != row->weight)
		return 0;
	for (uint32_t t = 0; t < RS_TAILS; t++) {
		size_t end = find_end(row, wanted_shares[t]);
		if (end == 0)
			continue;
		struct rs_tail *tail = &tails[n++];
		*tail = (struct rs_tail){.calls = weights_before(row, end),
			.end = end,
			.is_scaled = row->calls != row->measured || row->weight != row->measured};
		tail->share = (double)tail->calls / (double)row->weight;
		tail->bound_ns = row->octaves[end - 1].low_ns;
	}
	return n;
}

/* ---- which events are reported ---- */

static bool is_hardware(const struct rs_column_events *events, uint64_t id)
{
	const struct rs_name *generic = events->events[0]->generic;
	return generic && generic->type == PERF_TYPE_HARDWARE && generic->config == id;
}

static bool is_clock(const struct rs_summary_column *column, const struct rs_column_events *events)
{
	return column->is_ns || is_hardware(events, PERF_COUNT_HW_CPU_CYCLES) ||
	       is_hardware(events, PERF_COUNT_HW_REF_CPU_CYCLES) ||
	       is_hardware(events, PERF_COUNT_HW_BUS_CYCLES);
}

/* Insert a column into tail->shown, which is sorted by ratio, the largest first. */
static void add_reported(struct rs_tail *tail, size_t column)
{
	size_t place = tail->n_shown++;
	for (; place > 0; place--) {
		if (tail->events[tail->shown[place - 1]].ratio >= tail->events[column].ratio)
			break;
		tail->shown[place] = tail->shown[place - 1];
	}
	tail->shown[place] = column;
}

static void choose(struct rs_tail *tail, const struct rs_columns *columns)
{
	const struct rs_tail_event *events = tail->events;
	for (size_t c = RS_EVENT_FIRST; c < columns->n; c++)
		if (events[c].is_more && !columns->columns[c].is_part &&
			!is_clock(&columns->columns[c], &columns->events[c]))
			add_reported(tail, c);
	if (tail->n_shown == 0)
		return;
	for (size_t c = RS_EVENT_FIRST; c < columns->n; c++)
		if (events[c].is_known && !columns->columns[c].is_part &&
			is_hardware(&columns->events[c], PERF_COUNT_HW_INSTRUCTIONS) &&
			fabs(events[c].ratio - 1) < SAME_RATIO)
			add_reported(tail, c);
}

static void make_events(struct rs_tail *tail, struct rs_arena *arena,
	const struct rs_summary_region *region, const struct rs_columns *columns,
	const struct rs_result *row)
{
	tail->events = rs_arena_array(arena, columns->n, sizeof(*tail->events));
	tail->shown = rs_arena_array(arena, columns->n, sizeof(*tail->shown));
	for (size_t c = RS_EVENT_FIRST; c < columns->n; c++) {
		const struct rs_column_events *of = &columns->events[c];
		bool is_part = of->part != RS_ALL_PARTS;
		tail->events[c] = rs_tail_of_event(tail, row, &region->values[c],
			&of->counters[is_part ? of->part : 0], is_part ? 1 : of->n_counters);
	}
	choose(tail, columns);
}

/* Return true if `other` reports all columns that `tail` reports. */
static bool reports_no_more(const struct rs_tail *tail, const struct rs_tail *other)
{
	for (size_t i = 0; i < tail->n_shown; i++) {
		bool is_shown = false;
		for (size_t j = 0; j < other->n_shown; j++)
			is_shown |= tail->shown[i] == other->shown[j];
		if (!is_shown)
			return false;
	}
	return true;
}

void rs_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_columns *columns, const struct rs_result *row)
{
	region->tails = rs_arena_array(arena, RS_TAILS, sizeof(*region->tails));
	region->n_tails = rs_tails_find(region->tails, row);
	for (size_t i = 0; i < region->n_tails; i++)
		make_events(&region->tails[i], arena, region, columns, row);
	if (region->n_tails == RS_TAILS && reports_no_more(&region->tails[0], &region->tails[1]))
		region->tails[0].n_shown = 0;
}
