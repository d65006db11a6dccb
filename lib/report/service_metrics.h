/* SPDX-License-Identifier: MIT */
/*
 * A run as metrics of a service: counters of each region, and a histogram of each event. Prometheus
 * and OTLP are two ways to write them.
 */
#ifndef RS_REPORT_SERVICE_METRICS_H
#define RS_REPORT_SERVICE_METRICS_H

#include "stats/summary.h"

/* A series is one sample of the text format. */
#define RS_MOST_SERIES 20000u
/* Bounds of buckets: 1, 2, 3, and {1, 1.25, 1.5, 1.75} * 2^k from 4 on. */
#define RS_SERVICE_BOUNDS 251u

/* A counter that each region has. */
struct rs_service_counter {
	const char *name; /* name of the metric, such as "cpu_time" */
	const char *help;
	const char *unit; /* "s" if values are ns, "By", or "{call}" and the like */
	/* Return false if the value is unknown. */
	bool (*get)(const struct rs_summary_region *region, uint64_t *value);
};
extern const struct rs_service_counter rs_service_counters[];
extern const size_t rs_service_n_counters;

/* Regions that have series of their own, one each. The last row may be the sum of the rest. */
struct rs_service_row {
	const char *name;
	size_t first, end; /* indexes in the summary */
};

/* The histogram of an event. All regions have the same bounds, so that rows add up. */
struct rs_service_event {
	size_t column;
	bool is_time; /* values are ns */
	size_t first, n; /* the histogram's bounds, as arguments of rs_service_bound() */
};

struct rs_service {
	const struct rs_summary *summary;
	char program[256]; /* name of the program, without directories */
	const char *label; /* label of the run (--label); NULL: none */
	struct rs_service_row *rows;
	size_t n_rows;
	size_t n_other; /* regions in the last row; 0: each region has a row */
	struct rs_service_event *events;
	size_t n_events;
	struct rs_arena arena; /* owns the arrays */
};

/* Calls of a row up to each bound of an event, and beyond. */
struct rs_service_buckets {
	uint64_t counts[RS_SERVICE_BOUNDS +
			1]; /* not cumulative; the last one is beyond all bounds */
	uint64_t n, sum;
};

/* Choose rows and bounds. Release service with rs_service_finish(). Return false if memory runs out. */
bool rs_service_init(struct rs_service *service, const struct rs_summary *summary);
void rs_service_finish(struct rs_service *service);

/* Return the bound with a number from 0 to RS_SERVICE_BOUNDS - 1. */
uint64_t rs_service_bound(size_t number);

/* Add up a counter over the regions of a row. Return false if it is unknown for all of them. */
bool rs_service_count(const struct rs_service *service, const struct rs_service_counter *counter,
	const struct rs_service_row *row, uint64_t *value);

/* Add up the calls of a row. Return false if the event was not counted in any. */
bool rs_service_fill(const struct rs_service *service, const struct rs_service_event *event,
	const struct rs_service_row *row, struct rs_service_buckets *buckets);

#endif
