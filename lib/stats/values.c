/* SPDX-License-Identifier: MIT */
/*
 * The rules by which sums become values: an event that shared the PMU is scaled by enabled over
 * running time, one that never ran has no total, and the distribution is that of counted calls.
 */
#include "stats/values.h"

#include <math.h>

#include "stats/parts_scale.h"

static rs_u128 not_below_0(rs_i128 number)
{
	return number > 0 ? (rs_u128)number : 0;
}

/* The total and the self total, which is a part of it. */
static void set_total(struct rs_summary_value *value, rs_u128 total, rs_i128 self)
{
	value->total = rs_wide_to_u64(total);
	value->self_total = rs_wide_to_u64(not_below_0(self));
	if (value->self_total > value->total)
		value->self_total = value->total;
}

/* Totals over the calls that the measured ones stand for, which are weights, as totals over calls. */
static void scale_calls(struct rs_summary_value *value, uint64_t calls, uint64_t weights)
{
	value->has_total = weights > 0;
	if (!value->has_total) {
		value->status = RS_VALUE_NOT_COUNTED;
		return;
	}
	set_total(value, rs_wide_scale(value->total, calls, weights),
		(rs_i128)rs_wide_to_u64(rs_wide_scale(value->self_total, calls, weights)));
	value->status = RS_VALUE_SCALED;
}

static bool is_sampled(const struct rs_merged_row *row)
{
	return row->calls != row->measured || row->calls != row->weights;
}

/* The same for a row, where its calls were sampled. */
static void scale_sample(struct rs_summary_value *value, const struct rs_merged_row *row)
{
	if (value->has_total && is_sampled(row))
		scale_calls(value, row->calls, row->weights);
}

/* Time, as a quantity has it. */
static void set_time(struct rs_summary_value *value, const struct rs_merged_quantity *quantity,
	const struct rs_ticks *rate)
{
	const struct rs_moments_sum *sum = &quantity->moments;
	double tick_ns = rs_ticks_length_ns(rate);
	value->has_distribution = sum->counted > 0;
	value->lacks_quantiles = quantity->n_histogram == 0;
	if (!value->has_distribution)
		return;
	value->stddev = rs_moments_sum_deviation(sum) * tick_ns;
	value->min = rs_ticks_to_ns(rate, sum->min);
	value->max = rs_ticks_to_ns(rate, sum->max);
	/* those are whole ns: an average of equal calls must not lie beside them */
	value->avg = rs_moments_sum_average(sum) * tick_ns;
	value->avg = fmin(fmax(value->avg, (double)value->min), (double)value->max);
	value->p50 = rs_ticks_to_ns(rate, quantity->p50);
	value->p90 = rs_ticks_to_ns(rate, quantity->p90);
	value->p99 = rs_ticks_to_ns(rate, quantity->p99);
}

/* All that there is of time, but for sampling. */
static void begin_time(struct rs_summary_value *value, const struct rs_merged_quantity *quantity,
	const struct rs_ticks *rate)
{
	const struct rs_moments_sum *sum = &quantity->moments;
	*value = (struct rs_summary_value){.status = RS_VALUE_OK, .has_total = true, .running = 1};
	value->counted = sum->counted;
	set_total(value, rs_ticks_to_ns(rate, not_below_0(sum->total)),
		rs_ticks_to_ns(rate, not_below_0(sum->self)));
}

/* All off-CPU time of a row, in ns. */
static uint64_t off_ns(const struct rs_merged_row *row, bool self, const struct rs_ticks *rate)
{
	rs_u128 ticks = 0;
	for (int k = 0; k < RS_OFF_N; k++)
		ticks += self ? row->off[k].self : row->off[k].total;
	return rs_ticks_to_ns(rate, ticks);
}

/* Time of sampled calls: their on-CPU time, which is an estimate, and all of their off-CPU time. */
static void add_off(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_ticks *rate)
{
	struct rs_summary_value cpu_time;
	rs_value_of_cpu_time(&cpu_time, row, rate);
	if (cpu_time.has_total)
		set_total(value, (rs_u128)cpu_time.total + off_ns(row, false, rate),
			(rs_i128)cpu_time.self_total + off_ns(row, true, rate));
}

