/* SPDX-License-Identifier: MIT */
/*
 * The table of statistics. In goes a value; out comes a number, where it exists: totals need that
 * the event was counted at all, what is of one call a call that was counted whole, percentiles a
 * histogram.
 */
#include "report/statistic.h"

#include <math.h>

struct rs_number rs_number_of_integer(uint64_t value)
{
	return (struct rs_number){.kind = RS_NUMBER_INTEGER, .integer = value};
}

struct rs_number rs_number_of_real(double value)
{
	enum rs_number_kind kind = isfinite(value) ? RS_NUMBER_REAL : RS_NUMBER_NONE;
	return (struct rs_number){.kind = kind, .real = value};
}

const char rs_cpu_time_word[] = "cpu-time";
const char *const rs_off_words[RS_OFF_N] = {
	[RS_OFF_BLOCKED] = "blocked", [RS_OFF_PREEMPTED] = "preempted"};

static const struct rs_number none;

static struct rs_number get_counted(const struct rs_value *value)
{
	return rs_value_status_is_refusal(value->status) ? none
							 : rs_number_of_integer(value->counted);
}

/* A statistic where a condition on the value holds. */
#define GETTER(name, kind, number, condition)                            \
	static struct rs_number get_##name(const struct rs_value *value) \
	{                                                                \
		return condition ? rs_number_of_##kind(number) : none;   \
	}
GETTER(total, integer, value->total, rs_value_has_total(value))
GETTER(error, real, rs_value_error(value), rs_value_has_error(value))
GETTER(self_total, integer, rs_value_self(value), rs_value_has_total(value) && !value->lacks_self)
GETTER(avg, real, rs_value_average(value), rs_value_has_distribution(value))
GETTER(min, integer, value->min, rs_value_has_distribution(value))
GETTER(p50, integer, rs_value_quantile(value, RS_P50), rs_value_has_quantiles(value))
GETTER(p90, integer, rs_value_quantile(value, RS_P90), rs_value_has_quantiles(value))
GETTER(p99, integer, rs_value_quantile(value, RS_P99), rs_value_has_quantiles(value))
GETTER(max, integer, value->max, rs_value_has_distribution(value))
GETTER(stddev, real, rs_value_deviation(value), rs_value_has_distribution(value))
GETTER(running, real, rs_value_running(value), rs_value_has_total(value))

const struct rs_statistic rs_statistics[RS_STATISTIC_N] = {
	[RS_STATISTIC_COUNTED] = {"counted", RS_STATISTIC_OF_ALL, RS_UNIT_CALLS, get_counted},
	[RS_STATISTIC_TOTAL] = {"total", RS_STATISTIC_OF_ALL, RS_UNIT_OF_EVENT, get_total},
	[RS_STATISTIC_ERROR] = {"error", RS_STATISTIC_MEAN, RS_UNIT_OF_EVENT, get_error},
	[RS_STATISTIC_SELF_TOTAL] = {"self_total", RS_STATISTIC_OF_ALL, RS_UNIT_OF_EVENT,
		get_self_total},
	[RS_STATISTIC_AVG] = {"avg", RS_STATISTIC_MEAN, RS_UNIT_OF_EVENT, get_avg},
	[RS_STATISTIC_MIN] = {"min", RS_STATISTIC_OF_ONE, RS_UNIT_OF_EVENT, get_min},
	[RS_STATISTIC_P50] = {"p50", RS_STATISTIC_OF_ONE, RS_UNIT_OF_EVENT, get_p50},
	[RS_STATISTIC_P90] = {"p90", RS_STATISTIC_OF_ONE, RS_UNIT_OF_EVENT, get_p90},
	[RS_STATISTIC_P99] = {"p99", RS_STATISTIC_OF_ONE, RS_UNIT_OF_EVENT, get_p99},
	[RS_STATISTIC_MAX] = {"max", RS_STATISTIC_OF_ONE, RS_UNIT_OF_EVENT, get_max},
	[RS_STATISTIC_STDDEV] = {"stddev", RS_STATISTIC_MEAN, RS_UNIT_OF_EVENT, get_stddev},
	[RS_STATISTIC_RUNNING] = {"running", RS_STATISTIC_SHARE, RS_UNIT_NONE, get_running},
};

struct rs_number rs_statistic_of(const struct rs_value *value, enum rs_statistic_index index)
{
	return rs_statistics[index].get(value);
}

struct rs_number rs_statistic_percentile(const struct rs_value *value, uint32_t millionths)
{
	return rs_value_has_quantiles(value)
		       ? rs_number_of_integer(rs_value_quantile(value, millionths))
		       : none;
}
