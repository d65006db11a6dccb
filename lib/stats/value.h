/* SPDX-License-Identifier: MIT */
/*
 * The value of one event in one region over some threads. It is in ns for a time, otherwise it is a
 * count. The weight of a measured call is the number of calls that it represents; it exceeds 1 only
 * if sampling skipped calls. Values of several threads, processes and files can be added in any
 * order.
 */
#ifndef RS_STATS_VALUE_H
#define RS_STATS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum rs_value_status {
	RS_VALUE_OK,
	/* `total` and `self` are estimates. They are scaled by enabled / running time, or computed
	 * from the calls that sampling measured. */
	RS_VALUE_SCALED,
	RS_VALUE_NOT_COUNTED, /* supported, but never on the PMU */
	RS_VALUE_NOT_SUPPORTED, /* this machine cannot count it */
	/* the kernel does not allow it, because of missing rights, a sysctl or a system call
	 * filter */
	RS_VALUE_NOT_PERMITTED,
	RS_VALUE_UNDEFINED, /* for a metric: its formula divides by 0 or has no finite result */
};

/* Return true if the event could not be counted at all: it is not supported or not permitted. */
static inline bool rs_value_status_is_refusal(enum rs_value_status status)
{
	return status == RS_VALUE_NOT_SUPPORTED || status == RS_VALUE_NOT_PERMITTED;
}

/* Indexes of the events that every region has. The events of the plan have the indexes from
 * RS_EVENT_FIRST on. */
enum rs_event_index {
	RS_EVENT_TIME,
	RS_EVENT_CPU_TIME,
	/* RS_EVENT_BLOCKED and RS_EVENT_PREEMPTED have no distribution. Only `status`, `total`,
	 * `self` and `counted` are set; `counted` is the number of calls that were blocked or
	 * preempted. */
	RS_EVENT_BLOCKED,
	RS_EVENT_PREEMPTED,
	RS_EVENT_FIRST,
};

/* Percentiles that every value has, in millionths. */
enum { RS_P50 = 500000, RS_P90 = 900000, RS_P99 = 990000 };

/* One bucket of a histogram: `count` is the sum of the weights of all calls with low <= value <
 * high. low and high are bounds of a bucket in segment/buckets.h. */
struct rs_bucket {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

/* Return the middle of a bucket, rounded down. */
static inline uint64_t rs_bucket_middle(const struct rs_bucket *bucket)
{
	return bucket->low + (bucket->high - bucket->low - 1) / 2;
}

/* Return the middle of a bucket, which may be between two integers. */
static inline double rs_bucket_center(const struct rs_bucket *bucket)
{
	return ((double)bucket->low + (double)bucket->high - 1) / 2;
}

struct rs_histogram {
	struct rs_bucket *buckets; /* in ascending order, without empty buckets */
	size_t n;
	/* Some calls are missing, since the runtime could not get memory for them. Percentiles are
	 * those of the other calls. */
	bool incomplete;
};

/*
 * The value of an event. In a result of one thread slot it contains the counts before scaling. Its
 * status is then ok, or not-supported if the context switches of some calls are unknown.
 * rs_value_scale() scales it for a row of a report; `total`, `self`, enabled_ns and running_ns are
 * then estimates.
 */
struct rs_value {
	enum rs_value_status status;
	/* number of counted calls: calls in which the event was counted from begin to end */
	uint64_t counted;
	/* sum of the weights of the counted calls; 0: only `total` and `self` are known */
	uint64_t weight;
	uint64_t sum; /* sum over counted calls, each value times the weight of its call */
	uint64_t min;
	uint64_t max;
	double square; /* sum of weight * (value - average)^2 */
	/* Set in a row only: the number of all calls, if the average is total / calls; 0: the
	 * average is sum / weight. */
	uint64_t calls;
	struct rs_histogram histogram;
	/* Sum over all calls; an estimate if sampling skipped some of them. A call nested in a call
	 * of the same region is not added again. */
	uint64_t total;
	int64_t self; /* `total` minus the totals of nested regions */
	/* the value has no self part: it belongs to the whole run, or to asynchronous calls */
	bool lacks_self;
	double variance; /* variance of the estimate `total`; 0: `total` is exact, NAN: unknown */
	/* Standard error of the time in markers that was subtracted from a sampled time. It is no
	 * part of `variance`, because it is alike for all calls. */
	double marker_error;
	/* Set in a row only: the sum of the squared standard errors of the totals of nested
	 * regions, which `self` does not contain. A region with several parents counts fully in
	 * each one. */
	double inner_variance;
	/* how long the event's group was enabled and running during these calls; 0 for events that
	 * every region has */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* value of the slowest call; UINT64_MAX: it was not counted, or there is no slowest call */
	uint64_t slowest;
	bool is_clamped; /* some calls were shorter than the overhead of markers */
	/* Set in a row only: another value of the same calls, whose percentiles limit the
	 * percentiles of this one (see rs_value_limit()); NULL: none. */
	const struct rs_value *limit;
};

/*
 * Add up n values of one event and fill `into`, which may be one of them. Integers stay at their
 * maximum if they overflow; they do not depend on the order of addition. `square` is computed as in
 * T. Chan, G. Golub, R. LeVeque, "Algorithms for Computing the Sample Variance" (1983), formula
 * 2.1, around the average of all values.
 *
 * The histogram of `into` is in arena, or is borrowed if only one of the values has buckets. Set
 * `slowest` of `into` to UINT64_MAX, since values do not say which call was the slowest.
 */
void rs_value_merge(struct rs_value *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena);

/* The index that means the sum of all parts of an event. */
#define RS_ALL_PARTS SIZE_MAX

/*
 * Scale a merged value of an event that needs a counter, for a row of a report. The event has one
 * part, or one part for each type of core. A part counts while a thread runs on a core of its type.
 * If the groups of all parts were always on their PMUs, the sum of the parts is exact. Otherwise
 * scale each part that shared its PMU to the time that it should have run: the enabled time minus
 * the running times of the other parts.
 *
 * Set `total`, `self`, `status`, enabled_ns and running_ns of `value`. If the part was never on its
 * PMU (for the sum: none of the parts), clear `value` and set its status to not-counted. parts[n]:
 * the merged values of the parts; a part with running_ns 0 was not counted, unless enabled_ns is 0
 * too and it counted calls. place: the index of the part to which `value` belongs; RS_ALL_PARTS:
 * `value` is the sum.
 */
void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place);

