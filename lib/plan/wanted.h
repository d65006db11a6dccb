/* SPDX-License-Identifier: MIT */
/*
 * Adding the events that metrics need to the events of -e.
 */
#ifndef RS_PLAN_WANTED_H
#define RS_PLAN_WANTED_H

#include "plan/plan.h"
#include "plan/syntax.h"

/*
 * Add the events that metrics need to a list of events.
 *
 * An event that is in the list is not added again. Events of one metric that compete for counters
 * of the PMU become one {group}. Metrics with a common event share a group if it fits the PMU.
 * Otherwise each metric has its own group, and the event is in both. The user's {groups} do not
 * change. A metric is not possible if some of its events are in such a group and others are not.
 *
 * metrics[n]: rule is set. Fill positions with indexes of syntax->events. If a metric is not
 * possible on this machine, set its reason. Return false and set err if memory runs out, if a rule
 * has an unreadable event, or if strict is set and a metric is not possible.
 */
bool rs_wanted_add(struct rs_syntax *syntax, struct rs_plan_metric *metrics, size_t n,
	const struct rs_host *host, bool strict, struct rs_err *err);

#endif
