/* SPDX-License-Identifier: MIT */
/*
 * This file adds up values and scales the sums. Sums of integers are exact; only the sum of squares
 * is rounded. It is always a sum of squared deviations from the average. So the deviation stays
 * exact even for values near 1e9 that differ by 1.
 */
#include "stats/value.h"

#include <math.h>

#include "stats/histogram.h"
#include "stats/wide.h"

/* Groups on different PMUs start and stop some ns apart. A difference below time / NOISE_DIVISOR is
 * ignored. */
#define NOISE_DIVISOR 100000

/* ---- merging ---- */

static void add_self(int64_t *sum, int64_t self)
{
	if (__builtin_add_overflow(*sum, self, sum))
		*sum = self < 0 ? INT64_MIN : INT64_MAX;
}

static void add(struct rs_value *into, const struct rs_value *value)
{
	if (value->status != RS_VALUE_OK)
		into->status = value->status;
	rs_add_saturating(&into->total, value->total);
	add_self(&into->self, value->self);
	rs_add_saturating(&into->enabled_ns, value->enabled_ns);
	rs_add_saturating(&into->running_ns, value->running_ns);
	into->variance += value->variance;
	into->is_clamped |= value->is_clamped;
	if (value->counted == 0)
		return;
	if (value->weight > 0) {
		if (into->weight == 0 || value->min < into->min)
			into->min = value->min;
		if (value->max > into->max)
			into->max = value->max;
	}
	rs_add_saturating(&into->counted, value->counted);
	rs_add_saturating(&into->weight, value->weight);
	rs_add_saturating(&into->sum, value->sum);
}

/* Return the sum of weight * (value - average)^2 over all values. */
static double add_squares(const struct rs_value *const *from, size_t n)
{
	rs_u128 sum = 0, weight = 0;
	long double square = 0;
	for (size_t i = 0; i < n; i++) {
		sum += from[i]->sum;
		weight += from[i]->weight;
	}
	/* first subtract an integer near the average, so that doubles do not round large
	 * averages */
	rs_i128 center = weight > 0 ? (rs_i128)(sum / weight) : 0;
	long double rest = weight > 0 ? (long double)(sum % weight) / (long double)weight : 0;
	for (size_t i = 0; i < n; i++) {
		if (from[i]->weight == 0)
			continue;
		long double of = (long double)from[i]->weight;
		rs_i128 above = (rs_i128)from[i]->sum - (rs_i128)from[i]->weight * center;
		long double difference = (long double)above / of - rest;
		square += (long double)from[i]->square + difference * difference * of;
	}
	return (double)square;
}

void rs_value_merge(
	struct rs_value *into, const struct rs_value *const *from, size_t n, struct rs_arena *arena)
{
	struct rs_value sum = {.status = RS_VALUE_OK, .slowest = UINT64_MAX};
	for (size_t i = 0; i < n; i++)
		add(&sum, from[i]);
	sum.square = add_squares(from, n);
	rs_histogram_merge(&sum.histogram, from, n, arena);
	/* If a period was read while a call ended, the call can be missing in its histogram. The
	 * histogram of the next period then contains the call. So the sum can be complete although
	 * a part is not. */
	if (sum.histogram.incomplete)
		sum.histogram.incomplete = rs_histogram_count(&sum.histogram) != sum.weight;
	*into = sum;
}

/* ---- scaling ---- */

/* How the counts of an event and of its parts are scaled. */
struct scale {
	uint64_t enabled_ns; /* time during which the event should have been counted */
	uint64_t running_ns; /* time during which any part was on its PMU */
	/* Parts that shared their PMU are scaled by shared_enabled_ns / shared_running_ns. */
	uint64_t shared_enabled_ns;
	uint64_t shared_running_ns;
	bool scales_all; /* also scale parts that were on their PMU all the time */
	bool is_exact; /* no part is scaled, since all counts are exact */
};

/* Return how long a part was on its PMU, in ns. Calls can be so short that the kernel's clock does
 * not advance. Then return 1 for a part that counted any call. */
static uint64_t running_of(const struct rs_value *part)
{
	return part->enabled_ns == 0 && part->counted > 0 ? 1 : part->running_ns;
}

/* Return true if a part was on its PMU all the time that it was enabled. */
static bool ran_throughout(const struct rs_value *part)
{
	return part->enabled_ns <= running_of(part);
}

static struct scale find_scale(const struct rs_value *const *parts, size_t n)
{
	struct scale scale = {0};
	uint64_t running_throughout = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t running_ns = running_of(parts[i]);
		rs_add_saturating(&scale.running_ns, running_ns);
		if (parts[i]->enabled_ns > scale.enabled_ns)
			scale.enabled_ns = parts[i]->enabled_ns;
		rs_add_saturating(
			ran_throughout(parts[i]) ? &running_throughout : &scale.shared_running_ns,
			running_ns);
	}
	if (scale.enabled_ns < scale.running_ns)
		scale.enabled_ns = scale.running_ns;
	uint64_t noise = n > 1 ? scale.enabled_ns / NOISE_DIVISOR : 0;
	scale.is_exact = scale.enabled_ns - scale.running_ns <= noise;
	scale.shared_enabled_ns = scale.enabled_ns - running_throughout;
	if (scale.shared_running_ns == 0 && !scale.is_exact) {
		/* A part was never on its PMU although the thread ran on the part's cores: scale
		 * all other parts instead. */
		scale.shared_enabled_ns = scale.enabled_ns;
		scale.shared_running_ns = scale.running_ns;
		scale.scales_all = true;
	}
	return scale;
}

