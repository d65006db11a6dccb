/* SPDX-License-Identifier: MIT */
/*
 * Writes a report for each period of a run (--rotate, SIGUSR1), and reports that monitoring systems
 * read while the program runs.
 */
#ifndef RS_COMMAND_PERIODS_H
#define RS_COMMAND_PERIODS_H

#include "snapshot.h"

struct rs_one_run;

/* The state of periods. A zeroed struct is in the first period. Its memory grows with regions,
 * threads and buckets, but not with time. */
struct rs_command_periods {
	int64_t begin_ms; /* start of the period in ms after 1970; 0: start of the run */
	/* snapshot at the end of the previous period, which may also be run->latest; NULL: none;
	 * owned */
	struct rs_snapshot *begin;
};

/* Write the reports for monitoring systems again. The launcher calls this function and the next one
 * (struct rs_tick). run is a struct rs_one_run. */
void rs_command_periods_tick(void *run, const struct rs_so_far *so_far);

/* End the period and write its report. On failure the period continues, so that no call is lost. */
void rs_command_periods_rotate(void *run, const struct rs_so_far *so_far);

/* Make the text of all reports at the end of the run, for the last period and for the whole run.
 * Return false and set err if memory runs out. */
bool rs_command_periods_render(struct rs_one_run *run, struct rs_err *err);

#endif
