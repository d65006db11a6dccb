/* SPDX-License-Identifier: MIT */
/*
 * This file contains the table of statistics, and the functions that read a statistic from a value.
 * Some values lack a statistic, which is then absent. A value has a total if the event was counted
 * at any time. It has statistics of calls if the event was counted for the full length of a call.
 * It has percentiles if it has a histogram.
 */
#include "stats/statistic.h"

#include <math.h>

struct rs_field rs_field_of_integer(uint64_t integer)
{
	return (struct rs_field){.kind = RS_FIELD_INTEGER, .integer = integer};
}

struct rs_field rs_field_of_real(double real)
{
	enum rs_field_kind kind = isfinite(real) ? RS_FIELD_REAL : RS_FIELD_ABSENT;
	return (struct rs_field){.kind = kind, .real = real};
}

struct rs_field rs_field_of_text(const char *text)
{
	enum rs_field_kind kind = text ? RS_FIELD_TEXT : RS_FIELD_ABSENT;
	return (struct rs_field){.kind = kind, .text = text};
}

/* Define a function get_`name` that returns a statistic, or an absent field unless `condition`
 * holds. */
#define GETTER(name, type, number, condition)                                           \
	static struct rs_field get_##name(const struct rs_summary_region *region,       \
		const struct rs_value *value, uint32_t arg)                             \
	{                                                                               \
		(void)region, (void)value, (void)arg;                                   \
		return (condition) ? rs_field_of_##type(number) : (struct rs_field){0}; \
	}
GETTER(error, real, rs_value_error(value), rs_value_has_error(value))
GETTER(calls, integer, region->calls, region)
GETTER(counted, integer, value->counted, !rs_value_status_is_refusal(value->status))
GETTER(threads, integer, region->n_threads, region)
GETTER(total, integer, value->total, rs_value_has_total(value))
GETTER(self, integer, rs_value_self(value), rs_value_has_total(value) && !value->lacks_self)
GETTER(avg, real, rs_value_average(value), rs_value_has_distribution(value))
GETTER(min, integer, value->min, rs_value_has_distribution(value))
GETTER(quantile, integer, rs_value_quantile(value, arg), rs_value_has_quantiles(value))
GETTER(max, integer, value->max, rs_value_has_distribution(value))
GETTER(stddev, real, rs_value_deviation(value), rs_value_has_distribution(value))
GETTER(running, real, rs_value_running(value), rs_value_has_total(value))

#define BOTH (RS_IN_COLUMNS | RS_IN_SORT)

const struct rs_statistic rs_statistics[RS_STATISTIC_N] = {
	{"error", NULL, RS_STATISTIC_OF_CALLS, get_error, 0, RS_IN_COLUMNS, 5},
	{"calls", NULL, RS_STATISTIC_OF_REGION, get_calls, 0, BOTH, 20},
	{"counted", NULL, RS_STATISTIC_OF_ALL, get_counted, 0, 0, 0},
	{"threads", NULL, RS_STATISTIC_OF_REGION, get_threads, 0, 0, 0},
	{"total", NULL, RS_STATISTIC_OF_ALL, get_total, 0, BOTH, 50},
	{"self_total", "self", RS_STATISTIC_OF_ALL, get_self, 0, BOTH, 110},
	{"avg", NULL, RS_STATISTIC_OF_CALLS, get_avg, 0, BOTH, 1},
	{"min", NULL, RS_STATISTIC_OF_CALLS, get_min, 0, BOTH, 106},
	{"p50", NULL, RS_STATISTIC_OF_CALLS, get_quantile, RS_P50, BOTH, 105},
	{"p90", NULL, RS_STATISTIC_OF_CALLS, get_quantile, RS_P90, BOTH, 3},
	{"p99", NULL, RS_STATISTIC_OF_CALLS, get_quantile, RS_P99, BOTH, 100},
	{"max", NULL, RS_STATISTIC_OF_CALLS, get_max, 0, BOTH, 2},
	{"stddev", NULL, RS_STATISTIC_OF_CALLS, get_stddev, 0, BOTH, 107},
	{"running", NULL, RS_STATISTIC_OF_CALLS, get_running, 0, 0, 0},
	{"on-cpu", NULL, RS_STATISTIC_OF_REGION, NULL, 0, RS_IN_COLUMNS, 60},
};

const char *rs_statistic_title(const struct rs_statistic *statistic)
{
	return statistic->title ? statistic->title : statistic->word;
}

struct rs_statistic rs_statistic_of_percentile(const struct rs_percentile *percentile)
{
	return (struct rs_statistic){.word = percentile->word,
		.kind = RS_STATISTIC_OF_CALLS,
		.get = get_quantile,
		.arg = percentile->millionths,
		.drop = 3};
}

struct rs_field rs_statistic_of(const struct rs_statistic *statistic,
	const struct rs_summary_region *region, const struct rs_value *value)
{
	return statistic->get(region, value, statistic->arg);
}

/* ---- statuses ---- */

static const struct {
	const char *word;
	const char *words;
} texts[] = {
	[RS_VALUE_OK] = {"ok", "<not counted>"},
	[RS_VALUE_SCALED] = {"scaled", "<not counted>"},
	[RS_VALUE_NOT_COUNTED] = {"not-counted", "<not counted>"},
	[RS_VALUE_NOT_SUPPORTED] = {"not-supported", "<not supported>"},
	[RS_VALUE_NOT_PERMITTED] = {"not-permitted", "<not permitted>"},
	[RS_VALUE_UNDEFINED] = {"undefined", "<undefined>"},
};

const char *rs_status_word(enum rs_value_status status)
{
	return texts[status].word;
}

const char *rs_status_words(enum rs_value_status status)
{
	return texts[status].words;
}
