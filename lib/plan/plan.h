/* SPDX-License-Identifier: MIT */
/*
 * The events to count, and how: from the user's event strings to groups of ready perf_event_attr.
 * The plan is made before the segment and the program exist, and does not change during a run.
 */
#ifndef RS_PLAN_PLAN_H
#define RS_PLAN_PLAN_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "metrics/metric.h"
#include "plan/core_pmus.h"
#include "plan/names.h"

enum rs_event_status {
	RS_EVENT_OK,
	RS_EVENT_NOT_SUPPORTED, /* known, but this machine cannot count it: see reason */
	RS_EVENT_NOT_PERMITTED, /* we may not: see reason */
};

/*
 * One event of the plan; `time` is not one of them, it is always measured. Where cores are of
 * several types, an event without a PMU becomes one event for each core PMU: its parts. They share
 * name and position, and their counts add up.
 */
struct rs_event {
	char *name; /* as reports show it: what the user wrote, or its name= term; owned */
	char *part_name; /* of a part: "cpu_core/cycles/", as -e takes it alone; else NULL; owned */
	size_t core_pmu; /* 1 + index in plan.core_pmus of the PMU that alone counts it, 0: none */
	const struct rs_name *generic; /* the generic event that it is, or NULL */
	const char *unit; /* "ns" for task-clock and cpu-clock, else "count" */
	char *help; /* one line: what it counts; owned, may be NULL */
	/* size, type, config, exclude_*; no read_format, not disabled, not inherited, not pinned:
	 * the code that opens it sets those */
	struct perf_event_attr attr;
	enum rs_event_status status;
	char *reason; /* several lines as in struct rs_err, without the "cannot count": why it is
			 not counted and what to do; NULL when it is; owned */
	int group; /* index in plan.groups; -1 when status is not OK */
	bool in_regions; /* counted per region */
	bool in_totals; /* counted for the run */
	size_t position; /* in the order that the user wrote, from 0: groups may move events */
	/* its number among the values of the segment, where time is 0: 1 + its place in
	 * rs_plan_segment_events(), which sets it; 0: it is not in the segment */
	uint32_t quantity;
};

/* Events that are on the PMU together: events[first] .. events[first + n_events - 1]. */
struct rs_group {
	size_t first;
	size_t n_events;
	bool in_regions;
	bool pinned; /* in regions it has its counters for good, as attr.pinned says */
	bool totals_apart; /* no room for the run's totals of it as one group: event by event */
	bool totals_whole; /* the run's totals of it fit beside the regions: never off the PMU */
	size_t core_pmu; /* of its events: where cores are of several types, no two share a group */
};

/* A metric that was asked for. */
struct rs_plan_metric {
	const struct rs_metric_rule *rule; /* borrowed */
	size_t positions[RS_METRIC_MAX_EVENTS]; /* of rule->events, as events of the plan have it */
	char *reason; /* why it is not possible here, as an event's; NULL: it is; owned */
};

/* The lines of the reason of a metric that is not possible, behind its first: what is so here, and what
 * to do; "" or from a newline on. */
static inline const char *rs_plan_metric_remedy(const struct rs_plan_metric *metric)
{
	return strchrnul(metric->reason, '\n');
}

struct rs_plan {
	struct rs_event *events; /* in the user's order, but that a group's are neighbours */
	size_t n_events;
	struct rs_group *groups; /* ascending by first; covers every event that is OK */
	size_t n_groups;
	struct rs_plan_metric *metrics; /* in the user's order */
	size_t n_metrics;
	char *note; /* one line for the reader, such as why no hardware event is counted; or NULL */
	struct rs_core_pmus core_pmus; /* of the machine */
	/* the groups of regions exceed a PMU: they are multiplexed on it ... */
	bool regions_rotate;
	bool is_forced; /* ... but for --pin */
	bool has_coarse_times; /* the kernel divides user_time from system_time by ticks */
	char *fit_note; /* one line: what gets the PMU; NULL when no group needs it */
};

/* The user's wish. */
struct rs_plan_options {
	const char *const *event_strings; /* the arguments of -e, in order */
	size_t n_event_strings; /* 0: the default events, unless there are metrics */
	const struct rs_metric_rule *const *metrics; /* -M, in order; must outlive the plan */
	size_t n_metrics;
	bool strict; /* an event that cannot be counted is an error */
	bool pin; /* give regions their counters for good even where they do not fit the PMU */
	bool no_totals; /* count nothing for the whole run */
};

/*
 * Parse event strings, resolve names, find what this machine can count, and group the events.
 *
 * Ungrouped events are packed, in order, into as few groups as the kernel accepts, software events
 * apart from the PMU's; {a,b} stays one group as written. Every group is tried with
 * perf_event_open(2) on the calling process, and then what of them fits the PMU at once.
 * plan: filled on success; release with rs_plan_finish().
 * False, with err filled: a syntax error, an unknown event (near names suggested), a {group} that
 * can never be on the PMU together. Also more than RS_MAX_EVENTS or RS_MAX_GROUPS, where each part
 * counts. With strict also an event that this machine cannot count.
 */
bool rs_plan_init(struct rs_plan *plan, const struct rs_plan_options *options, struct rs_err *err);

/* Release what the plan owns. plan: filled, zeroed, or NULL. */
void rs_plan_finish(struct rs_plan *plan);

/* The event with a number in the segment; NULL: none has it, as for 0, time. */
const struct rs_event *rs_plan_event_of(const struct rs_plan *plan, uint32_t quantity);

/* Whether two events of a plan are parts of one that the user wrote, or the same. */
bool rs_event_is_same(const struct rs_event *a, const struct rs_event *b);

/* The same for a made-up machine (plan/host.h), so that tests can say what it offers. */
struct rs_host;
bool rs_plan_init_on(struct rs_plan *plan, const struct rs_plan_options *options,
	const struct rs_host *host, struct rs_err *err);

/* The events of region groups as the segment wants them (lib/segment/layout.h): in plan order,
 * groups numbered from 0 without gaps. events[RS_MAX_EVENTS]: filled. Sets the number of each event
 * of the plan. */
struct rs_segment_event;
void rs_plan_segment_events(struct rs_plan *plan, struct rs_segment_event *events,
	uint32_t *n_events, uint32_t *n_groups);

#endif
