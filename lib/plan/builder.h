/* SPDX-License-Identifier: MIT */
/*
 * Building a plan: rs_builder_add() adds events to it one by one. plan.c and defaults.c use this.
 */
#ifndef RS_PLAN_BUILDER_H
#define RS_PLAN_BUILDER_H

#include "plan/host.h"
#include "plan/pack.h"
#include "plan/plan.h"
#include "plan/reason.h"
#include "plan/resolve.h"

struct rs_builder {
	struct rs_plan *plan;
	/* how the user grouped plan->events[i]; RS_MAX_EVENTS elements */
	struct rs_group_wish *wishes;
	const struct rs_host *host;
	bool strict;
	bool no_totals;
	struct rs_err *err;
};

/* Where an event is counted, and in which {group}. */
struct rs_placement {
	int group; /* index of its {group}; -1: none */
	bool in_regions;
	bool in_totals;
};

/*
 * Try an event, decide its status and add it to the plan. On a machine with cores of several types,
 * add it once for each core PMU.
 *
 * Set *counted if at least one of these events can be counted. Otherwise fill reason. May change
 * resolved->known_error. Return false and set builder->err if memory runs out, if there are too
 * many events, or if builder->strict is set and no event can be counted.
 */
bool rs_builder_add(struct rs_builder *builder, struct rs_resolved *resolved,
	const struct rs_placement *placement, bool *counted, struct rs_reason *reason);

/* Remove the last event of the plan and release its memory. */
void rs_builder_remove_last(struct rs_plan *plan);

/* Set err to the message for lack of memory. Return false. */
bool rs_builder_no_memory(struct rs_err *err);

#endif
