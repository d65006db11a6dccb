/* SPDX-License-Identifier: MIT */
/*
 * Packing events into as few kernel groups as the kernel accepts.
 */
#ifndef RS_PLAN_PACK_H
#define RS_PLAN_PACK_H

#include "plan/host.h"
#include "plan/plan.h"

/* How the user grouped one event of -e. */
struct rs_group_wish {
	/* index of the event's {group}; -1: put the event into any group with space */
	int written;
	bool weak; /* the event's {group} may be split: {...}:W */
};

/*
 * Put the countable events of a plan into groups, and make the events of each group adjacent.
 *
 * A {group} becomes one group. On a machine with cores of several types it becomes one for each
 * core PMU, and one for events of no core PMU. Each other event goes into the first group that
 * accepts it. Software events and tracepoints get separate groups. So groups of PMU events can be
 * read without a system call. An event that is not supported moves to the place after the group of
 * the event before it.
 *
 * plan: events[] is in the user's order; this function reorders it, and fills groups[] and the
 * member group of each event. wishes[plan->n_events] is parallel to events[] as passed in. Return
 * false and set err if a {group} does not fit the PMU, if there are too many groups, or if memory
 * runs out.
 */
bool rs_group_pack(struct rs_plan *plan, const struct rs_group_wish *wishes,
	const struct rs_host *host, struct rs_err *err);

#endif
