/* SPDX-License-Identifier: MIT */
/*
 * All data of one measured run: its resources and its latest results.
 */
#ifndef RS_ONE_RUN_H
#define RS_ONE_RUN_H

#include <limits.h>

#include "check_plan.h"
#include "intervals.h"
#include "launch/launch.h"
#include "launch/slow_log.h"
#include "live/watch.h"
#include "markers.h"
#include "metrics.h"
#include "options.h"
#include "periods.h"
#include "plan/plan.h"
#include "reports.h"
#include "segment/segment.h"
#include "snapshot.h"
#include "trace.h"

/* All resources of a run, released in reverse order. The struct is on the heap, because a stack may
 * be as small as 64 KiB (ulimit -s). */
struct rs_one_run {
	const struct rs_options *options;
	struct rs_attach *attach; /* the running program to measure; NULL: start COMMAND */
	struct rs_wanted_metrics metrics; /* the metrics of the plan */
	struct rs_plan plan;
	struct rs_watch watch; /* owns the plan of a run whose launcher has ended */
	struct rs_command_markers markers;
	struct rs_reports reports;
	struct rs_segment segment;
	struct rs_command_slow slow;
	struct rs_slow_log slow_log;
	struct rs_slow_counts slow_counts;
	uint32_t n_segment_events;
	uint32_t n_segment_groups;
	int64_t started_s;
	struct rs_command_intervals intervals;
	struct rs_command_periods periods;
	struct rs_command_trace trace;
	struct rs_snapshot *latest; /* latest snapshot of the running program; NULL: none; owned */
	struct rs_snapshot end; /* snapshot of the finished run */
	struct rs_segment_event segment_events[RS_MAX_EVENTS];
	char runtime_path[PATH_MAX];
	bool is_silent; /* print no warnings, because the previous run has printed them */
	struct rs_err err;
};

#endif
