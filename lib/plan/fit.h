/* SPDX-License-Identifier: MIT */
/*
 * Who gets the PMU: the regions' groups and the run's totals want the same few counters.
 */
#ifndef RS_PLAN_FIT_H
#define RS_PLAN_FIT_H

#include "plan/host.h"
#include "plan/plan.h"

/*
 * Find out by trying on the calling thread what can be on the PMU together, and settle
 * plan->groups[].pinned, .totals_apart and .totals_whole, plan->regions_rotate, plan->is_forced and
 * plan->fit_note. Where cores are of several types the calling thread moves to CPUs of each, and
 * may run where it might before when this returns.
 *
 * Where all groups of regions fit at once, each is pinned: it always has its counters, and the
 * run's totals share the others. Where they do not, all groups are multiplexed. Groups of software
 * events alone are counted always, and never pinned.
 * plan: grouped. force_pin: pin even what does not fit.
 * False, with err filled: no memory.
 */
bool rs_fit_settle(
	struct rs_plan *plan, const struct rs_host *host, bool force_pin, struct rs_err *err);

#endif
