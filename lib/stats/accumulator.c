/* SPDX-License-Identifier: MIT */
/*
 * This file computes the sums of one accumulator over all calls. A signal can kill the program at
 * any instruction. Then the latest call can be missing in some words of the accumulator and of its
 * histograms. The runtime stores a value v as w = 2 * v + 1, so w is odd, and each added call
 * changes the parity of a sum. The parity shows whether the sum includes the latest call
 * (segment/accumulator.h).
 */
#include "stats/collector.h"

#include <math.h>

#include "stats/wide.h"

/* The latest call of the accumulator. The runtime adds a call to some words only when the next call
 * ends. Until then, these words do not include the call. */
struct latest {
	bool is_missing; /* some words do not include the latest call */
	uint64_t calls; /* number of calls, including the latest one */
	uint64_t weight;
	uint64_t w[RS_MAX_COUNTERS];
};

static bool is_odd(uint64_t word)
{
	return word & 1;
}

static uint64_t uncounted_of(
	const struct rs_collector *collector, const struct rs_whole *whole, uint32_t counter)
{
	return rs_collector_is_time(collector, counter)
		       ? 0
		       : whole->groups[collector->out->counter_group[counter]].uncounted_weights;
}

/* Return the index of the bucket in which the value w is counted. If the octave of w has no block
 * of buckets, w is counted in the nearest block, as in the runtime (rs_accumulator_block()). */
static uint32_t index_in(const struct rs_read_counts *run, uint64_t w)
{
	uint32_t index = rs_bucket_of_w(w), octave = index / RS_BLOCK_BUCKETS;
	for (uint32_t d = 0; d < RS_BLOCK_OCTAVES; d++) {
		if (octave >= d && run->octaves >> (octave - d) & 1)
			return d ? (octave - d + 1) * RS_BLOCK_BUCKETS - 1 : index;
		if (octave + d < RS_BLOCK_OCTAVES && run->octaves >> (octave + d) & 1)
			return (octave + d) * RS_BLOCK_BUCKETS;
	}
	return 0;
}

/* Add the latest call to the histogram of time or of an event, unless it is already included. */
static void complete_histogram(struct rs_collector *collector, const struct rs_whole *whole,
	const struct latest *latest, uint32_t counter)
{
	struct rs_read_counts *run = &collector->runs[counter];
	uint64_t expected = whole->counters[counter].weights;
	bool was_counted =
		rs_collector_is_time(collector, counter) ||
		!(whole->rare->latest_uncounted >> collector->out->counter_group[counter] & 1);
	if (!latest->is_missing || !was_counted || run->octaves == 0 || run->is_spoiled ||
		run->total + latest->weight != expected)
		return;
	run->counts[index_in(run, latest->w[counter])] += latest->weight;
	run->total += latest->weight;
}

/* Add the latest call to the sums of events for the call's octave of time, unless these sums
 * already include the call. The histogram of time must be complete before. */
static void complete_sums(struct rs_collector *collector, const struct latest *latest)
{
	uint32_t n_events = collector->n_events;
	const struct rs_read_counts *time = &collector->runs[0];
	if (!latest->is_missing || time->octaves == 0 || time->is_spoiled)
		return;
	uint32_t octave = index_in(time, latest->w[0]) / RS_BLOCK_BUCKETS;
	uint64_t total = rs_counts_of_octave(time, octave);
	for (uint32_t e = 0; e < n_events; e++) {
		uint64_t *sum = &collector->sums[octave * n_events + e];
		if (is_odd(*sum ^ total))
			*sum += latest->w[1 + e] * latest->weight;
	}
}

/*
 * Find the sum of (w - center)^2 over all calls and store it in *deviation. The caller knows `low`,
 * which is this sum modulo 2^64. The buckets of the histogram give a lower and an upper bound of
 * the sum. Return false if no number between these bounds equals `low` modulo 2^64.
 */
