/* SPDX-License-Identifier: MIT */
/* The check of two collections, see oracle.h. */
#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stats/histogram.h"
#include "steps.h"

/* Sums of squares are doubles, and each of many additions rounded one. */
#define ROUNDING 1e-9

/* Two readings of the same accumulator. */
struct pair {
	struct oracle *oracle;
	const struct rs_run *collection;
	const struct rs_result *before, *after;
	uint64_t calls, weight; /* Calls and weight added between the two readings. */
	uint64_t values[RS_MAX_EVENTS + 1]; /* Values of the added call. */
	bool is_counted[RS_MAX_EVENTS + 1];
	bool has_new_overhead; /* Only counts are compared. */
};

static __attribute__((format(printf, 3, 4))) void check(
	const struct pair *pair, bool holds, const char *format, ...)
{
	char what[160], text[400];
	va_list arguments;
	if (holds)
		return;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	snprintf(text, sizeof(text), "region %s, slot %u, %" PRIu64 " calls: %s",
		pair->collection->regions[pair->after->region].name, pair->after->thread,
		pair->after->measured, what);
	pair->oracle->n_failures++;
	pair->oracle->tell(text);
}

static bool is_named(const struct pair *pair, const char *name)
{
	return !strcmp(pair->collection->regions[pair->after->region].name, name);
}

static const struct rs_value *value_of(const struct rs_result *cell, uint32_t m)
{
	return &cell->values[rs_event_of_counter(m)];
}

/* All statistics of an accumulator contain the same number of calls. */
static void check_cell(const struct pair *pair)
{
	const struct rs_result *cell = pair->after;
	uint64_t in_octaves = 0;
	for (uint32_t m = 0; m <= pair->collection->n_events; m++) {
		const struct rs_value *value = value_of(cell, m);
		uint64_t in_buckets = rs_histogram_count(&value->histogram);
		check(pair, in_buckets == value->weight,
			"histogram of statistic %u holds %" PRIu64 ", not %" PRIu64, m, in_buckets,
			value->weight);
		check(pair, !value->histogram.incomplete, "histogram %u is incomplete", m);
	}
	for (uint32_t i = 0; i < cell->n_octaves; i++)
		in_octaves += cell->octaves[i].weight;
	check(pair, !pair->collection->n_events || in_octaves == cell->weight,
		"octaves hold %" PRIu64, in_octaves);
}

static uint64_t count_in(const struct rs_histogram *histogram, uint64_t low)
{
	for (size_t i = 0; i < histogram->n; i++)
		if (histogram->buckets[i].low == low)
			return histogram->buckets[i].count;
	return 0;
}

/* Return the middle of the bucket in which an accumulator counts a value. Octaves from 128 on have
 * 64 buckets each. */
static uint64_t middle_of(uint64_t value)
{
	if (value < 128)
		return value;
	uint64_t width = UINT64_C(1) << (57 - __builtin_clzll(value));
	return (value & ~(width - 1)) + (width - 1) / 2;
}

/* Return the overhead inside a call, rounded up. It is large if QEMU was interrupted often. */
static uint64_t inside_of(const struct pair *pair)
{
	return (uint64_t)ceil(pair->collection->processes[pair->after->process].inside_ns);
}

/* An accumulator counts a time with the overhead inside the call. The time here is without it, so
 * it may belong to the bucket below. */
static bool is_in_bucket(
	const struct pair *pair, const struct rs_bucket *bucket, uint32_t m, uint64_t value)
{
	uint64_t inside = m ? 0 : inside_of(pair);
	uint64_t middle = middle_of(value), above = middle_of(value + inside);
	return (bucket->low <= middle && middle < bucket->high) ||
	       (bucket->low <= above && above < bucket->high + inside);
}

/* A bucket of the value has `weight` calls more than before. All other buckets are unchanged. */
static void check_histogram(const struct pair *pair, uint32_t m, uint64_t weight)
{
	const struct rs_histogram *before = &value_of(pair->before, m)->histogram;
	const struct rs_histogram *after = &value_of(pair->after, m)->histogram;
	uint64_t found = 0;
	if (!weight && before->n == after->n &&
		!memcmp(before->buckets, after->buckets, after->n * sizeof(*after->buckets)))
		return;
	for (size_t i = 0; i < after->n; i++) {
		const struct rs_bucket *bucket = &after->buckets[i];
		uint64_t more = bucket->count - count_in(before, bucket->low);
		bool may_be_its = is_in_bucket(pair, bucket, m, pair->values[m]);
		found += may_be_its ? more : 0;
		check(pair, more == 0 || (may_be_its && more == weight),
			"bucket %" PRIu64 " of statistic %u: %+" PRId64 ", value %" PRIu64,
			bucket->low, m, (int64_t)more, weight ? pair->values[m] : 0);
	}
	check(pair, found == weight, "value %" PRIu64 " of statistic %u is in no bucket",
		weight ? pair->values[m] : 0, m);
	for (size_t i = 0; i < before->n; i++)
		check(pair, count_in(after, before->buckets[i].low) >= before->buckets[i].count,
			"bucket %" PRIu64 " of statistic %u lost calls", before->buckets[i].low, m);
}

