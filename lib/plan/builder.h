/* SPDX-License-Identifier: MIT */
/*
 * A plan while it is made: events are added to it one by one. Of plan.c and defaults.c.
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
	struct rs_group_wish *wishes; /* parallel to plan->events, RS_MAX_EVENTS of them */
	const struct rs_host *host;
	bool strict;
	bool no_totals;
	struct rs_err *err;
};

/* Where an event is counted, and with which. */
struct rs_placement {
	int group; /* number of its {group}, or -1 */
	bool in_regions;
	bool in_totals;
};

/*
 * Settle an event and add it, once for each core PMU where cores are of several types.
 * resolved: known_error may change. *counted: whether any of it can be counted. reason: filled when
 * none can. False, with builder->err filled: no memory, too many events, or one that cannot be counted
 * where that is an error.
 */
bool rs_builder_add(struct rs_builder *builder, struct rs_resolved *resolved,
	const struct rs_placement *placement, bool *counted, struct rs_reason *reason);

/* Take the last event out again. */
void rs_builder_remove_last(struct rs_plan *plan);

/* False, with err filled. */
bool rs_builder_no_memory(struct rs_err *err);

#endif