static bool find_deviation(const struct rs_read_counts *run, const struct rs_rare_moments *extremes,
	uint64_t center, uint64_t low, bool has_all, rs_u128 *deviation)
{
	long double least = 0, most = 0, likely = 0;
	long double min = 2.0L * ~extremes->min_inverted + 1, max = 2.0L * extremes->max + 1;
	uint32_t begin = rs_counts_begin(run), end = rs_counts_end(run);
	*deviation = low;
	if (!has_all) /* without a complete histogram there are no bounds */
		return true;
	for (uint32_t i = begin; i < end; i++) {
		if (run->counts[i] == 0)
			continue;
		uint32_t octave = i / RS_BLOCK_BUCKETS, bucket = i % RS_BLOCK_BUCKETS;
		uint64_t width = rs_block_width(octave, bucket);
		long double from = 2.0L * rs_block_low(octave, bucket) + 1;
		long double to = from + (width > 0 ? 2.0L * (width - 1) : 0);
		/* in these octaves a double has too few bits for w, so rounding can move it to the
		 * next bucket */
		if (octave >= 53)
			from -= 2.0L * width;
		from = fminl(fmaxl(from, min), max) - center;
		to = fmaxl(fminl(to, max) - center, from);
		long double near = from > 0 ? from : to < 0 ? to : 0;
		least += near * near * run->counts[i];
		most += fmaxl(from * from, to * to) * run->counts[i];
		likely += (from + to) / 2 * ((from + to) / 2) * run->counts[i];
	}
	long double step = 0x1p64L, slack = most * 1e-12L + 1;
	long double turns = fmaxl(ceill((least - slack - low) / step), 0);
	if (low + turns * step > most + slack)
		return false;
	long double last = floorl((most + slack - low) / step);
	turns = fmaxl(turns, fminl(roundl((likely - low) / step), last));
	*deviation = turns < 0x1p63L ? low + ((rs_u128)(uint64_t)turns << 64) : ~(rs_u128)0;
	return true;
}

/* Compute the sum of one value (time or an event), and the sum of the squared deviations from the
 * value's average. Both are computed from the accumulator's sums of w and w^2. Return false if no
 * values can have these sums. */
static bool find_sums(const struct rs_collector *collector, const struct rs_whole *whole,
	struct rs_whole_counter *into, uint32_t counter, uint64_t sum, uint64_t square,
	enum rs_load load)
{
	const struct rs_read_counts *run = &collector->runs[counter];
	const struct rs_rare_moments *extremes = &whole->extremes[counter];
	uint64_t min = ~extremes->min_inverted, max = extremes->max, n = into->weights;
	/* a call in which the event was not counted has added w = 1, times the weight of the
	 * call */
	uint64_t uncounted = whole->weights - n;
	rs_u128 deviation;
	if (is_odd(sum ^ whole->weights) && load == RS_LOAD_DONE)
		return false;
	into->sum = (sum - whole->weights) / 2;
	if (n == 0)
		return load != RS_LOAD_DONE ||
		       (into->sum == 0 && !extremes->max && !extremes->min_inverted);
	if (load != RS_LOAD_DONE) {
		/* while the program runs, the sums may include one call more or less than n */
		into->sum = into->sum < n * min ? n * min : into->sum;
	}
	if (min > max || max > RS_VALUE_MAX || into->sum < (rs_u128)n * min ||
		into->sum > (rs_u128)n * max)
		return false;
	uint64_t of_w = 2 * into->sum + n, center = of_w / n, rest = of_w % n;
	square -= uncounted;
	square = square - 2 * center * of_w + n * center * center;
	if (!find_deviation(run, extremes, center, square, into->has_all, &deviation)) {
		if (load == RS_LOAD_DONE)
			return false;
		deviation = 0;
	}
	/* w = 2 v + 1, and the average of w is center + rest / n */
	long double around = (long double)deviation - (long double)rest / n * rest;
	/* this is the largest sum of squares for values between min and max (T. Popoviciu, 1935) */
	long double width = (long double)(max - min), most = width / 2 * (width / 2) * n;
	into->square = (double)fminl(fmaxl(around / 4, 0), most);
	return true;
}

/* Read the number of calls, the sum of their weights, and the latest call. Return false if these
 * contradict each other. */
static bool find_weights(const struct rs_collector *collector, struct rs_whole *whole,
	struct latest *latest, enum rs_load load)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	uint64_t word = accumulator->calls_word;
	uint32_t n_events = collector->n_events, n_groups = collector->out->n_groups;
	whole->calls = latest->calls = rs_accumulator_calls(word);
	whole->rare = (const void *)((const char *)accumulator +
				     rs_accumulator_rare_offset(
					     n_events, n_groups, rs_accumulator_row(word)));
	whole->groups = (const void *)(whole->rare + 1);
	whole->extremes = (const void *)(whole->groups + n_groups);
	latest->is_missing = !rs_accumulator_is_folded(accumulator, word);
	latest->weight = 1;
	for (uint32_t m = 0; m <= n_events; m++)
		latest->w[m] = *rs_accumulator_latest(collector->accumulator, m);
	whole->weights = whole->calls;
	if (whole->calls >= RS_MAX_CALLS || (latest->is_missing && whole->calls == 0))
		return false;
	if (latest->is_missing)
		for (uint32_t m = 0; m <= n_events; m++)
			if (!is_odd(latest->w[m]) || latest->w[m] / 2 > RS_VALUE_MAX)
				return false;
	if (!collector->samples)
		return true;
	latest->weight = accumulator->latest_weight;
	whole->weights = accumulator->weights;
	if (latest->is_missing && (!is_odd(latest->weight) || latest->weight >= RS_MAX_CALLS))
		return false;
	if (latest->is_missing && is_odd(accumulator->weights ^ whole->calls))
		whole->weights += latest->weight;
	return whole->weights < RS_MAX_CALLS && whole->weights >= whole->calls &&
	       (whole->calls > 0 || whole->weights == 0) &&
	       (load != RS_LOAD_DONE || !is_odd(whole->weights ^ whole->calls));
}

