/* SPDX-License-Identifier: MIT */
/*
 * These functions count the totals of the run. Each event of the plan has a counter on the
 * program's first process. In a program that is already running, it has a counter on each thread.
 * All threads and child processes that start later inherit these counters. The kernel does not
 * allow mmap() of inherited counters, so read(2) reads them, at the end and for earlier reports.
 */
#ifndef RS_LAUNCH_TOTALS_H
#define RS_LAUNCH_TOTALS_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "launch/launch.h"

struct rs_totals {
	const struct rs_plan *plan;
	const struct rs_launch_options *options;
	/* a process that waits before exec, or all threads of a running process */
	const pid_t *tasks;
	size_t n_tasks;
	size_t n_events;
	int *fds; /* descriptor of each event of the plan for each task; -1: not counted */
	bool *leads; /* whether each event leads a group; a single event does */
	bool is_full; /* descriptors ran out, so nothing is counted */
	/* apart[g] is true if the events of the plan's group g are counted separately */
	bool *apart;
	struct rs_arena arena; /* owns the arrays */
	FILE *warnings;
};

/* Open the counters of process pid. A group of the plan becomes one kernel group if the kernel can
 * open it, else single events. Fill totals; the caller releases it with rs_totals_finish(). Return
 * false and set err if memory runs out. Events that cannot be opened are not counted; warnings gets
 * a line for each. plan, options and warnings are borrowed. */
bool rs_totals_init(struct rs_totals *totals, const struct rs_plan *plan,
	const struct rs_launch_options *options, pid_t pid, FILE *warnings, struct rs_err *err);

/* Start or stop all counters, in every thread and child process. */
void rs_totals_enable(const struct rs_totals *totals, bool enable);

/* Read the counters into values[totals->n_events]. */
void rs_totals_read(const struct rs_totals *totals, struct rs_total *values);

/* Close the counters. totals may be zeroed. */
void rs_totals_finish(struct rs_totals *totals);

#endif
