/* SPDX-License-Identifier: MIT */
/*
 * The plan of a run: the events to count and their groups. It is made from the user's event
 * strings, and contains a complete perf_event_attr for each event. regionstat makes the plan before
 * it creates the segment and starts the program, and does not change it during a run.
 */
#ifndef RS_PLAN_PLAN_H
#define RS_PLAN_PLAN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "metrics/metric.h"
#include "plan/core_pmus.h"
#include "segment/event_names.h"

enum rs_event_status {
	RS_EVENT_OK,
	RS_EVENT_NOT_SUPPORTED, /* this machine cannot count the event; reason says why */
	RS_EVENT_NOT_PERMITTED, /* this process may not count the event; reason says why */
};

/*
 * One event of the plan. `time` is not in the plan, because it is always measured. On a machine
 * with cores of several types, an event that names no PMU becomes one event for each core PMU.
 * These are the parts of that event: they share its name and position, and reports add up their
 * counts.
 */
struct rs_event {
	const char *name; /* name in reports: the text of -e, or the value of the term name= */
	/* The string with which -e selects this part alone, such as "cpu_core/cycles/". NULL if the
	 * event is not a part of another one. */
	const char *part_name;
	/* 1 + index in plan.core_pmus of the only core PMU that counts this event; 0: there is
	 * none */
	size_t core_pmu;
	/* the entry of perf's generic names for this event, or NULL */
	const struct rs_name *generic;
	const char *unit; /* "ns" for task-clock and cpu-clock, else "count" */
	const char *help; /* one line that says what it counts, or NULL */
	/* Size, type, config and exclude_* are set. The code that opens the event sets read_format,
	 * disabled, inherit and pinned. */
	struct perf_event_attr attr;
	enum rs_event_status status;
	/* Lines, as in struct rs_err, that say why the event is not counted and what to do. They do
	 * not contain the words "cannot count". NULL if the event is counted. */
	const char *reason;
	int group; /* index in plan.groups; -1 if status is not RS_EVENT_OK */
	bool in_regions; /* counted in regions */
	bool in_totals; /* counted for the whole run */
	size_t position; /* index in the order of -e; packing into groups reorders events[] */
	/* The index of this event among a call's values in the segment. Index 0 is time, so 0 means
	 * that the segment does not hold this event. rs_plan_segment_events() sets it. */
	uint32_t counter;
};

/* A group of events that the kernel puts on the PMU together: events[first] to events[first +
 * n_events - 1]. */
struct rs_group {
	size_t first;
	size_t n_events;
	bool in_regions;
	/* for regions, the group is opened with attr.pinned, so that the kernel never takes it off
	 * the PMU */
	bool pinned;
	/* the run's totals do not fit the PMU as one group, so each event is opened alone */
	bool totals_apart;
	/* the run's totals fit the PMU beside the regions, so the totals are not multiplexed */
	bool totals_whole;
	/* 1 + index of the core PMU of the group's events; 0: none. All events of a group have the
	 * same core PMU. */
	size_t core_pmu;
};

/* A metric that the user asked for. */
struct rs_plan_metric {
	const struct rs_metric_rule *rule; /* borrowed */
	size_t positions[RS_METRIC_MAX_EVENTS]; /* rs_event.position of each of rule->events */
	/* lines as in struct rs_event: why this machine cannot compute the metric, and what to do;
	 * NULL: it can */
	const char *reason;
};

/* Return the lines of a metric's reason after the first: details and what to do. The text is empty
 * or begins with a newline. */
static inline const char *rs_plan_metric_remedy(const struct rs_plan_metric *metric)
{
	return strchrnul(metric->reason, '\n');
}

struct rs_plan {
	/* the events in the user's order, except that the events of a group are adjacent */
	struct rs_event *events;
	size_t n_events;
	/* the groups in ascending order of `first`; each event with RS_EVENT_OK is in one group */
	struct rs_group *groups;
	size_t n_groups;
	struct rs_plan_metric *metrics; /* the metrics in the user's order */
	size_t n_metrics;
	const char *
		note; /* one line for the report, such as why no hardware event is counted; or NULL */
	struct rs_core_pmus core_pmus; /* the core PMUs of the machine */
	/* The groups of the regions need more counters than a PMU has, so the kernel multiplexes
	 * them. */
	bool regions_rotate;
	bool is_forced; /* regions_rotate is true, and --pin still pins the groups */
	/* one line that says how regions and totals use the PMU; NULL if no group of regions needs
	 * a PMU */
	const char *fit_note;
	/* owns the arrays and strings above; it is empty if the plan was read from a file */
	struct rs_arena arena;
};

/* The options from which rs_plan_init() makes a plan. */
struct rs_plan_options {
	const char *const *event_strings; /* the arguments of -e, in order */
	size_t n_event_strings; /* 0: use the default events, unless metrics are given */
	const struct rs_metric_rule *const *metrics; /* the metrics of -M, in order; they must
						      * outlive the plan */
	size_t n_metrics;
	bool strict; /* fail if any event cannot be counted */
	bool pin; /* pin the groups of regions even if they do not fit the PMU */
	bool no_totals; /* count no events for the whole run */
};

/*
 * Make a plan: parse event strings, resolve names, find out what this machine can count, and group
 * the events.
 *
 * Events without a group are packed, in order, into as few groups as the kernel accepts. Software
 * events are not packed with events of a PMU. {a,b} remains one group. Each group is tried with
 * perf_event_open(2) on the calling process. Then all groups are tried together, to see which fit
 * the PMU at once.
 *
 * Fill plan on success; rs_plan_finish() releases it. Return false and set err if
 * - an event string has a syntax error, or names an unknown event (err suggests similar names);
 * - a {group} does not fit the PMU;
 * - there are more than RS_MAX_EVENTS events (or parts of events) or RS_MAX_GROUPS groups;
 * - options->strict is set and this machine cannot count an event.
 */
bool rs_plan_init(struct rs_plan *plan, const struct rs_plan_options *options, struct rs_err *err);

/* Release the memory of a plan. plan may be zeroed. */
void rs_plan_finish(struct rs_plan *plan);

/* Return the event with this index in the segment, or NULL if there is none. Index 0 is time, which
 * has no event. */
const struct rs_event *rs_plan_event_of(const struct rs_plan *plan, uint32_t counter);

/* Return true if two events of a plan are parts of the same event of -e, or the same event. */
bool rs_event_is_same(const struct rs_event *a, const struct rs_event *b);

/* Do the same as rs_plan_init() for the machine that host describes, so that tests can use an
 * invented machine (plan/host.h). */
struct rs_host;
bool rs_plan_init_on(struct rs_plan *plan, const struct rs_plan_options *options,
	const struct rs_host *host, struct rs_err *err);

/* Fill events[RS_MAX_EVENTS] with the events of region groups, in the form and order of the segment
 * (lib/segment/layout.h). Groups are numbered from 0 without gaps. Set the member `counter` of each
 * event of the plan. */
struct rs_segment_event;
void rs_plan_segment_events(struct rs_plan *plan, struct rs_segment_event *events,
	uint32_t *n_events, uint32_t *n_groups);

#endif