void rs_value_of_time(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_ticks *rate)
{
	begin_time(value, &row->quantities[0], rate);
	scale_sample(value, row);
	if (row->is_watched && is_sampled(row) && value->has_total)
		add_off(value, row, rate);
	set_time(value, &row->quantities[0], rate);
}

void rs_value_of_cpu_time(struct rs_summary_value *value, const struct rs_merged_row *row,
	const struct rs_ticks *rate)
{
	*value = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	if (!row->is_watched)
		return;
	begin_time(value, &row->cpu_time, rate);
	scale_sample(value, row);
	set_time(value, &row->cpu_time, rate);
}

void rs_value_of_off(struct rs_summary_value *value, const struct rs_merged_row *row,
	enum rs_off_kind kind, const struct rs_ticks *rate)
{
	const struct rs_merged_off *off = &row->off[kind];
	*value = (struct rs_summary_value){.status = RS_VALUE_NOT_SUPPORTED};
	if (!row->is_watched)
		return;
	*value = (struct rs_summary_value){.status = RS_VALUE_OK, .has_total = true, .running = 1};
	value->counted = off->calls;
	set_total(
		value, rs_ticks_to_ns(rate, off->total), (rs_i128)rs_ticks_to_ns(rate, off->self));
}

static void set_distribution(
	struct rs_summary_value *value, const struct rs_merged_quantity *quantity)
{
	const struct rs_moments_sum *sum = &quantity->moments;
	value->counted = sum->counted;
	value->has_distribution = sum->counted > 0;
	value->lacks_quantiles = quantity->n_histogram == 0;
	if (!value->has_distribution)
		return;
	value->avg = rs_moments_sum_average(sum);
	value->stddev = rs_moments_sum_deviation(sum);
	value->min = sum->min;
	value->max = sum->max;
	value->p50 = quantity->p50;
	value->p90 = quantity->p90;
	value->p99 = quantity->p99;
	value->percentiles = quantity->percentiles;
}

/* How long calls of threads without the group would have been enabled, in task time: of calls whose
 * task time is known, that part of what the clock said. */
static rs_u128 missed_ns(
	const struct rs_value_source *source, const struct rs_merged_group *group, rs_u128 known_ns)
{
	rs_u128 known_ticks = group->told_ticks + group->stable_ticks;
	if (known_ticks == 0)
		return rs_ticks_to_ns(source->rate, group->missed_ticks);
	return rs_wide_scale(group->missed_ticks, known_ns, known_ticks);
}

/* What a row holds of one event. */
static struct rs_part part_of_row(const struct rs_value_source *source, uint32_t index)
{
	const struct rs_moments_sum *sum = &source->row->quantities[index].moments;
	uint32_t number = source->collection->quantity_group[index];
	const struct rs_merged_group *group = &source->row->groups[number];
	rs_u128 stable_ns = rs_ticks_to_ns(source->rate, group->stable_ticks);
	rs_u128 known_ns = group->enabled_ns + stable_ns;
	struct rs_part part = {not_below_0(sum->total), sum->self,
		known_ns + missed_ns(source, group, known_ns), group->running_ns + stable_ns};
	/* calls too short for the kernel's clock to move, but counted all the same */
	if (part.enabled_ns == 0 && group->counted > 0)
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

void rs_value_of_event(struct rs_summary_value *value, const struct rs_value_source *source,
	const struct rs_merged_quantity *quantity, const uint32_t *indexes, size_t n, size_t place)
{
	struct rs_part parts[RS_MAX_CORE_PMUS];
	for (size_t i = 0; i < n; i++)
		parts[i] = part_of_row(source, indexes[i]);
	if (!set_totals(value, parts, n, place))
		return;
	set_distribution(value, quantity);
	scale_sample(value, source->row);
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
	/* values from min to max with that average deviate no more (Bhatia and Davis, 2000) */
	value->stddev = fmin(value->stddev,
		sqrt(((double)value->max - value->avg) * (value->avg - (double)value->min)));
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
