/* SPDX-License-Identifier: MIT */
/*
 * A comparison has two sides, an old one and a new one. Each side consists of several runs. The
 * comparison says how much each event of each region differs, and why. The control group is the set
 * of regions whose work is the same on both sides; it shows whether the machine changed. sides.c
 * fills a comparison from runs, and judge.c decides which differences are real.
 */
#ifndef RS_COMPARE_COMPARE_H
#define RS_COMPARE_COMPARE_H

#include <math.h>
#include <stdint.h>

#include "compare/estimate.h"
#include "base/arena.h"

/* An index that means "no event" or "no region". */
#define RS_NONE SIZE_MAX

/* The values of a region and an event that can be compared. */
enum rs_measure {
	RS_MEASURE_SELF, /* self total divided by the count of calls */
	RS_MEASURE_AVG, /* average: total divided by the count of calls */
	RS_MEASURE_TOTAL, /* sum over all calls, including nested regions */
	/* Sum over all calls without nested regions. For START/STOP regions, which do not nest, it
	 * equals the total. */
	RS_MEASURE_SELF_TOTAL,
	RS_MEASURE_CALLS,
	/* statistics of single calls */
	RS_MEASURE_P50,
	RS_MEASURE_P90,
	RS_MEASURE_P99,
	RS_MEASURE_MIN,
	RS_MEASURE_MAX,
	RS_MEASURE_N,
};
extern const char *const rs_measure_words[RS_MEASURE_N];
/* The values of one region and one event in one run. */
struct rs_point {
	bool is_known; /* If false, all other members are undefined. */
	double values[RS_MEASURE_N]; /* NAN if unknown */
	/* If a statistic of single calls is below this value, it is unknown, because the markers
	 * alone take this long. 0: there is no such limit. */
	double bound;
};

/* Return a point with these sums over all calls, without statistics of single calls. The point is
 * known unless total is NAN. */
struct rs_point rs_point_make(double calls, double total, double self);

/* Return one value of a point, or NAN if it is unknown. */
static inline double rs_point_get(const struct rs_point *point, enum rs_measure measure)
{
	return point->is_known ? point->values[measure] : NAN;
}

/* Kinds of events: they say what a difference in the event means. */
enum rs_compared_kind {
	RS_KIND_WORK, /* instructions: a difference means that the program does other work */
	RS_KIND_SPEED, /* cycles and times: the machine affects them as well */
	/* Elapsed time, if on-CPU time is also known. Other programs affect elapsed time, so it
	 * leads to no verdict. */
	RS_KIND_WALL,
	RS_KIND_COUNT, /* all other events */
	RS_KIND_CALLS, /* how many calls a region has */
	RS_KIND_OFF, /* off-CPU time; its differences are never shown */
	/* metrics; their differences are never shown, because metrics are computed from events */
	RS_KIND_METRIC,
};

/* Return true if events of this kind are amounts or times. For these, a smaller value is better. */
static inline bool rs_is_amount(enum rs_compared_kind kind)
{
	return kind <= RS_KIND_COUNT;
}

struct rs_compared_event {
	const char *name;
	const char *unit; /* "ns", "count", or the unit of a metric */
	enum rs_compared_kind kind;
};

struct rs_difference {
	/* The difference of the self value per call. For times and cycles, the change of the
	 * control group is subtracted, if there is one. */
	struct rs_estimate estimate;
	struct rs_estimate whole; /* the difference of the average: total per call */
	/* The difference is larger than chance explains, and larger than the differences between
	 * the runs of one side. */
	bool is_shown;
};

enum rs_verdict {
	RS_VERDICT_UNKNOWN, /* there are too few runs, or no values */
	RS_VERDICT_NONE, /* no difference is shown */
	RS_VERDICT_WORK, /* The work changed. */
	RS_VERDICT_SPEED, /* Only the speed changed. */
	RS_VERDICT_CALLS, /* The number of calls changed. */
	RS_VERDICT_MOVED, /* Work moved between the region and its parent. */
	RS_VERDICT_COUNT, /* Only events of RS_KIND_COUNT changed. */
	RS_VERDICT_OLD, /* Only the old side has the region. */
	RS_VERDICT_NEW, /* Only the new side has the region. */
};
#define RS_VERDICT_N (RS_VERDICT_NEW + 1u)
/* The names of verdicts: a few words for reports that people read, and one word for JSON. */
extern const struct rs_verdict_name {
	const char *text, *word;
} rs_verdict_names[RS_VERDICT_N];

