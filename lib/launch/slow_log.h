/* SPDX-License-Identifier: MIT */
/*
 * A line for every slow call as it happens, at most so many a second, to a file or the standard error:
 *
 *     2026-11-22T21:15:01.123456+01:00 slow region=render process=1234/app thread=1240/worker
 *         time=2134567ns cpu-time=34567ns blocked=2100000ns preempted=0ns page-faults=3 (in one line)
 */
#ifndef RS_LAUNCH_SLOW_LOG_H
#define RS_LAUNCH_SLOW_LOG_H

#include "base/err.h"
#include "launch/line_writer.h"
#include "launch/slow_ring.h"
#include "plan/plan.h"
#include "segment/segment.h"

/* How often to look for slow calls. */
#define RS_SLOW_TICK_MS 50u

struct rs_slow_log {
	const struct rs_plan *plan; /* borrowed */
	enum rs_clock clock;
	struct rs_clock_point begin; /* before the program started */
	struct rs_slow_ring ring;
	struct rs_line_writer writer;
	int fd; /* -1: none is open; else owned, but for the standard ones */
	uint32_t lines_per_s;
	uint64_t second_ns; /* when the latest second began, CLOCK_MONOTONIC; 0: none did */
	uint64_t n_lines; /* in that second */
	uint64_t n_left_out; /* in that second */
	uint64_t n_told; /* lines of calls, in all */
	uint64_t n_all_left_out; /* calls, in all */
	uint64_t n_lost_told; /* of ring.n_lost */
};

/* The results of writing slow calls. */
struct rs_slow_counts {
	uint64_t n_lines; /* written */
	uint64_t n_left_out; /* more than so many a second */
	uint64_t n_lost; /* they came faster than they were read, or their writer was killed */
	uint64_t n_unwritten; /* the file was full, or the pipe was not read in time */
	int number; /* errno of the first that could not be written for another reason; 0 */
};

/*
 * Open the file, and start.
 * path: NULL for the standard error, "-" for the standard output; else a file, to which is added.
 * segment, plan (whose events have their numbers in the segment): borrowed. lines_per_s: 1 or more.
 * log: filled; release with rs_slow_log_finish(). False, with err filled: the file cannot be
 * opened, no thread.
 */
bool rs_slow_log_init(struct rs_slow_log *log, const struct rs_segment *segment,
	const struct rs_plan *plan, const char *path, uint32_t lines_per_s, struct rs_err *err);

/* Write what has come since the last time. Never waits. Has the type of a tick (launch.h). */
void rs_slow_log_tick(void *log);

/* Write the rest, for which this waits a little, and close. counts: filled, or NULL. log: filled, or
 * zeroed with fd -1. */
void rs_slow_log_finish(struct rs_slow_log *log, struct rs_slow_counts *counts);

#endif
