/* SPDX-License-Identifier: MIT */
/*
 * This file computes quantiles of a region so far. As in reports, each call of a bucket gets the
 * middle value of the bucket minus the overhead. This value then belongs to a bucket of
 * segment/buckets.h. A table of all these buckets would be too large for the stack of a signal
 * handler. So each pass over the histograms finds only the next 4 bits of the quantile's bucket.
 */
#include "runtime/read/read.h"

#include "runtime/calls/calls.h"
#include "runtime/process/process.h"
#include "segment/buckets.h"

#define DIGIT_BITS 4
#define N_DIGITS (1 << DIGIT_BITS)
#define N_BUCKET_BITS 16

/* The values whose quantiles are searched. */
struct wanted {
	struct rs_runtime *runtime;
	const struct rs_slot *slot;
	uint32_t region, value;
};

/* One pass over the histograms. It looks at the buckets whose index begins with `prefix`, and
 * counts their calls by the next 4 bits of the index. */
struct pass {
	uint32_t prefix, shift;
	uint64_t counts[N_DIGITS];
	uint64_t min, max;
	bool is_incomplete;
};

/* Return the index of a value in an accumulator. Only accumulators of calls with a context switch
 * have on-CPU time, as one more event; in the others it equals time. */
static uint32_t counter_of(const struct rs_read_accumulator *from, const struct wanted *wanted)
{
	bool is_switched = from->shape != &wanted->runtime->shape;
	if (wanted->value == REGIONSTAT_CPU_TIME && is_switched)
		return from->shape->n_events;
	return wanted->value < REGIONSTAT_EVENTS ? 0 : 1 + wanted->value - REGIONSTAT_EVENTS;
}

static uint64_t in_unit(const struct wanted *wanted, uint64_t twice)
{
	if (wanted->value >= REGIONSTAT_EVENTS)
		return twice / 2;
	return (uint64_t)(rs_read_ns(wanted->runtime, (double)twice) + 0.5) / 2;
}

/* Count n calls in a bucket of an accumulator. */
static void count(const struct wanted *wanted, struct pass *pass, uint32_t octave, uint32_t bucket,
	uint64_t n, int64_t inside)
{
	uint64_t width = rs_block_width(octave, bucket), less = width ? width - 1 : 0;
	uint64_t middle = rs_block_low(octave, bucket) + less / 2;
	uint64_t twice = (int64_t)middle < inside ? 0 : 2 * (middle - (uint64_t)inside) + less % 2;
	uint32_t found = rs_bucket_of(in_unit(wanted, twice));
	if (found >> (pass->shift + DIGIT_BITS) == pass->prefix)
		pass->counts[found >> pass->shift & (N_DIGITS - 1)] += n;
}

RS_OWN_WORDS static uint64_t count_block(const struct wanted *wanted, struct pass *pass,
	const struct rs_block *block, int64_t inside)
{
	uint32_t octave = rs_block_octave(*(const volatile uint64_t *)&block->link);
	uint64_t total = 0;
	for (uint32_t i = 0; octave < RS_BLOCK_OCTAVES && i < RS_BLOCK_BUCKETS; i++) {
		uint64_t n = *(const volatile uint64_t *)&block->counts[i];
		if (n)
			count(wanted, pass, octave, i, n, inside);
		total += n;
	}
	return total;
}