/*
 * Limit `value` to `most`, a value of the same row. In reality, `value` cannot exceed `most`. For
 * example, the CPU clock of a call is at most the call's time, but measurement errors can make it
 * larger. If both values have the same counted calls, `value` keeps a pointer to `most`, which must
 * outlive `value`.
 */
void rs_value_limit(struct rs_value *value, const struct rs_value *most);

/* Return a value with the given total and no distribution, for the slowest call or the whole run.
 * If number is UINT64_MAX, the status of the value is not-counted. */
struct rs_value rs_value_of_call(uint64_t number);

/* The next four functions return true if a value has a certain statistic. In their order: total and
 * self part; average, deviation, min and max; percentiles; error of the total. */
static inline bool rs_value_has_total(const struct rs_value *value)
{
	return value->status == RS_VALUE_OK || value->status == RS_VALUE_SCALED;
}

static inline bool rs_value_has_distribution(const struct rs_value *value)
{
	return value->weight > 0;
}

static inline bool rs_value_has_quantiles(const struct rs_value *value)
{
	return value->weight > 0 && value->histogram.n > 0;
}

bool rs_value_has_error(const struct rs_value *value);

/* Return `self`, limited to the range from 0 to `total`, or 0 if the value has no self part. */
uint64_t rs_value_self(const struct rs_value *value);

/* Return the weighted average of the counted calls, or the population standard deviation around it.
 * Return 0 if there are no counted calls. */
double rs_value_average(const struct rs_value *value);
double rs_value_deviation(const struct rs_value *value);

/* Return a percentile of the counted calls (see rs_histogram_quantile()), or 0 if there is no
 * histogram. */
uint64_t rs_value_quantile(const struct rs_value *value, uint32_t millionths);

/* Return twice the standard error of a total that sampling estimated, or 0 if no error is known. */
double rs_value_error(const struct rs_value *value);

/* Return twice the standard error of `self`, or 0 if no error is known. */
double rs_value_self_error(const struct rs_value *value);

/* Return the share of the enabled time during which the event was counted, 0 to 1. */
double rs_value_running(const struct rs_value *value);

/* Compare two numbers for qsort(). */
static inline int rs_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Add value to a sum that stays at UINT64_MAX if it overflows. */
static inline void rs_add_saturating(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static inline uint64_t rs_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Subtract a part from a number, which becomes 0 if the part is larger. */
static inline void rs_subtract(uint64_t *from, uint64_t part)
{
	*from -= rs_min(part, *from);
}

#endif
