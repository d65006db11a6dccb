/* SPDX-License-Identifier: MIT */
/*
 * Whether and how an event that is known can be counted.
 */
#ifndef RS_PLAN_SETTLE_H
#define RS_PLAN_SETTLE_H

#include "plan/plan.h"
#include "plan/reason.h"
#include "plan/resolve.h"

/*
 * Try an event with perf_event_open(2) and settle what reports call it, its attr and its status.
 * event: name, help, unit, generic, attr, status and reason are set; it takes name and help from
 * resolved. resolved: known_error set to the errno value of the refusal, 0 without one. reason:
 * filled when the event is not supported.
 * False: no memory; event->reason may have been set.
 */
bool rs_settle(struct rs_event *event, struct rs_resolved *resolved, const struct rs_host *host,
	struct rs_reason *reason);

#endif
