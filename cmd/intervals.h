/* SPDX-License-Identifier: MIT */
/*
 * Writes the rows of -I. They show the calls that ended in each interval of the run.
 */
#ifndef RS_COMMAND_INTERVALS_H
#define RS_COMMAND_INTERVALS_H

#include "background.h"
#include "options.h"
#include "report/interval.h"
#include "stats/interval.h"

struct rs_one_run;

struct rs_command_intervals {
	struct rs_one_run *run; /* belongs to the caller */
	int fd; /* -1: there are no intervals, or writing failed */
	bool is_complete; /* --interval-count has been reached */
	int64_t next_ns; /* end of the interval, in CLOCK_MONOTONIC; ticks before it do nothing */
	struct rs_background background; /* writes the rows */
	rs_write_interval *write;
	uint32_t n_written;
	struct rs_intervals sum; /* sum of all intervals so far */
};

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

#endif
