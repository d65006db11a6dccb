/* SPDX-License-Identifier: MIT */
/*
 * The value of one event in one region over some threads: in ns if it is a time, otherwise as
 * counted. Values of threads, processes and files can be added in any order.
 */
#ifndef RS_STATS_VALUE_H
#define RS_STATS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/arena.h"

enum rs_value_status {
	RS_VALUE_OK,
	/* total and self are estimates: scaled by enabled / running, or from the calls that
	 * sampling measured */
	RS_VALUE_SCALED,
	RS_VALUE_NOT_COUNTED, /* supported, but never on the PMU */
	RS_VALUE_NOT_SUPPORTED, /* this machine cannot count it */
	RS_VALUE_NOT_PERMITTED, /* not allowed: rights, a sysctl, or a filter */
	RS_VALUE_UNDEFINED, /* a metric had a division by 0, or no finite result */
};

/* Return true if the event could not be counted at all. Otherwise a missing value only says that
 * none was counted. */
static inline bool rs_value_status_is_refusal(enum rs_value_status status)
{
	return status == RS_VALUE_NOT_SUPPORTED || status == RS_VALUE_NOT_PERMITTED;
}

/* Events that every region has; those of the plan follow. */
enum rs_event_index {
	RS_EVENT_TIME,
	RS_EVENT_CPU_TIME,
	/* RS_EVENT_BLOCKED and RS_EVENT_PREEMPTED have only total, self and the number of calls
	 * with any such time */
	RS_EVENT_BLOCKED,
	RS_EVENT_PREEMPTED,
	RS_EVENT_FIRST,
};

/* Percentiles that every value has, in millionths. */
enum { RS_P50 = 500000, RS_P90 = 900000, RS_P99 = 990000 };

/* Calls with low <= value < high, by weight. Bounds lie on the grid of segment/buckets.h. */
struct rs_bucket {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

struct rs_histogram {
	struct rs_bucket *buckets; /* ascending, without empty ones */
	size_t n;
	bool incomplete; /* memory for some values was refused, so percentiles are of the others */
};

/*
 * The value of an event. In a result of one thread slot it is what was counted. Its status is then
 * ok, or not-supported if the context switches of some calls are unknown. rs_value_scale() turns it
 * into the value of a row, whose total, self, enabled_ns and running_ns are estimates.
 */
struct rs_value {
	enum rs_value_status status;
	uint64_t counted; /* calls for whose full length the event was counted */
	uint64_t weight; /* calls that these represent; 0: there are only totals */
	uint64_t sum; /* over counted calls, by weight */
	uint64_t min;
	uint64_t max;
	double square; /* sum of weight * (value - average)^2 */
	struct rs_histogram histogram;
	/* Sum over all calls; an estimate if some were skipped. Nested calls of the same region
	 * count once. */
	uint64_t total;
	int64_t self; /* total without nested regions */
	/* the value has no self part, as for the run and for calls that do not nest */
	bool lacks_self;
	double variance; /* variance of total as an estimate; 0: exact, NAN: unknown */
	/* times of the event's group during these calls; 0 for events that every region has */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* value of the call that took the longest time; UINT64_MAX: not counted, or no such call */
	uint64_t slowest;
	bool is_clamped; /* some calls were shorter than the overhead of markers */
	/* In a row: the value that limits the percentiles of this one, because it is of the same
	 * calls. */
	const struct rs_value *limit;
};

/*
 * Add up n values of one event and fill into, which may be one of them. Integers saturate, and do
 * not depend on the order. square follows T. Chan, G. Golub, R. LeVeque, "Algorithms for Computing
 * the Sample Variance" (1983), formula 2.1, around the average of all.
 *
 * The histogram of into lies in arena, or is that of the only value with buckets. The slowest call
 * is not known, so into has none.
 */
void rs_value_merge(struct rs_value *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena);

/* The index that means all parts of an event together. */
#define RS_ALL_PARTS SIZE_MAX

/*
 * Turn a merged value into that of a row, for an event that needs a counter. The event has one
 * part, or a part for each type of core, which counts while a thread is on such a core. If the
 * groups of all parts were always on their PMUs, the sum is exact. Otherwise a part that shared its
 * PMU is scaled for the time during which it was off the PMU. That time is the whole time less the
 * running times of the other parts.
 *
 * Set total, self, status and times of value, or only the status not-counted if no part ran.
 * parts[n] are merged; a part with running_ns 0 was not counted. place: RS_ALL_PARTS, or the index
 * of the part whose value this is.
 */
void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place);

/*
 * Limit a value by another one that each call can reach at most. For example, a CPU clock is at
 * most the time. Both have measurement errors, so the value may exceed the limit, and then becomes
 * equal. most: the limit, in the same row. If the same calls were counted, it must outlive value.
 */
void rs_value_limit(struct rs_value *value, const struct rs_value *most);

/* Return a value that is one number, such as that of the slowest call or of the whole run.
 * UINT64_MAX: not counted. */
struct rs_value rs_value_of_call(uint64_t number);

/* Return true if a value has total and self; average, deviation, min and max; percentiles; or an
 * error of the total. */
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

/* Return the self value, between 0 and total, or 0 if there is none. */
uint64_t rs_value_self(const struct rs_value *value);

/* Return the weighted average of the counted calls, and their standard deviation as a population.
 * Return 0 if there are none. */
double rs_value_average(const struct rs_value *value);
double rs_value_deviation(const struct rs_value *value);

/* Return a percentile as rs_histogram_quantile() does, or 0 if there is none. */
uint64_t rs_value_quantile(const struct rs_value *value, uint32_t millionths);

/* Return two standard errors of a total that sampling estimated, or 0 if no error is known. */
double rs_value_error(const struct rs_value *value);

/* Return the share of the enabled time during which the event was counted, 0 to 1. */
double rs_value_running(const struct rs_value *value);

/* Add value to a sum that stays at UINT64_MAX if it overflows. */
static inline void rs_add_saturating(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

#endif
