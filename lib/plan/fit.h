/* SPDX-License-Identifier: MIT */
/*
 * The decision which groups get the PMU. The groups of the regions and those of the run's totals
 * compete for the same few counters.
 */
#ifndef RS_PLAN_FIT_H
#define RS_PLAN_FIT_H

#include "plan/host.h"
#include "plan/plan.h"

/*
 * Try on the calling thread which groups fit the PMU together. Set pinned, totals_apart and
 * totals_whole of each group, and regions_rotate, is_forced and fit_note of the plan. On a machine
 * with cores of several types the thread moves to CPUs of each type and then back.
 *
 * If all groups of the regions fit at once, all are pinned: the kernel never takes them off the
 * PMU. The totals of the run share the other counters. If they do not fit, the kernel multiplexes
 * all groups. Groups of software events are always counted and never pinned.
 *
 * plan: its events are in groups. force_pin: pin groups even if they do not fit. Return false and
 * set err if memory runs out.
 */
bool rs_fit_settle(
	struct rs_plan *plan, const struct rs_host *host, bool force_pin, struct rs_err *err);

#endif
