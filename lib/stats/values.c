/* SPDX-License-Identifier: MIT */
/*
 * The rules by which sums become values: an event that shared the PMU is scaled by enabled over
 * running time, one that never ran has no total, and the distribution is that of counted calls.
 */
#include "stats/values.h"

#include <math.h>

#include "stats/histogram.h"
#include "stats/parts_scale.h"

/* The total and the self total, which is a part of it. */
static void set_total(struct rs_summary_value *value, rs_u128 total, rs_i128 self)
{
	value->total = rs_wide_to_u64(total);
	value->self_total = self > 0 ? rs_wide_to_u64((rs_u128)self) : 0;
	if (value->self_total > value->total)
		value->self_total = value->total;
}

/* Calls of which some were measured: totals are estimates. */
static void tell_sampled(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_value *from)
{
	bool is_sampled = row->calls != row->measured || row->calls != row->weights;
	if (!value->has_total || !is_sampled)
		return;
	value->has_total = row->weights > 0;
	value->status = value->has_total ? RS_VALUE_SCALED : RS_VALUE_NOT_COUNTED;
	value->has_error = value->has_total && isfinite(from->variance);
	value->error = value->has_error ? 2 * sqrt(from->variance) : 0;
}

static void set_distribution(struct rs_summary_value *value, const struct rs_value *from)
{
	const struct rs_histogram *histogram = &from->histogram;
	value->counted = from->counted;
	value->has_distribution = from->counted > 0;
	value->lacks_quantiles = histogram->n == 0;
	if (!value->has_distribution)
		return;
	value->stddev = rs_value_deviation(from);
	value->min = from->min;
	value->max = from->max;
	/* those are whole ns: an average of equal calls must not lie beside them */
	value->avg = fmin(fmax(rs_value_average(from), (double)value->min), (double)value->max);
	if (value->lacks_quantiles)
		return;
	value->p50 = rs_histogram_quantile(histogram, 500000, from->min, from->max);
	value->p90 = rs_histogram_quantile(histogram, 900000, from->min, from->max);
	value->p99 = rs_histogram_quantile(histogram, 990000, from->min, from->max);
}

void rs_value_add_percentiles(struct rs_summary_value *value, const struct rs_value *from,
	const struct rs_percentiles *wanted, uint64_t *percentiles)
{
	if (!value->has_distribution)
		return;
	for (size_t i = 0; i < wanted->n && !value->lacks_quantiles; i++)
		percentiles[i] = rs_histogram_quantile(
			&from->histogram, wanted->items[i].millionths, from->min, from->max);
	value->percentiles = percentiles;
}

/* What every call has that is measured. */
static void set_time(
	struct rs_summary_value *value, const struct rs_merged_row *row, enum rs_event_index event)
{
	const struct rs_value *from = &row->values[event];
	*value = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	if (from->status != RS_VALUE_OK)
		return;
	value->status = RS_VALUE_OK;
	value->has_total = true;
	value->running = 1;
	set_total(value, from->total, from->self);
}

void rs_value_of_time(struct rs_summary_value *value, const struct rs_merged_row *row)
{
	set_time(value, row, RS_EVENT_TIME);
	tell_sampled(value, row, &row->values[RS_EVENT_TIME]);
	set_distribution(value, &row->values[RS_EVENT_TIME]);
}

void rs_value_of_cpu_time(struct rs_summary_value *value, const struct rs_merged_row *row)
{
	set_time(value, row, RS_EVENT_CPU_TIME);
	if (!value->has_total)
		return;
	tell_sampled(value, row, &row->values[RS_EVENT_CPU_TIME]);
	set_distribution(value, &row->values[RS_EVENT_CPU_TIME]);
}

void rs_value_of_off(
	struct rs_summary_value *value, const struct rs_merged_row *row, enum rs_off_kind kind)
{
	enum rs_event_index event = kind == RS_OFF_BLOCKED ? RS_EVENT_BLOCKED : RS_EVENT_PREEMPTED;
	set_time(value, row, event);
	if (value->has_total)
		value->counted = row->values[event].counted;
}

/* What a row holds of one event. */
static struct rs_part part_of_row(const struct rs_merged_row *row, uint32_t quantity)
{
	const struct rs_value *value = &row->values[rs_event_of_quantity(quantity)];
	struct rs_part part = {value->total, value->self, value->enabled_ns, value->running_ns};
	/* calls too short for the kernel's clock to move, but counted all the same */
	if (part.enabled_ns == 0 && value->counted > 0)
		part.enabled_ns = part.running_ns = 1;
	return part;
}