static void check_same(const struct pair *pair, uint32_t m)
{
	const struct rs_value *before = value_of(pair->before, m);
	const struct rs_value *after = value_of(pair->after, m);
	check(pair,
		after->sum == before->sum && after->square == before->square &&
			after->min == before->min && after->max == before->max,
		"statistic %u changed without a call that counts", m);
	check_histogram(pair, m, 0);
}

/*
 * Return the relative error of the sum of (value - average)^2 after n more calls with the same
 * value. The expected sum is that of Chan, Golub and LeVeque. A segment stores 64 bits of the sum
 * of squares of 2 * value + 1, so a quarter of it wraps at 2^62; calls that take seconds reach
 * that.
 */
static double square_error(
	const struct rs_value *before, const struct rs_value *after, uint64_t value, uint64_t n)
{
	double weight = (double)before->weight, more = (double)n;
	double off = weight > 0 ? (double)value - (double)before->sum / weight : 0;
	double expected = before->square + off * off * weight * more / (weight + more);
	double size = (double)value + 1;
	return fabs(remainder(after->square - expected, 0x1p62)) / (size * size + expected);
}

/* One call was added to a statistic. Its value is the difference of the sums. */
static void check_value(struct pair *pair, uint32_t m)
{
	const struct rs_value *before = value_of(pair->before, m);
	const struct rs_value *after = value_of(pair->after, m);
	uint64_t sum = after->sum - before->sum, value = sum / pair->weight;
	bool is_first = before->counted == 0;
	pair->values[m] = value;
	check(pair, sum % pair->weight == 0 && value >> 56 == 0, "sum of %u: %+" PRId64, m,
		(int64_t)sum);
	check(pair, square_error(before, after, value, pair->weight) < ROUNDING,
		"square of statistic %u does not fit value %" PRIu64, m, value);
	uint64_t min = is_first || value < before->min ? value : before->min;
	uint64_t max = is_first || value > before->max ? value : before->max;
	check(pair, after->min == min && after->max == max,
		"extremes of statistic %u: %" PRIu64 " to %" PRIu64 ", not %" PRIu64 " to %" PRIu64,
		m, after->min, after->max, min, max);
	check_histogram(pair, m, pair->weight);
}

/* Check total and self time: the values of nested calls are excluded. */
static void check_nesting(const struct pair *pair, uint32_t m)
{
	struct oracle *oracle = pair->oracle;
	uint64_t total = value_of(pair->after, m)->total - value_of(pair->before, m)->total;
	uint64_t self = (uint64_t)value_of(pair->after, m)->self -
			(uint64_t)value_of(pair->before, m)->self;
	uint64_t value = pair->values[m], within = 0;
	/* With sampling, skipped calls make self an estimate. */
	check(pair, pair->calls || oracle->is_sampled || (!total && !self),
		"total or self of statistic %u changed without a call", m);
	if (!pair->calls || oracle->is_sampled || !pair->is_counted[m])
		return;
	if (is_named(pair, "rec") && oracle->n_rec % STEPS_REC_DEPTH)
		within = oracle->rec_values[m];
	check(pair, total == value - within || !oracle->adds_up,
		"total of statistic %u: %+" PRId64 " by value %" PRIu64 " with %" PRIu64 " within",
		m, (int64_t)total, value, within);
	check(pair, self <= value, "self of statistic %u: %+" PRId64 " by value %" PRIu64, m,
		(int64_t)self, value);
	oracle->rec_values[m] = value;
}