static bool is_exact(const struct rs_value *part, const struct scale *scale)
{
	return scale->is_exact || (!scale->scales_all && ran_throughout(part));
}

static uint64_t scaled(uint64_t number, const struct rs_value *part, const struct scale *scale)
{
	if (is_exact(part, scale) || scale->shared_running_ns == 0)
		return number;
	return rs_wide_scale(number, scale->shared_enabled_ns, scale->shared_running_ns);
}

static int64_t scaled_self(const struct rs_value *part, const struct scale *scale)
{
	uint64_t size = part->self < 0 ? -(uint64_t)part->self : (uint64_t)part->self;
	size = scaled(size, part, scale);
	int64_t self = size < INT64_MAX ? (int64_t)size : INT64_MAX;
	return part->self < 0 ? -self : self;
}

void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place)
{
	const struct scale scale = find_scale(parts, n);
	bool is_all = place == RS_ALL_PARTS;
	bool exact = is_all ? scale.is_exact : is_exact(parts[place], &scale);
	uint64_t running_ns = is_all ? scale.running_ns : running_of(parts[place]);
	if (running_ns == 0) {
		*value = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
		return;
	}
	uint64_t total = 0;
	int64_t self = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_all && place != i)
			continue;
		rs_add_saturating(&total, scaled(parts[i]->total, parts[i], &scale));
		if (__builtin_add_overflow(self, scaled_self(parts[i], &scale), &self))
			self = parts[i]->self < 0 ? INT64_MIN : INT64_MAX;
	}
	value->status = exact ? RS_VALUE_OK : RS_VALUE_SCALED;
	value->total = total;
	value->self = self;
	/* the error is unknown, since there is no count while the event was off its PMU */
	if (!exact)
		value->variance = NAN;
	value->enabled_ns = scale.enabled_ns;
	value->running_ns = is_all && exact ? scale.enabled_ns : running_ns;
}

static void limit(uint64_t *number, uint64_t most)
{
	if (*number > most)
		*number = most;
}

void rs_value_limit(struct rs_value *value, const struct rs_value *most)
{
	if (rs_value_has_total(most)) {
		limit(&value->total, most->total);
		uint64_t self = most->lacks_self ? most->total : rs_value_self(most);
		if (value->self > 0 && (uint64_t)value->self > self)
			value->self = (int64_t)self;
	}
	if (!rs_value_has_distribution(value) || !rs_value_has_distribution(most))
		return;
	limit(&value->max, most->max);
	limit(&value->min, value->max);
	/* both values have the same calls, so the limit also holds for each percentile */
	if (value->counted == most->counted) {
		limit(&value->min, most->min);
		value->limit = most;
	}
	/* this is the largest sum of squares for values between min and max with this average
	 * (Bhatia and Davis, 2000); slack allows for the rounding of doubles */
	double average = rs_value_average(value), slack = (double)value->max * 0x1p-52;
	double square = ((double)value->max - average + slack) *
			(average - (double)value->min + slack);
	value->square = fmin(value->square, square * (double)value->weight);
}

struct rs_value rs_value_of_call(uint64_t number)
{
	if (number == UINT64_MAX)
		return (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	return (struct rs_value){.total = number, .lacks_self = true};
}

/* ---- statistics ---- */

bool rs_value_has_error(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && isfinite(value->variance);
}

uint64_t rs_value_self(const struct rs_value *value)
{
	uint64_t self = value->self > 0 && !value->lacks_self ? (uint64_t)value->self : 0;
	return rs_min(self, value->total);
}

double rs_value_average(const struct rs_value *value)
{
	if (value->weight == 0)
		return 0;
	if (value->calls > 0)
		return (double)value->total / (double)value->calls;
	double average = (double)((long double)value->sum / (long double)value->weight);
	/* min and max are exact, so a rounded average must not be outside of them */
	average = fmin(fmax(average, (double)value->min), (double)value->max);
	return value->limit ? fmin(average, rs_value_average(value->limit)) : average;
}

double rs_value_deviation(const struct rs_value *value)
{
	return value->weight > 0 ? sqrt(value->square / (double)value->weight) : 0;
}

uint64_t rs_value_quantile(const struct rs_value *value, uint32_t millionths)
{
	if (!rs_value_has_quantiles(value))
		return 0;
	uint64_t own = rs_histogram_quantile(&value->histogram, millionths, value->min, value->max);
	if (!value->limit || !rs_value_has_quantiles(value->limit))
		return own;
	return rs_min(own, rs_value_quantile(value->limit, millionths));
}

double rs_value_error(const struct rs_value *value)
{
	return rs_value_has_error(value) ? 2 * hypot(sqrt(value->variance), value->marker_error)
					 : 0;
}

double rs_value_self_error(const struct rs_value *value)
{
	return hypot(rs_value_error(value), 2 * sqrt(value->inner_variance));
}

double rs_value_running(const struct rs_value *value)
{
	if (value->running_ns >= value->enabled_ns)
		return 1;
	return (double)((long double)value->running_ns / (long double)value->enabled_ns);
}
