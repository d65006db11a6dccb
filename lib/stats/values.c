/*
 * The rules by which sums become values: an event that shared the PMU is scaled by enabled over
 * running time, one that never ran has no total, and the distribution is that of counted calls.
 */
#include "stats/values.h"

#include <math.h>

static uint64_t scale(rs_u128 number, rs_u128 enabled_ns, rs_u128 running_ns)
{
	return rs_wide_to_u64(rs_wide_scale(number, enabled_ns, running_ns));
}

static int64_t scale_signed(rs_i128 number, rs_u128 enabled_ns, rs_u128 running_ns)
{
	rs_u128 size = number < 0 ? -(rs_u128)number : (rs_u128)number;
	uint64_t scaled = scale(size, enabled_ns, running_ns);
	return rs_wide_to_i64(number < 0 ? -(rs_i128)scaled : (rs_i128)scaled);
}

/* Totals over measured calls, as totals over all calls. */
static void scale_sample(struct rs_value *value, const struct rs_merged_row *row)
{
	if (!value->has_total || row->calls == row->measured)
		return;
	value->has_total = row->measured > 0;
	if (!value->has_total) {
		value->status = RS_VALUE_NOT_COUNTED;
		return;
	}
	value->total = scale(value->total, row->calls, row->measured);
	value->self_total = scale_signed(value->self_total, row->calls, row->measured);
	if (value->status == RS_VALUE_OK)
		value->status = RS_VALUE_SCALED;
}

void rs_value_of_time(
	struct rs_value *value, const struct rs_merged_row *row, const struct rs_ticks *rate)
{
	const struct rs_merged_quantity *quantity = &row->quantities[0];
	const struct rs_moments_sum *sum = &quantity->moments;
	double tick_ns = rs_ticks_length_ns(rate);
	*value = (struct rs_value){.status = RS_VALUE_OK, .has_total = true, .running = 1};
	value->counted = sum->counted;
	value->total = rs_ticks_to_ns(rate, sum->total);
	value->self_total = rs_ticks_to_ns_signed(rate, sum->self);
	scale_sample(value, row);
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

static void set_distribution(struct rs_value *value, const struct rs_merged_quantity *quantity)
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
}

void rs_value_of_event(struct rs_value *value, const struct rs_merged_row *row, uint32_t index,
	uint32_t group_index, const struct rs_ticks *rate)
{
	const struct rs_merged_quantity *quantity = &row->quantities[index];
	const struct rs_merged_group *group = &row->groups[group_index];
	const struct rs_moments_sum *sum = &quantity->moments;
	rs_u128 stable_ns = rs_ticks_to_ns(rate, group->stable_ticks);
	rs_u128 enabled_ns = group->enabled_ns + stable_ns;
	rs_u128 running_ns = group->running_ns + stable_ns;
	*value = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	/* calls too short for the kernel's clock to move, but counted all the same */
	if (enabled_ns == 0 && group->counted > 0)
		enabled_ns = running_ns = 1;
	if (running_ns == 0)
		return;
	value->has_total = true;
	value->running = (double)((long double)running_ns / (long double)enabled_ns);
	value->total = scale(sum->total, enabled_ns, running_ns);
	value->self_total = scale_signed(sum->self, enabled_ns, running_ns);
	set_distribution(value, quantity);
	if (group->counted > 0)
		value->status = running_ns < enabled_ns ? RS_VALUE_SCALED : RS_VALUE_OK;
	scale_sample(value, row);
}

void rs_value_of_total(struct rs_value *value, const struct rs_total *total, bool supported)
{
	*value = (struct rs_value){
		.status = supported ? RS_VALUE_NOT_COUNTED : RS_VALUE_NOT_SUPPORTED};
	if (!supported || !total->counted || total->running_ns == 0)
		return;
	value->status = RS_VALUE_OK;
	value->has_total = true;
	value->running = 1;
	value->total = total->value;
	if (total->running_ns >= total->enabled_ns)
		return;
	value->status = RS_VALUE_SCALED;
	value->running = (double)total->running_ns / (double)total->enabled_ns;
	value->total = scale(total->value, total->enabled_ns, total->running_ns);
}

void rs_value_of_call(struct rs_value *value, uint64_t number)
{
	*value = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	if (number == UINT64_MAX)
		return;
	*value = (struct rs_value){
		.status = RS_VALUE_OK, .has_total = true, .running = 1, .total = number};
}
