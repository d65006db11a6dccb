/* SPDX-License-Identifier: MIT */
/*
 * These functions make the counter tracks of a trace. For each region and interval the tracks show
 * how many calls ended, their total time, and the median and 99th percentile of a call's time. The
 * sums over all intervals equal the report.
 */
#ifndef RS_TRACE_COUNTERS_H
#define RS_TRACE_COUNTERS_H

#include "stats/interval.h"
#include "trace/perfetto.h"

enum rs_trace_counter {
	RS_COUNTER_CALLS,
	RS_COUNTER_TIME,
	RS_COUNTER_P50,
	RS_COUNTER_P99,
	RS_COUNTER_N,
};

/* The counters of one region in one interval. */
struct rs_trace_point {
	uint64_t begin_ns; /* in ns after the start of the program, like end_ns */
	uint64_t end_ns;
	uint32_t region;
	uint32_t interval; /* index of the interval, from 0 */
	/* Values can be negative (two's complement), because the last interval can correct earlier
	 * intervals to smaller values. */
	uint64_t values[RS_COUNTER_N];
};

struct rs_trace_counters {
	struct rs_trace_point *points; /* in the order of time; owned */
	size_t n;
	size_t room;
	uint32_t n_intervals;
};

/* Add the regions of the next interval. Return false if memory runs out. */
bool rs_trace_counters_add(struct rs_trace_counters *counters, const struct rs_interval *interval);

/* Merge neighbouring intervals in pairs. A percentile of the merged interval is between the
 * percentiles of the two intervals, so use that of the interval with more calls. */
void rs_trace_counters_double(struct rs_trace_counters *counters);

/* Write the counter tracks of all regions. */
void rs_trace_counters_write(const struct rs_trace_counters *counters, const struct rs_run *run,
	struct rs_perfetto *trace);

void rs_trace_counters_finish(struct rs_trace_counters *counters);

#endif
