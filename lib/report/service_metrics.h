/* SPDX-License-Identifier: MIT */
/*
 * These functions make the metrics of a run for monitoring systems: counters of each region, and a
 * histogram of each event. prometheus.c and otlp.c write these metrics in two formats.
 */
#ifndef RS_REPORT_SERVICE_METRICS_H
#define RS_REPORT_SERVICE_METRICS_H

#include "stats/summary.h"

/* Greatest number of series. Each series is one sample in Prometheus' text format. */
#define RS_MOST_SERIES 20000u
/* Number of bounds of buckets. They are 1, 2, 3, then {1, 1.25, 1.5, 1.75} * 2^k from 4 on. */
#define RS_SERVICE_BOUNDS 251u

/* What a counter adds up: a member of the region, or the total or self value of its event. */
enum rs_service_count {
	RS_COUNT_CALLS,
	RS_COUNT_TOTAL,
	RS_COUNT_SELF,
	RS_COUNT_BYTES,
	RS_COUNT_FLOPS,
};

/* A counter that each region has. */
struct rs_service_counter {
	const char *name; /* name of the metric, such as "cpu_time" */
	const char *help;
	const char *unit; /* "s" (the count is in ns), "By", "{call}" or similar */
	enum rs_service_count of;
	enum rs_event_index event;
};
extern const struct rs_service_counter rs_service_counters[];
extern const size_t rs_service_n_counters;

/* A row is a region with its own series. The last row may be the sum of all remaining regions. */
struct rs_service_row {
	const char *name;
	size_t first, end; /* indexes in the summary */
};

/* The histogram of an event. All regions use the same bounds, so that a monitoring system can add
 * up rows. */
struct rs_service_event {
	size_t column;
	bool is_time; /* values are ns */
	size_t first, n; /* the bounds: rs_service_bound(first) and the n - 1 bounds after it */
};

struct rs_service {
	const struct rs_summary *summary;
	char program[256]; /* name of the program, without directories */
	const char *label; /* label of the run (--label); NULL: none */
	struct rs_service_row *rows;
	size_t n_rows;
	size_t n_other; /* how many regions the last row adds up; 0: each region has its own row */
	struct rs_service_event *events;
	size_t n_events;
};

/* Counts of a row's calls in the buckets of an event's histogram. */
struct rs_service_buckets {
	uint64_t counts[RS_SERVICE_BOUNDS +
			1]; /* not cumulative; the last element is the calls beyond all bounds */
	uint64_t n, sum;
};

/* Choose the rows and bounds for a summary. Arrays are in arena. */
struct rs_service rs_service_make(const struct rs_summary *summary, struct rs_arena *arena);

/* Return the bound with this index, from 0 to RS_SERVICE_BOUNDS - 1. */
uint64_t rs_service_bound(size_t number);

/* Set value to the sum of a counter over the regions of a row. Return false if the counter is
 * unknown for all of them. */
bool rs_service_count(const struct rs_service *service, const struct rs_service_counter *counter,
	const struct rs_service_row *row, uint64_t *value);

/* Fill buckets with the calls of a row. Return false if the event was not counted in any call. */
bool rs_service_fill(const struct rs_service *service, const struct rs_service_event *event,
	const struct rs_service_row *row, struct rs_service_buckets *buckets);

#endif
