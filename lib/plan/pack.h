/* SPDX-License-Identifier: MIT */
/*
 * Packing events into kernel groups: as few as the kernel accepts.
 */
#ifndef RS_PLAN_PACK_H
#define RS_PLAN_PACK_H

#include "plan/host.h"
#include "plan/plan.h"

/* How the user grouped one event. */
struct rs_group_wish {
	int written; /* number of its {group}, or -1: pack it where it fits */
	bool weak; /* its {group} may be split: {...}:W */
};

/*
 * Group the events of a plan that are OK, and bring groups together.
 *
 * A {group} becomes one group; where cores are of several types, one for each core PMU and one for
 * what is of none. Other events are packed, in order, each into the first group that takes it.
 * Software events and tracepoints have separate groups, which are always counted. So the other
 * groups can be read without a system call. Events that are not supported end up behind the group
 * of the event that they followed.
 * plan: events[] filled, in the user's order; events are reordered, groups and event.group filled.
 * wishes[plan->n_events]: parallel to plan->events as it comes in.
 * False, with err filled: a {group} does not fit the PMU, too many groups, no memory.
 */
bool rs_group_pack(struct rs_plan *plan, const struct rs_group_wish *wishes,
	const struct rs_host *host, struct rs_err *err);

#endif
