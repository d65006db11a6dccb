/* SPDX-License-Identifier: MIT */
/*
 * This header declares all data of one measured run: its resources and its latest results.
 * measure.c makes the run, and calls the functions of the run's parts.
 */
#ifndef RS_ONE_RUN_H
#define RS_ONE_RUN_H

#include <limits.h>
#include <stdio.h>
#include <termios.h>

#include "base/write.h"
#include "check_plan.h"
#include "launch/launch.h"
#include "launch/markers.h"
#include "launch/slow_log.h"
#include "live/watch.h"
#include "metrics.h"
#include "options.h"
#include "output.h"
#include "plan/plan.h"
#include "report/rows.h"
#include "reports.h"
#include "segment/segment.h"
#include "stats/interval.h"
#include "stats/run.h"
#include "stats/summary.h"
#include "trace/timeline.h"

struct rs_one_run;

/* The adapters of other marker APIs for a run. */
struct rs_command_markers {
	struct rs_markers markers;
	struct rs_run_marker descriptions
		[RS_ADAPTER_N]; /* for the run; `markers` owns the texts of the descriptions */
};

/* The view of --live shows the run on the screen. It runs in a separate process, so that the
 * measurement continues if the view crashes. */
struct rs_command_view {
	int process; /* pidfd of the view; -1: none */
	int terminal; /* the view's terminal; -1: none */
	struct termios modes; /* modes of the terminal before the view began */
	/* copies of the standard streams that were the terminal; -1: not redirected */
	int terminals[3];
	FILE *output; /* temporary file with the program's output */
};

/* The state of periods. A run with %t in the name of a report has a report for each period. A
 * zeroed struct is in the first period. Its memory does not grow with time. */
struct rs_command_periods {
	int64_t begin_ms; /* start of the period in ms after 1970; 0: start of the run */
	/* snapshot at the end of the previous period, which may also be run->latest; NULL: none;
	 * owned */
	struct rs_snapshot *begin;
};

/* The state of -I, whose rows show the calls that ended in each interval of the run. */
struct rs_command_intervals {
	struct rs_one_run *run; /* belongs to the caller */
	int fd; /* -1: there are no intervals, or writing failed */
	bool is_complete; /* --interval-count has been reached */
	int64_t next_ns; /* end of the interval, in CLOCK_MONOTONIC; ticks before it do nothing */
	struct rs_background background; /* writes the rows */
	rs_write_report *write;
	uint32_t n_written;
	struct rs_intervals sum; /* sum of all intervals so far */
};

/* The state of --trace. */
struct rs_command_trace {
	struct rs_one_run *run; /* belongs to the caller */
	struct rs_timeline *timeline; /* NULL: --trace was not given */
	struct rs_output output;
	bool is_written;
	/* Sum of the intervals that the counters contain so far. */
	struct rs_intervals sum;
	uint64_t interval_ns;
	/* end of the next interval; this and the next two times are in CLOCK_MONOTONIC */
	uint64_t next_ns;
	uint64_t rules_ns; /* the rules that select calls do not change before this time */
	uint64_t busy_ns; /* ticks are frequent until this time */
	/* points to the time between two ticks in ms, which rs_command_trace_tick() changes */
	uint32_t *tick_ms;
	/* if the trace has this many points or more, intervals are merged in pairs */
	size_t most_points;
};

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

/* ---- markers of other APIs (markers.c) ---- */

/* Choose the adapters for the program in options->words. Fill markers; the caller releases
 * markers->markers. Return false and set err as rs_markers_init() does. */
bool rs_command_markers_init(
	struct rs_command_markers *markers, const struct rs_options *options, struct rs_err *err);

/* Print to stderr why adapters for APIs that the program uses are missing, and if --functions has
 * no effect. is_verbose: also print if the search for such APIs was incomplete. */
void rs_command_markers_tell(const struct rs_command_markers *markers,
	const struct rs_options *options, bool is_verbose);

/* ---- the view of --live (live.c) ---- */

/*
 * If --live is given, start the view of the segment fd. Redirect the standard streams of this
 * process, which its program inherits, away from the terminal. The caller must call
 * rs_command_view_end(), even after a failure. Return false and set err if there is no terminal for
 * the view.
 */
bool rs_command_view_begin(
	struct rs_command_view *view, const struct rs_options *options, int fd, struct rs_err *err);

/* End the view, restore the standard streams, and copy the program's output to the terminal. */
void rs_command_view_end(struct rs_command_view *view);

