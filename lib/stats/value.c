/* SPDX-License-Identifier: MIT */
/*
 * Adding up values. Integers are exact; the only number that rounds is the sum of squares, which is
 * around the average from the beginning, so that values of 1e9 that differ by 1 keep their deviation.
 */
#include "stats/value.h"

#include <math.h>
#include <stdlib.h>

#include "stats/histogram.h"
#include "stats/wide.h"

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

/* Sum of weight * (value - average)^2 over all of them. */
static double add_squares(const struct rs_value *const *from, size_t n)
{
	rs_u128 sum = 0, weight = 0;
	long double square = 0;
	for (size_t i = 0; i < n; i++) {
		sum += from[i]->sum;
		weight += from[i]->weight;
	}
	/* averages relative to an integer near that of all: what they have in common does not round */
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

static bool merge_histograms(struct rs_histogram *into, const struct rs_value *const *from,
	size_t n, struct rs_arena *arena)
{
	const struct rs_histogram **histograms = calloc(n, sizeof(*histograms));
	if (!histograms)
		return false;
	for (size_t i = 0; i < n; i++)
		histograms[i] = &from[i]->histogram;
	bool done = rs_histogram_merge(into, histograms, n, arena);
	free(histograms);
	return done;
}

bool rs_value_merge(
	struct rs_value *into, const struct rs_value *const *from, size_t n, struct rs_arena *arena)
{
	struct rs_value sum = {.status = RS_VALUE_OK};
	if (n == 0) {
		*into = sum;
		return true;
	}
	for (size_t i = 0; i < n; i++)
		add(&sum, from[i]);
	sum.square = add_squares(from, n);
	if (!merge_histograms(&sum.histogram, from, n, arena))
		return false;
	*into = sum;
	return true;
}

bool rs_value_has_error(const struct rs_value *value)
{
	return value->status == RS_VALUE_SCALED && isfinite(value->variance);
}

uint64_t rs_value_self(const struct rs_value *value)
{
	uint64_t self = value->self > 0 && !value->lacks_self ? (uint64_t)value->self : 0;
	return self < value->total ? self : value->total;
}

double rs_value_average(const struct rs_value *value)
{
	if (value->weight == 0)
		return 0;
	double average = (double)((long double)value->sum / (long double)value->weight);
	/* those are whole numbers: an average of equal calls must not lie beside them */
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
	uint64_t most = rs_value_quantile(value->limit, millionths);
	return own < most ? own : most;
}

double rs_value_error(const struct rs_value *value)
{
	return rs_value_has_error(value) ? 2 * sqrt(value->variance) : 0;
}

double rs_value_running(const struct rs_value *value)
{
	if (value->running_ns >= value->enabled_ns)
		return 1;
	return (double)((long double)value->running_ns / (long double)value->enabled_ns);
}
