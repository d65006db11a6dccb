/* SPDX-License-Identifier: MIT */
/*
 * The run's totals: one counter per event of the plan on the program's first process, inherited by
 * every thread and child that comes after. The kernel refuses to mmap such counters, so they are
 * read once, at the end.
 */
#ifndef RS_LAUNCH_TOTALS_H
#define RS_LAUNCH_TOTALS_H

#include <stdio.h>

#include "base/err.h"
#include "launch/launch.h"

struct rs_totals {
	size_t n_events;
	int *fds; /* by event of the plan; -1: not counted */
	size_t *leaders; /* of the kernel group, by event; an event on its own leads itself */
};

struct rs_totals_config {
	const struct rs_plan *plan;
	pid_t pid; /* that waits before exec */
	bool inherit;
	bool enable_on_exec; /* false: they start when rs_totals_enable() says so */
	FILE *warnings; /* a line for each event that could not be opened */
};

/*
 * Open the counters: a group of the plan as one kernel group where that can be opened, else its
 * events one by one. totals: filled; release with rs_totals_finish().
 * False, with err filled: no memory. An event that cannot be opened is only not counted.
 */
bool rs_totals_init(
	struct rs_totals *totals, const struct rs_totals_config *config, struct rs_err *err);

/* Start or stop all of them, in every thread and child. */
void rs_totals_enable(const struct rs_totals *totals, bool enable);

/* Read them. values[totals->n_events]: filled. */
void rs_totals_read(const struct rs_totals *totals, struct rs_total *values);

/* Close them. totals: filled, zeroed, or NULL. */
void rs_totals_finish(struct rs_totals *totals);

#endif