/* ---- results at one point of time (snapshot.c) ---- */

/*
 * Read the segment and make a summary of it. The caller has set snapshot->outcome. earlier: a
 * previous snapshot of the same run, whose data the function reuses to save time; NULL: none. The
 * function uses `earlier` only during this call. finds_running: find out which processes still
 * run; otherwise open calls look as if their processes had ended. If the segment cannot be read,
 * the snapshot has only the totals of the run. The caller releases snapshot, even after a failure.
 * Return false and set err if memory runs out.
 */
bool rs_snapshot_make(struct rs_snapshot *snapshot, const struct rs_one_run *run,
	const struct rs_snapshot *earlier, bool finds_running, struct rs_err *err);

/* Make a snapshot of a run that continues. Replace run->latest by it, and return it. If memory runs
 * out, keep the old snapshot and return NULL. finds_running: as for rs_snapshot_make(). */
struct rs_snapshot *rs_snapshot_next(
	struct rs_one_run *run, const struct rs_so_far *so_far, bool finds_running);

/* Release the run's latest snapshot and the snapshot at the end of the previous period. */
void rs_snapshot_forget_all(struct rs_one_run *run);

/* Write the report of the run so far to all outputs, except those of periods. The launcher calls
 * this function (struct rs_tick). run is a struct rs_one_run. */
void rs_snapshot_report(void *run, const struct rs_so_far *so_far);

/* ---- reports of periods, and of the run so far (snapshot.c) ---- */

/* Write the reports for monitoring systems again. The launcher calls this function and the next one
 * (struct rs_tick). run is a struct rs_one_run. */
void rs_command_periods_tick(void *run, const struct rs_so_far *so_far);

/* End the period and write its report. On failure the period continues, so that no call is lost. */
void rs_command_periods_rotate(void *run, const struct rs_so_far *so_far);

/* Make the text of all reports at the end of the run, for the last period and for the whole run.
 * Return false and set err if memory runs out. */
bool rs_command_periods_render(struct rs_one_run *run, struct rs_err *err);

/* ---- rows of -I (intervals.c) ---- */

/* Open the output of the rows, if the options request intervals. The caller releases intervals with
 * rs_command_intervals_finish(). Return false and set err if the file cannot be opened. */
bool rs_command_intervals_init(
	struct rs_command_intervals *intervals, struct rs_one_run *run, struct rs_err *err);

/*
 * Write the rows of the interval that ends now. The launcher calls this function at each tick
 * (struct rs_tick). After an error, print a message and write no more rows, but let the run
 * continue. Extend the interval to a later tick if the previous rows are not written yet. Do the
 * same if snapshots would use more than a tenth of a CPU.
 */
void rs_command_intervals_tick(void *intervals, const struct rs_so_far *so_far);

/* Write the rows of the last interval, from the summary of the finished run. Wait until they are
 * written. */
void rs_command_intervals_end(
	struct rs_command_intervals *intervals, const struct rs_summary *summary);

/* Close the output and release memory. */
void rs_command_intervals_finish(struct rs_command_intervals *intervals);

/* ---- the file of --trace (trace.c) ---- */

/* Open the file and begin the trace, if the options of the run request one. The caller releases
 * trace with rs_command_trace_finish(). Return false and set err on failure. */
bool rs_command_trace_init(
	struct rs_command_trace *trace, struct rs_one_run *run, struct rs_err *err);
void rs_command_trace_finish(struct rs_command_trace *trace);

/* Move calls from the segment to the trace, and add up intervals. The launcher calls this function
 * (struct rs_tick), at first every RS_TIMELINE_TICK_MS. */
void rs_command_trace_tick(void *trace, const struct rs_so_far *so_far);

/* Write the trace of a finished run, if there is one. */
bool rs_command_trace_write(
	struct rs_command_trace *trace, const struct rs_summary *summary, struct rs_err *err);

/* ---- --dry-run (dry_run.c) ---- */

/*
 * Print the run's events, their groups, and the environment. Call rs_options_settle() for options
 * first. Call rs_plan_segment_events() for plan first. slow: the rules of --slow. markers: the
 * adapters for the program. runtime: the path of the runtime for the program, or NULL.
 */
void rs_dry_run_print(const struct rs_options *options, const struct rs_plan *plan,
	const struct rs_command_slow *slow, const struct rs_markers *markers, const char *runtime,
	FILE *stream);

#endif