struct rs_compared_region {
	const char *name;
	size_t parent; /* RS_NONE if the region has no parent or several parents */
	bool is_run; /* This is the whole run, which is not a region and not in the control
		      * group. */
	bool is_in[2]; /* for each side: true if any run of the side has the region */
	enum rs_verdict verdict;
	size_t event; /* index of the event that led to the verdict, or RS_NONE */
	size_t partner; /* if the verdict is RS_VERDICT_MOVED: index of the other region */
	/* How much the region's self total changed, as a share of the old side's whole run; NAN if
	 * unknown. */
	double effect;
	double share; /* the region's self total as a share of the old side's whole run, or NAN */
	/* A call of the region is so short that the overhead of markers, which differs from run to
	 * run, is a large part of it. */
	bool is_short;
	bool is_control; /* The region is in the control group. */
};

/* Verdicts on the machine, from the change that all regions of the control group share. */
enum rs_machine_verdict {
	RS_MACHINE_UNKNOWN, /* The control group is too small. */
	RS_MACHINE_SAME,
	RS_MACHINE_CHANGED, /* The machine changed between the sides. */
	/* The control group changed although the runs of both sides alternated. The machine did not
	 * cause the change, so the program may have changed in all regions. */
	RS_MACHINE_ALL_ALIKE,
};

struct rs_comparison {
	struct rs_design design;
	struct rs_compared_run *runs; /* the runs to which `design` points */
	struct rs_compared_region *regions;
	size_t n_regions;
	struct rs_compared_event *events;
	size_t n_events;
	struct rs_point *points; /* a point for each event, region and run; the index of the run
				  * varies fastest */
	struct rs_difference *differences; /* a difference for each event and region; the index of
					    * the region varies fastest */
	size_t work; /* the index of the event that decides verdicts on work */
	/* The index of the event that decides verdicts on speed: cpu-time, or time if cpu-time is
	 * unknown. Effects are shares of this event's total. */
	size_t speed;
	enum rs_machine_verdict machine;
	struct rs_estimate
		machine_ratio; /* ratio of the event `speed` in the control group, new side to old
			        * side */
	/* ratio of the event `speed` in the control group, second half of the runs to first half */
	struct rs_estimate drift;
	bool has_drift;
	size_t n_control;
	double *room; /* scratch memory: RS_COMPARISON_ROOM elements for each run */
	struct rs_arena arena;
};

#define RS_COMPARISON_ROOM (1 + RS_SUMS_ROOM)

/* Allocate a comparison whose points are all unknown. The caller releases it with
 * rs_comparison_finish(). Call this function and rs_comparison_judge() in rs_arena_guard(). */
void rs_comparison_init(
	struct rs_comparison *comparison, size_t n_regions, size_t n_events, size_t n_runs);
void rs_comparison_finish(struct rs_comparison *comparison);

struct rs_point *rs_comparison_point(
	const struct rs_comparison *comparison, size_t event, size_t region, size_t run);
struct rs_difference *rs_comparison_difference(
	const struct rs_comparison *comparison, size_t event, size_t region);

/* Set the differences, the verdicts, the members about the machine, and is_in and is_control of
 * regions. The caller must have set all other members. */
void rs_comparison_judge(struct rs_comparison *comparison);

/* Return the median of a measure over the runs of one side, with its interval. */
struct rs_level rs_comparison_level(const struct rs_comparison *comparison, size_t event,
	size_t region, unsigned side, enum rs_measure measure);

/* Estimate the difference of one measure of a region and event. Use only the values of this region,
 * and no struct rs_prior. Rules and detailed reports use this function. */
struct rs_estimate rs_comparison_estimate(const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure);

/* Return the index of the event with that name, or RS_NONE. */
size_t rs_comparison_find_event(const struct rs_comparison *comparison, const char *name);

/* Return true if instructions were counted. In this case instructions, and not times, decide
 * verdicts on work. */
bool rs_comparison_counts_instructions(const struct rs_comparison *comparison);

/* Return true if a difference is shown for any region or for the machine. */
bool rs_comparison_has_difference(const struct rs_comparison *comparison);

/* Return true if there are regions that both sides have, but none of them has enough runs for a
 * verdict. */
bool rs_comparison_lacks_runs(const struct rs_comparison *comparison);

#endif