static void check_slowest(const struct pair *pair)
{
	const struct rs_result *before = pair->before, *after = pair->after;
	bool is_new = pair->calls &&
		      (!before->measured || pair->values[0] > before->values[RS_EVENT_TIME].max);
	bool is_tie = pair->calls && pair->values[0] == before->values[RS_EVENT_TIME].max;
	for (uint32_t m = 0; m <= pair->collection->n_events && after->measured; m++) {
		uint64_t value = pair->is_counted[m] ? pair->values[m] : UINT64_MAX;
		uint64_t slowest = after->values[rs_event_of_counter(m)].slowest;
		bool is_old = before->measured &&
			      slowest == before->values[rs_event_of_counter(m)].slowest;
		check(pair, is_new ? slowest == value : is_old || (is_tie && slowest == value),
			"slowest call's statistic %u is %" PRIu64, m, slowest);
	}
}

static const struct rs_octave *find_octave(const struct rs_result *cell, uint64_t low_ns)
{
	for (uint32_t i = 0; i < cell->n_octaves; i++)
		if (cell->octaves[i].low_ns == low_ns)
			return &cell->octaves[i];
	return NULL;
}

/* Return the start of a value's octave. Values below 128 share one. */
static uint64_t octave_of(uint64_t value)
{
	return value < 128 ? 0 : UINT64_C(1) << (63 - __builtin_clzll(value));
}

/* In the octave of the call's duration, the sums of events contain the call. All other octaves are
 * unchanged. */
static void check_octaves(const struct pair *pair)
{
	for (uint32_t i = 0; i < pair->after->n_octaves; i++) {
		const struct rs_octave *after = &pair->after->octaves[i];
		const struct rs_octave *before = find_octave(pair->before, after->low_ns);
		bool is_its = pair->calls && octave_of(pair->values[0]) == after->low_ns;
		check(pair,
			after->weight - (before ? before->weight : 0) ==
				(is_its ? pair->weight : 0),
			"octave %" PRIu64 " has %" PRIu64 " calls", after->low_ns, after->weight);
		for (uint32_t m = 1; m <= pair->collection->n_events; m++) {
			uint64_t more = after->sums[m - 1] - (before ? before->sums[m - 1] : 0);
			bool has_it = is_its && pair->is_counted[m];
			check(pair, more == (has_it ? pair->values[m] * pair->weight : 0),
				"octave %" PRIu64 ", statistic %u: %+" PRId64, after->low_ns, m,
				(int64_t)more);
		}
	}
	for (uint32_t i = 0; i < pair->before->n_octaves; i++)
		check(pair, find_octave(pair->after, pair->before->octaves[i].low_ns) != NULL,
			"octave %" PRIu64 " is gone", pair->before->octaves[i].low_ns);
}

/* Each call of "work" has the same work, measured or skipped, and in some cases each of "rec". */
static void check_work(const struct pair *pair, uint64_t ended)
{
	const struct rs_result *before = pair->before, *after = pair->after;
	bool works = is_named(pair, "work") || (pair->oracle->rec_works && is_named(pair, "rec"));
	uint64_t told = works ? ended : 0;
	check(pair,
		after->work_calls - before->work_calls == told &&
			after->work_bytes - before->work_bytes == told * STEPS_WORK_BYTES &&
			after->work_flops - before->work_flops == told * STEPS_WORK_FLOPS,
		"work of %" PRIu64 " calls, %" PRIu64 " bytes, %" PRIu64 " operations",
		after->work_calls, after->work_bytes, after->work_flops);
}

/* Check for each event whether the call was counted, and how long its group was enabled. */
static void check_counted(struct pair *pair)
{
	bool is_uncounted = false;
	for (uint32_t m = 1; m <= pair->collection->n_events; m++) {
		const struct rs_value *before = value_of(pair->before, m);
		const struct rs_value *after = value_of(pair->after, m);
		uint64_t more = after->counted - before->counted;
		check(pair,
			more <= pair->calls &&
				after->weight - before->weight == more * pair->weight,
			"statistic %u counted %" PRIu64 " calls", m, after->counted);
		check(pair,
			after->enabled_ns >= before->enabled_ns &&
				after->running_ns >= before->running_ns &&
				(pair->calls || (after->enabled_ns == before->enabled_ns &&
							after->running_ns == before->running_ns)),
			"times of statistic %u", m);
		is_uncounted |= more < pair->calls;
	}
	pair->oracle->n_uncounted += is_uncounted;
}