/* Return true if `weights` can be the sum of the weights of `calls` calls. Each weight is at least
 * 1. */
static bool can_have_weights(uint64_t weights, uint64_t calls)
{
	return calls > 0 ? weights >= calls : weights == 0;
}

static bool groups_make_sense(const struct rs_collector *collector, const struct rs_whole *whole)
{
	for (uint32_t g = 0; g < collector->out->n_groups; g++) {
		const struct rs_rare_group *group = &whole->groups[g];
		if (group->uncounted > whole->calls || group->uncounted_weights > whole->weights ||
			!can_have_weights(group->uncounted_weights, group->uncounted) ||
			!can_have_weights(whole->weights - group->uncounted_weights,
				whole->calls - group->uncounted) ||
			group->answered_ticks > group->unstable_ticks ||
			group->missed_ticks > group->unstable_ticks - group->answered_ticks)
			return false;
	}
	return true;
}

/* Return the part of a value that belongs to nested regions. If calls_word does not count the
 * latest call yet, subtract what the latest call has added to this part. */
static int64_t children_of(const struct rs_collector *collector, uint32_t counter)
{
	struct rs_accumulator *accumulator = collector->accumulator;
	uint64_t word = accumulator->calls_word;
	const struct rs_accumulator_children *children = rs_accumulator_children(
		accumulator, collector->n_events);
	return rs_accumulator_children_sum(children[counter].sum, children[counter].latest, word);
}

bool rs_accumulator_complete(
	struct rs_collector *collector, enum rs_load load, struct rs_whole *whole)
{
	const struct rs_accumulator *accumulator = collector->accumulator;
	uint32_t n_events = collector->n_events;
	const uint64_t *inside = rs_accumulator_inside(collector->accumulator, n_events);
	struct latest latest;
	bool is_refused = accumulator->flags & RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE;
	if (!find_weights(collector, whole, &latest, load) || !groups_make_sense(collector, whole))
		return false;
	for (uint32_t m = 0; m <= n_events; m++) {
		struct rs_whole_counter *into = &whole->counters[m];
		const struct rs_read_counts *run = &collector->runs[m];
		/* the overhead of all calls must not overflow */
		rs_i128 of_all = (rs_i128)(int64_t)inside[m] * (whole->weights + 1);
		if (of_all > RS_VALUE_MAX || -of_all > RS_VALUE_MAX)
			return false;
		*into = (struct rs_whole_counter){.inside = (int64_t)inside[m]};
		into->weights = whole->weights - uncounted_of(collector, whole, m);
		into->children = children_of(collector, m);
		complete_histogram(collector, whole, &latest, m);
		bool lacks_memory = is_refused || run->is_spoiled;
		into->has_all = run->total == into->weights && !lacks_memory;
		/* The histograms of a running program may be newer than the other words. */
		into->is_incomplete = load == RS_LOAD_DONE ? !into->has_all : lacks_memory;
		into->exceeds = run->is_spoiled ||
				(run->total > into->weights && load == RS_LOAD_DONE);
	}
	complete_sums(collector, &latest);
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t sum = 0,
			 square = *rs_accumulator_square(collector->accumulator, n_events, m);
		if (latest.is_missing && is_odd(square ^ whole->calls))
			square += latest.w[m] * latest.w[m] * latest.weight;
		for (uint32_t octave = 0; m > 0 && octave < RS_BLOCK_OCTAVES; octave++)
			sum += collector->sums[octave * n_events + m - 1];
		if (m == 0)
			sum = accumulator->time_sum +
			      (latest.is_missing ? latest.w[0] * latest.weight : 0);
		if (!find_sums(collector, whole, &whole->counters[m], m, sum, square, load))
			return false;
	}
	for (uint32_t g = 0; g < collector->out->n_groups && load == RS_LOAD_DONE; g++)
		if (whole->groups[g].unstable_ticks > whole->counters[0].sum)
			return false;
	return true;
}
