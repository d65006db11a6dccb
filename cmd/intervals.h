/* SPDX-License-Identifier: MIT */
/*
 * The rows of -I: what ended in each interval of the run.
 */
#ifndef RS_COMMAND_INTERVALS_H
#define RS_COMMAND_INTERVALS_H

#include "background.h"
#include "options.h"
#include "report/interval.h"
#include "stats/interval.h"

struct rs_one_run;

struct rs_command_intervals {
	struct rs_one_run *run; /* borrowed */
	int fd; /* -1: there are no intervals, or writing failed */
	bool is_complete; /* no more rows are wanted */
	int64_t next_ns; /* ticks before this time are skipped, by CLOCK_MONOTONIC */
	struct rs_background background; /* writes the rows */
	rs_write_interval *write;
	uint32_t n_written;
	struct rs_intervals sum; /* what all intervals so far had */
};

/* Open the output of the rows, if the options ask for intervals. The caller releases intervals with
 * rs_command_intervals_finish(). Return false and set err if the file cannot be opened. */
bool rs_command_intervals_init(
	struct rs_command_intervals *intervals, struct rs_one_run *run, struct rs_err *err);

/*
 * Write the rows of the interval that ends now. It is the `call` of struct rs_tick. After an error the
 * rows end with a message, and the run goes on. The interval goes on until the next tick while the rows
 * before are not written, or if snapshots would take more than a tenth of a CPU.
 */
void rs_command_intervals_tick(void *intervals, const struct rs_so_far *so_far);

/* Write the rows of the last interval, from the finished run. This waits for the reader of the rows. */
void rs_command_intervals_end(
	struct rs_command_intervals *intervals, const struct rs_summary *summary);

/* Close the output and release memory. */
void rs_command_intervals_finish(struct rs_command_intervals *intervals);

#endif
