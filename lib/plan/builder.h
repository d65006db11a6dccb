/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the files that make a plan: the state that they share, and the steps that
 * plan.c runs one after another. rs_builder_add() adds one event to the plan.
 */
#ifndef RS_PLAN_BUILDER_H
#define RS_PLAN_BUILDER_H

#include "plan/host.h"
#include "plan/plan.h"
#include "plan/resolve.h"

/* How the user grouped one event of -e. */
struct rs_group_wish {
	/* index of the event's {group}; -1: none, so the event goes into any group with space */
	int written;
	/* the user wrote {...}:W, which permits regionstat to split the event's {group} */
	bool weak;
};

struct rs_builder {
	struct rs_plan *plan;
	/* how the user grouped plan->events[i]; RS_MAX_EVENTS elements */
	struct rs_group_wish *wishes;
	const struct rs_host *host;
	bool strict;
	struct rs_err *err;
	const struct rs_plan_options *options;
	struct rs_syntax syntax; /* the events of -e, and those that metrics need */
	bool done; /* true: the plan is made; false: err is set, unless memory ran out */
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
 * resolved->known_error. Return false and set builder->err if there are too many events, or if
 * builder->strict is set and no event can be counted.
 */
bool rs_builder_add(struct rs_builder *builder, struct rs_resolved *resolved,
	const struct rs_placement *placement, bool *counted, struct rs_reason *reason);

/* Remove the last event of the plan. */
void rs_builder_remove_last(struct rs_plan *plan);

/* ---- pack.c: packs events into as few kernel groups as possible ---- */

/*
 * Put the countable events of a plan into groups, and make the events of each group adjacent.
 *
 * A {group} becomes one group. On a machine with cores of several types it becomes one for each
 * core PMU, and one for events of no core PMU. Each other event goes into the first group that
 * accepts it. Software events and tracepoints get separate groups. So groups of PMU events can be
 * read without a system call. An event that cannot be counted is placed after the group of the
 * event before it.
 *
 * plan: events[] is in the user's order, each with the group -1. This function reorders events[],
 * and fills groups[] and the member `group` of countable events. wishes[plan->n_events] is parallel
 * to events[] as passed in, and is changed. Return false and set err if a {group} does not fit the
 * PMU or there are too many groups.
 */
bool rs_group_pack(struct rs_plan *plan, struct rs_group_wish *wishes, const struct rs_host *host,
	struct rs_err *err);

/* ---- wanted.c: events that metrics need ---- */

/*
 * Add the events that metrics need to a list of events.
 *
 * An event that is in the list is not added again. Events of one metric that compete for counters
 * of the PMU become one {group}. Metrics with a common event share a group if it fits the PMU.
 * Otherwise each metric has its own group, and the event is in both. The user's {groups} do not
 * change. A metric is not possible if one of its competing events is in a {group} of the user and
 * another is not in it.
 *
 * The caller has set the member `rule` in the metrics of the plan. Fill `positions` with indexes of
 * syntax->events. If a metric is not possible on this machine, set its reason. Return false and set
 * err if a rule has an unreadable event, or if strict is set and a metric is not possible.
 */
bool rs_wanted_add(struct rs_plan *plan, struct rs_syntax *syntax, const struct rs_host *host,
	bool strict, struct rs_err *err);

/* ---- fit.c: which groups get the PMU ---- */

/*
 * Try on the calling thread which groups fit the PMU together. Set `pinned`, totals_apart and
 * totals_whole of each group, and regions_rotate, is_forced and fit_note of the plan. On a machine
 * with cores of several types the thread moves to CPUs of each type and then back.
 *
 * If all groups of the regions fit at once, all are pinned: the kernel never takes them off the
 * PMU. The totals of the run share the other counters. If the groups of the regions do not fit, the
 * kernel multiplexes all groups. Groups of software events are always counted and never pinned.
 *
 * plan: rs_group_pack() has put its events into groups. force_pin: pin groups even if they do not
 * fit.
 */
void rs_fit_settle(struct rs_plan *plan, const struct rs_host *host, bool force_pin);

#endif