/* Count the calls of an accumulator, including the latest one if the histogram lacks it. */
RS_OWN_WORDS static void count_accumulator(
	const struct wanted *wanted, struct pass *pass, const struct rs_read_accumulator *from)
{
	struct rs_runtime *runtime = wanted->runtime;
	const struct rs_shape *shape = from->shape;
	uint32_t counter = counter_of(from, wanted), group = RS_NO_GROUP;
	uint64_t word = rs_accumulator_word(from->accumulator), total = 0;
	struct rs_rare *rare = rs_accumulator_rare(
		from->accumulator, shape, rs_accumulator_row(word));
	const struct rs_rare_group *groups = (const void *)(rare + 1);
	const struct rs_rare_moments *extremes = &rs_rare_extremes(rare, shape)[counter];
	const volatile uint64_t *first = &rs_accumulator_blocks(
		from->accumulator, shape->n_events)[counter];
	int64_t inside = (int64_t)rs_accumulator_inside(
		from->accumulator, shape->n_events)[counter];
	uint32_t latest = rs_bucket_of_w(*rs_accumulator_latest(from->accumulator, counter));
	uint64_t weight = runtime->samples ? from->accumulator->latest_weight : 1;
	uint64_t weights = rs_read_weights_of(runtime, from->accumulator, word);
	const struct rs_block *block;
	if (counter && counter <= runtime->shape.n_events)
		group = shape->event_group[counter - 1];
	if (group != RS_NO_GROUP)
		weights -= groups[group].uncounted_weights;
	uint64_t offset = *first;
	for (uint32_t n = 0; n < RS_BLOCK_OCTAVES; n++) {
		uint32_t n_sums = counter ? 0 : shape->n_events;
		if (!(block = rs_read_block(runtime, offset, n_sums)))
			break;
		total += count_block(wanted, pass, block, inside);
		offset = rs_block_next(*(const volatile uint64_t *)&block->link);
	}
	bool was_counted = group == RS_NO_GROUP || !(rare->latest_uncounted >> group & 1);
	if (was_counted && total + weight == weights)
		count(wanted, pass, latest / RS_BLOCK_BUCKETS, latest % RS_BLOCK_BUCKETS, weight,
			inside);
	if (!weights)
		return;
	uint64_t min = in_unit(wanted, 2 * rs_without_inside(~extremes->min_inverted, inside));
	uint64_t max = in_unit(wanted, 2 * rs_without_inside(extremes->max, inside));
	pass->min = min < pass->min ? min : pass->min;
	pass->max = max > pass->max ? max : pass->max;
	pass->is_incomplete |= atomic_load_explicit(
				       &from->accumulator->flags, memory_order_relaxed) &
			       RS_ACCUMULATOR_HISTOGRAM_INCOMPLETE;
}

static __attribute__((noinline)) void make_pass(const struct wanted *wanted, struct pass *pass)
{
	struct rs_read_walk walk = {.runtime = wanted->runtime, .only = wanted->slot};
	struct rs_read_accumulators accumulators;
	while (rs_read_next(&walk, &accumulators)) {
		if (accumulators.main.accumulator->region != wanted->region)
			continue;
		count_accumulator(wanted, pass, &accumulators.main);
		if (accumulators.switched.accumulator)
			count_accumulator(wanted, pass, &accumulators.switched);
	}
}

/* Return the bucket of a quantile, which is given in millionths. Set min and max of *pass to those
 * of all values, *place to the rank of the quantile's value, and *n to the number of values. */
static uint32_t find(const struct wanted *wanted, struct pass *pass, uint32_t millionths,
	uint64_t *place, uint64_t *n)
{
	uint32_t prefix = 0;
	uint64_t rank = 0;
	for (int shift = N_BUCKET_BITS - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
		*pass = (struct pass){
			.prefix = prefix, .shift = (uint32_t)shift, .min = UINT64_MAX};
		make_pass(wanted, pass);
		if (shift == N_BUCKET_BITS - DIGIT_BITS) {
			*n = 0;
			for (int d = 0; d < N_DIGITS; d++)
				*n += pass->counts[d];
			rank = (uint64_t)(((unsigned __int128)*n * millionths + 999999) / 1000000);
			*place = rank;
		}
		uint32_t digit = 0;
		for (; digit < N_DIGITS - 1 && pass->counts[digit] < rank; digit++)
			rank -= pass->counts[digit];
		prefix = prefix << DIGIT_BITS | digit;
	}
	return prefix;
}

/* Return a quantile by the rules of rs_histogram_quantile() in lib/stats. */
static double quantile(const struct wanted *wanted, struct pass *pass, uint32_t millionths)
{
	uint64_t rank, n;
	uint32_t bucket = find(wanted, pass, millionths, &rank, &n);
	uint64_t middle = rs_bucket_low(bucket) + (rs_bucket_width(bucket) - 1) / 2;
	if (rank == n || middle > pass->max)
		return (double)pass->max;
	return (double)(rank == 1 || middle < pass->min ? pass->min : middle);
}

void rs_read_quantiles(struct rs_runtime *runtime, const struct rs_slot *slot, uint32_t region,
	uint32_t value, struct regionstat_values *values)
{
	const struct wanted wanted = {runtime, slot, region, value};
	struct pass pass;
	if (value == REGIONSTAT_BLOCKED || value == REGIONSTAT_PREEMPTED || !values->validity_)
		return;
	double p50 = quantile(&wanted, &pass, 500000);
	if (pass.is_incomplete || pass.min == UINT64_MAX)
		return;
	values->p50_ = p50;
	values->p90_ = quantile(&wanted, &pass, 900000);
	values->p99_ = quantile(&wanted, &pass, 990000);
	values->quantiles_validity_ = runtime->samples && values->validity_ == REGIONSTAT_SCALED
					      ? REGIONSTAT_SCALED
					      : REGIONSTAT_VALID;
}
