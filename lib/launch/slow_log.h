/* SPDX-License-Identifier: MIT */
/*
 * The log of slow calls. While the program runs, every slow call becomes a line in a file or on
 * standard error, up to a limit of lines per second. For example (one line, broken here):
 *
 *   2026-11-22T21:15:01.123456+01:00 slow region=render process=1234/app thread=1240/worker
 *       time=2134567ns cpu-time=34567ns blocked=2100000ns preempted=0ns page-faults=3
 */
#ifndef RS_LAUNCH_SLOW_LOG_H
#define RS_LAUNCH_SLOW_LOG_H

#include "base/err.h"
#include "launch/launch.h"
#include "launch/line_writer.h"
#include "launch/slow_ring.h"
#include "plan/plan.h"
#include "segment/segment.h"

/* The interval between two readings of the ring. */
#define RS_SLOW_TICK_MS 50u

struct rs_slow_log {
	const struct rs_plan *plan; /* belongs to the caller */
	enum rs_clock clock;
	struct rs_clock_point begin; /* before the program started */
	struct rs_slow_ring ring;
	struct rs_line_writer writer;
	int fd; /* -1: not open; owned unless it is a standard descriptor */
	uint32_t lines_per_s;
	uint64_t second_ns; /* start of the current second, CLOCK_MONOTONIC; 0: none yet */
	uint64_t n_lines; /* lines in this second */
	uint64_t n_over_limit; /* calls beyond the limit in this second */
	uint64_t n_written; /* calls with a line, in total */
	uint64_t n_all_over_limit; /* calls beyond the limit, in total */
	uint64_t n_lost_reported; /* part of ring.n_lost that a line has reported */
};

/* Statistics of the lines. */
struct rs_slow_counts {
	uint64_t n_lines; /* lines that were written */
	uint64_t n_over_limit; /* calls beyond the limit of lines per second */
	/* calls that were overwritten before they were read, or whose writer was killed */
	uint64_t n_lost;
	/* lines not written: the file was full, or a pipe was not read in time */
	uint64_t n_unwritten;
	int number; /* errno of the first write that failed for another reason, or 0 */
};

/*
 * Open the file and start the writer. path is NULL for standard error, "-" for standard output, or
 * a file to append to. segment and plan must outlive log. lines_per_s is at least 1.
 *
 * Fill log; the caller releases it with rs_slow_log_finish(). Return false and set err if the file
 * cannot be opened or the thread cannot be started.
 */
bool rs_slow_log_init(struct rs_slow_log *log, const struct rs_segment *segment,
	const struct rs_plan *plan, const char *path, uint32_t lines_per_s, struct rs_err *err);

/* Write the slow calls since the last tick. This function never waits. It can be the `call` of
 * struct rs_tick (launch.h). */
void rs_slow_log_tick(void *log, const struct rs_so_far *so_far);

/* Write the remaining calls, wait at most 0.5 s for that, and close the file. Fill counts unless it
 * is NULL. log may be zeroed with fd -1. */
void rs_slow_log_finish(struct rs_slow_log *log, struct rs_slow_counts *counts);

#endif
