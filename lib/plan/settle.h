/* SPDX-License-Identifier: MIT */
/*
 * Deciding whether and how an event can be counted.
 */
#ifndef RS_PLAN_SETTLE_H
#define RS_PLAN_SETTLE_H

#include "plan/plan.h"
#include "plan/reason.h"
#include "plan/resolve.h"

/*
 * Try a resolved event with perf_event_open(2). Set name, help, unit, generic, attr, status and
 * reason of event; name and help move there from resolved. Set resolved->known_error to the errno
 * value of the refusal, or to 0. Fill reason if the event cannot be counted. Return false if memory
 * runs out; event->reason may be set then.
 */
bool rs_settle(struct rs_event *event, struct rs_resolved *resolved, const struct rs_host *host,
	struct rs_reason *reason);

#endif
