/* SPDX-License-Identifier: MIT */
/*
 * Periods of a run: --rotate, SIGUSR1, and reports that services read while the program runs.
 */
#ifndef RS_COMMAND_PERIODS_H
#define RS_COMMAND_PERIODS_H

#include "snapshot.h"

struct rs_one_run;

/* Zeroed: the first period, of which nothing is known yet. Memory depends on the number of regions,
 * threads and buckets only. */
struct rs_command_periods {
	int64_t begin_ms; /* start of the period, after 1970; 0: that of the run */
	/* the end of the period before, which may be the run's latest snapshot; NULL: none; owned */
	struct rs_snapshot *begin;
};

/* Write the reports for services anew. This and the next one are the `call` of struct rs_tick; run is a
 * struct rs_one_run. */
void rs_command_periods_tick(void *run, const struct rs_so_far *so_far);

/* End the period and write its report. If that fails, the period goes on, so that nothing is lost. */
void rs_command_periods_rotate(void *run, const struct rs_so_far *so_far);

/* Make the text of all reports at the end of the run: of the last period, and of the run. Return false
 * and set err if memory runs out. */
bool rs_command_periods_render(struct rs_one_run *run, struct rs_err *err);

#endif
