/* SPDX-License-Identifier: MIT */
/*
 * The events that metrics need, added to those that the user wrote.
 */
#ifndef RS_PLAN_WANTED_H
#define RS_PLAN_WANTED_H

#include "plan/plan.h"
#include "plan/syntax.h"

/*
 * Add what metrics need to a list of events.
 *
 * An event that is there already is not added again. Events of one metric that compete for the
 * PMU's counters become one {group}. Metrics with a common event share one group where that fits
 * the PMU. Else each has its own group, with the event in both. A {group} of the user stays as it
 * is: a metric with only some of its events in such a group is not possible. syntax: grows.
 * metrics[n]: rule set; positions filled with indexes in syntax->events, or reason with why it is
 * not possible here. strict: that is an error.
 * False, with err filled: no memory, a rule with unreadable events, or strict.
 */
bool rs_wanted_add(struct rs_syntax *syntax, struct rs_plan_metric *metrics, size_t n,
	const struct rs_host *host, bool strict, struct rs_err *err);

#endif