/* Status, totals and running time. False: it was never counted. */
static bool set_totals(
	struct rs_summary_value *value, const struct rs_part *parts, size_t n, size_t place)
{
	const struct rs_parts_scale scale = rs_parts_scale(parts, n);
	bool is_exact = scale.is_exact;
	rs_u128 total = 0, running_ns = scale.running_ns;
	rs_i128 self = 0;
	for (size_t i = 0; i < n; i++) {
		if (place != RS_ALL_PARTS && place != i)
			continue;
		total += rs_wide_to_u64(rs_parts_total(&parts[i], &scale));
		self += rs_parts_self(&parts[i], &scale);
	}
	if (place != RS_ALL_PARTS) {
		running_ns = parts[place].running_ns;
		is_exact = rs_parts_is_exact(&parts[place], &scale);
	}
	*value = (struct rs_summary_value){.status = RS_VALUE_NOT_COUNTED};
	if (running_ns == 0)
		return false;
	value->status = is_exact ? RS_VALUE_OK : RS_VALUE_SCALED;
	value->has_total = true;
	set_total(value, total, self);
	value->running = place == RS_ALL_PARTS && is_exact ? 1 : rs_parts_share(running_ns, &scale);
	return true;
}

void rs_value_of_event(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_value *from, const uint32_t *quantities, size_t n, size_t place)
{
	struct rs_part parts[RS_MAX_CORE_PMUS];
	for (size_t i = 0; i < n; i++)
		parts[i] = part_of_row(row, quantities[i]);
	if (!set_totals(value, parts, n, place))
		return;
	bool is_exact = value->status == RS_VALUE_OK;
	set_distribution(value, from);
	tell_sampled(value, row, from);
	/* of the calls during which it was not on the PMU nothing is known */
	value->has_error &= is_exact;
}

static void limit(uint64_t *number, uint64_t most)
{
	if (*number > most)
		*number = most;
}

/* Both of the same calls: what holds for each of them holds for every rank. */
static void limit_ranks(struct rs_summary_value *value, const struct rs_summary_value *most)
{
	limit(&value->min, most->min);
	if (most->lacks_quantiles)
		return;
	limit(&value->p50, most->p50);
	limit(&value->p90, most->p90);
	limit(&value->p99, most->p99);
}

void rs_value_limit(struct rs_summary_value *value, const struct rs_summary_value *most,
	uint64_t *percentiles, size_t n_percentiles)
{
	bool has_both = value->has_distribution && most->has_distribution;
	bool is_of_same = has_both && value->counted == most->counted;
	if (most->has_total) {
		limit(&value->total, most->total);
		limit(&value->self_total, most->lacks_self ? value->total : most->self_total);
	}
	if (!has_both)
		return;
	limit(&value->max, most->max);
	if (is_of_same)
		limit_ranks(value, most);
	value->avg = fmin(value->avg, is_of_same ? most->avg : (double)value->max);
	/* values from min to max with that average deviate no more (Bhatia and Davis, 2000); as doubles
	 * these three are as much off as the last of their 53 bits */
	double slack = (double)value->max * 0x1p-52;
	value->stddev = fmin(value->stddev, sqrt(((double)value->max - value->avg + slack) *
						    (value->avg - (double)value->min + slack)));
	if (!value->percentiles)
		return;
	for (size_t i = 0; i < n_percentiles; i++) {
		percentiles[i] = value->percentiles[i];
		limit(&percentiles[i], is_of_same && most->percentiles && !most->lacks_quantiles
					       ? most->percentiles[i]
					       : value->max);
	}
	value->percentiles = percentiles;
}

void rs_value_drop_self(struct rs_summary_value *value)
{
	value->lacks_self = true;
	value->self_total = 0;
}

void rs_value_of_total(
	struct rs_summary_value *value, const struct rs_total *totals, size_t n, size_t place)
{
	struct rs_part parts[RS_MAX_CORE_PMUS];
	for (size_t i = 0; i < n; i++) {
		parts[i] = (struct rs_part){.enabled_ns = totals[i].enabled_ns};
		if (!totals[i].counted)
			continue;
		parts[i].total = totals[i].value;
		parts[i].running_ns = totals[i].running_ns;
	}
	set_totals(value, parts, n, place);
	rs_value_drop_self(value);
}

void rs_value_of_call(struct rs_summary_value *value, uint64_t number)
{
	*value = (struct rs_summary_value){.status = RS_VALUE_NOT_COUNTED};
	if (number == UINT64_MAX)
		return;
	*value = (struct rs_summary_value){.status = RS_VALUE_OK,
		.has_total = true,
		.lacks_self = true,
		.running = 1,
		.total = number};
}
