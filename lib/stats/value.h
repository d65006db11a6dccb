/* SPDX-License-Identifier: MIT */
/*
 * One event of one region over some threads, from collecting on: in ns where it is a time, else as
 * counted. Values of several threads, processes and files add up, in any order, to the same.
 */
#ifndef RS_STATS_VALUE_H
#define RS_STATS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/arena.h"

enum rs_value_status {
	RS_VALUE_OK,
	RS_VALUE_SCALED, /* total and self are estimates: scaled by enabled / running, or of
			    calls of which some were measured */
	RS_VALUE_NOT_COUNTED, /* supported, but never on the PMU */
	RS_VALUE_NOT_SUPPORTED, /* this machine cannot count it */
	RS_VALUE_NOT_PERMITTED, /* it may not be counted: rights, a sysctl, or a filter */
	RS_VALUE_UNDEFINED, /* a metric alone: it divides by 0, or is beyond all numbers */
};

/* Whether there is no value since none could be counted, not because none happened to be. */
static inline bool rs_value_status_is_refusal(enum rs_value_status status)
{
	return status == RS_VALUE_NOT_SUPPORTED || status == RS_VALUE_NOT_PERMITTED;
}

/* The events that every region has; those of the plan follow. */
enum rs_event_index {
	RS_EVENT_TIME,
	RS_EVENT_CPU_TIME,
	RS_EVENT_BLOCKED, /* these two have a total, self and how many calls had any */
	RS_EVENT_PREEMPTED,
	RS_EVENT_FIRST,
};

/* Quantiles that every value has, in millionths. */
enum { RS_P50 = 500000, RS_P90 = 900000, RS_P99 = 990000 };

/* The calls with low <= value < high, by weight. Bounds lie on the grid of stats/buckets.h. */
struct rs_bucket {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

struct rs_histogram {
	struct rs_bucket *buckets; /* ascending, none empty */
	size_t n;
	bool incomplete; /* memory for some values was refused: quantiles are of what is there */
};

/*
 * The value of one thread slot holds what was counted. Its status is ok, or not-supported where the context
 * switches of some calls are unknown. rs_value_scale() makes it that of a row: total, self,
 * enabled_ns and running_ns become what they are estimates of.
 */
struct rs_value {
	enum rs_value_status status;
	uint64_t counted; /* calls that were counted whole */
	uint64_t weight; /* calls that they represent; 0: there are totals only */
	uint64_t sum; /* over counted calls, by weight */
	uint64_t min;
	uint64_t max;
	double square; /* sum of weight * (value - average)^2 */
	struct rs_histogram histogram;
	uint64_t total; /* of all calls, an estimate where some were skipped; recursion once */
	int64_t self; /* that without nested regions */
	bool lacks_self; /* it has no such part: of the run, and of calls outside the nesting */
	double variance; /* of that estimate of total; 0: it is exact, NAN: unknown */
	/* of the event's group during these calls; 0 for the events that every region has */
	uint64_t enabled_ns;
	uint64_t running_ns;
	/* of the slowest of the calls by time: what it had; UINT64_MAX: not counted, or none */
	uint64_t slowest;
	bool is_clamped; /* some calls had less than the markers' overhead */
	const struct rs_value *limit; /* of a row: of the same calls; a quantile is at most its */
};

/*
 * Add up n values of one event. Integers saturate, and the order does not matter to them; square
 * follows T. Chan, G. Golub, R. LeVeque, "Algorithms for Computing the Sample Variance" (1983),
 * formula 2.1, around the average of all.
 * into: filled; may be one of those added. Its histogram lies in arena, or is that of the only one
 * that has any. Which call is the slowest it cannot know: none is. False: no memory.
 */
bool rs_value_merge(struct rs_value *into, const struct rs_value *const *from, size_t n,
	struct rs_arena *arena);

/* In place of a part: all parts of an event together. */
#define RS_ALL_PARTS SIZE_MAX

/*
 * Make a merged value that of a row, where it needs a counter. Its event is one part, or has a
 * part for each type of core, which counts while a thread is on it. Where the parts' groups were
 * never off their PMUs while the thread was on cores of their type, the sum is exact. A part that
 * shared its PMU is scaled to the time that it was wanted and not there, too. That time is the
 * whole time less the running times of the other parts. value: total, self, status and times are
 * set; not-counted, and nothing else, where no part ran. parts[n]: merged; one whose running_ns is
 * 0 was not counted. place: RS_ALL_PARTS, or the place among them of the one whose value it is.
 */
void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place);

/*
 * Limit a value whose every call has at most what it has of another, such as a clock of the CPU
 * beside time. Both have errors, so the value may exceed the other; it becomes equal then. most:
 * of the same row; where the same calls were counted it must outlive value.
 */
void rs_value_limit(struct rs_value *value, const struct rs_value *most);

/* One number of one call, such as of the slowest, or of the whole run. UINT64_MAX: not counted. */
struct rs_value rs_value_of_call(uint64_t number);

/* Whether total and self exist; average, deviation, min and max; quantiles; an error of the total. */
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

/* Self value, 0 to total; 0 where there is none. */
uint64_t rs_value_self(const struct rs_value *value);

/* The average of the counted calls by their weights, and their standard deviation as a population; 0
 * when there are none. */
double rs_value_average(const struct rs_value *value);
double rs_value_deviation(const struct rs_value *value);

/* As rs_histogram_quantile() has it; 0 where there are none. */
uint64_t rs_value_quantile(const struct rs_value *value, uint32_t millionths);

/* Two standard errors of a total that sampling estimates; 0 where it has no error. */
double rs_value_error(const struct rs_value *value);

/* The share of its enabled time that it was counted, 0 to 1. */
double rs_value_running(const struct rs_value *value);

/* More than a sum can hold stays the most that it can. */
static inline void rs_add_saturating(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

#endif