/* Return the number of calls that ended between the two readings. */
static uint64_t compare_cells(struct pair *pair)
{
	const struct rs_result *before = pair->before, *after = pair->after;
	uint64_t left_out = rs_result_skipped(after) - rs_result_skipped(before);
	pair->calls = after->measured - before->measured;
	pair->weight = after->weight - before->weight;
	check(pair, pair->calls + left_out <= 1, "%+" PRId64 " calls, %+" PRId64 " skipped",
		(int64_t)pair->calls, (int64_t)left_out);
	check(pair,
		pair->oracle->is_sampled ? pair->weight >= pair->calls
					 : pair->weight == pair->calls,
		"weight %" PRIu64, pair->weight);
	if (pair->calls + left_out > 1)
		return 2;
	check_counted(pair);
	if (pair->has_new_overhead) {
		check_work(pair, pair->calls + left_out);
		return pair->calls + left_out;
	}
	for (uint32_t m = 0; m <= pair->collection->n_events; m++) {
		pair->is_counted[m] = pair->calls &&
				      value_of(after, m)->counted > value_of(before, m)->counted;
		if (pair->is_counted[m] && pair->weight)
			check_value(pair, m);
		else
			check_same(pair, m);
		check_nesting(pair, m);
	}
	pair->oracle->n_rec += pair->calls && is_named(pair, "rec");
	check_slowest(pair);
	check_octaves(pair);
	check_work(pair, pair->calls + left_out);
	return pair->calls + left_out;
}

/* Find the same accumulator in another collection. Return NULL if it is not there. */
static const struct rs_result *find_cell(
	const struct rs_run *collection, size_t hint, const struct rs_result *cell)
{
	for (size_t i = 0; collection && i < collection->n_results; i++) {
		const struct rs_result *found =
			&collection->results[(hint + i) % collection->n_results];
		if (found->region == cell->region && found->thread == cell->thread)
			return found;
	}
	return NULL;
}

static bool is_of(const struct rs_run *collection, const struct rs_result *cell, pid_t pid)
{
	return collection->processes[cell->process].pid == (uint32_t)pid;
}

/* If no call is open, the self values of all regions add up to the totals of the outermost ones. */
static void check_sum_of_self(const struct pair *pair)
{
	const struct rs_run *all = pair->collection;
	for (uint32_t m = 0; m <= all->n_events; m++) {
		uint64_t outermost = 0, self = 0;
		for (size_t i = 0; i < all->n_results; i++) {
			const struct rs_result *cell = &all->results[i];
			if (cell->open || cell->pending)
				return;
			/* Otherwise the region's calls are asynchronous and do not nest. */
			if (cell->n_parents)
				self += (uint64_t)cell->values[rs_event_of_counter(m)].self;
			if (cell->n_parents == 1 && cell->parents[0] == RS_NO_REGION)
				outermost += cell->values[rs_event_of_counter(m)].total;
		}
		check(pair, self == outermost,
			"statistic %u: all self add up to %" PRIu64 ", outermost calls to %" PRIu64,
			m, self, outermost);
	}
}

/* Return true if a probe has changed the overhead of a region's markers. The values of earlier
 * calls then change, too. */
static bool has_new_overhead(const struct rs_run *before, const struct rs_run *after)
{
	for (size_t i = 0; i < after->n_results; i++) {
		const struct rs_result *now = &after->results[i], *then = find_cell(before, i, now);
		if (then && then->measured > 0 &&
			fabs((double)now->overhead.measured_ns / (double)now->measured -
				(double)then->overhead.measured_ns / (double)then->measured) > 1)
			return true;
	}
	return false;
}

void oracle_compare(struct oracle *oracle, const struct rs_run *before, const struct rs_run *after)
{
	static struct rs_value no_values[RS_EVENT_FIRST + RS_MAX_EVENTS];
	static const struct rs_result nothing = {.values = no_values};
	struct pair pair = {.oracle = oracle,
		.collection = after,
		.has_new_overhead = !oracle->is_raw && has_new_overhead(before, after)};
	uint64_t ended = 0;
	for (size_t i = 0; i < after->n_results; i++) {
		const struct rs_result *found = find_cell(before, i, &after->results[i]);
		pair.before = found ? found : &nothing;
		pair.after = &after->results[i];
		check_cell(&pair);
		if (is_of(after, pair.after, oracle->pid))
			ended += compare_cells(&pair);
	}
	for (size_t i = 0; before && i < before->n_results; i++)
		if (!find_cell(after, i, &before->results[i])) {
			pair.after = &before->results[i];
			check(&pair, false, "is gone");
		}
	oracle->n_calls += ended;
	if (!after->n_results)
		return;
	check(&pair, ended <= 1, "calls of two accumulators at a time");
	check(&pair, !after->n_damaged, "%.120s", after->damage);
	if (ended == 0 && oracle->adds_up && !oracle->is_sampled)
		check_sum_of_self(&pair);
}
