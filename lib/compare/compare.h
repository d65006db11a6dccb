/* SPDX-License-Identifier: MIT */
/*
 * Comparing two sides, each of several runs: how much every region and event differs, and the cause
 * of the difference. sides.c fills the comparison from runs, and judge.c judges it.
 */
#ifndef RS_COMPARE_COMPARE_H
#define RS_COMPARE_COMPARE_H

#include <stdint.h>

#include "compare/estimate.h"
#include "stats/arena.h"

/* An index that means "no event" or "no region". */
#define RS_NONE SIZE_MAX

/* The values of one region and one event in one run. */
struct rs_point {
	bool is_known; /* If false, all other members are undefined. */
	double calls;
	double total; /* including nested regions */
	/* Without nested regions. It equals total for a region outside of the nesting. */
	double self;
	double p50, p90, p99, min, max; /* values of a call; NAN if unknown */
	double bound; /* Values of a call below this are unknown: markers take as long. 0: none. */
};

/* Values of a point that can be compared. */
enum rs_measure {
	RS_MEASURE_SELF, /* self per call */
	RS_MEASURE_AVG, /* average: total per call */
	RS_MEASURE_TOTAL,
	RS_MEASURE_SELF_TOTAL,
	RS_MEASURE_CALLS,
	RS_MEASURE_P50,
	RS_MEASURE_P90,
	RS_MEASURE_P99,
	RS_MEASURE_MIN,
	RS_MEASURE_MAX,
	RS_MEASURE_N,
};
extern const char *const rs_measure_words[RS_MEASURE_N];
/* Return one value of a point, or NAN if it is unknown. */
double rs_point_get(const struct rs_point *point, enum rs_measure measure);

/* Meanings of a difference in an event. */
enum rs_compared_kind {
	RS_KIND_WORK, /* instructions: the program does other work */
	RS_KIND_SPEED, /* cycles and times: the machine affects them as well */
	/* Elapsed time, if on-CPU time is known as well. Other programs affect it, so it has no
	 * verdict. */
	RS_KIND_WALL,
	RS_KIND_COUNT, /* other events */
	RS_KIND_CALLS, /* number of calls of regions */
	RS_KIND_OFF, /* off-CPU time, which is not judged */
	RS_KIND_METRIC, /* metrics, which are not judged: they follow from events */
};

struct rs_compared_event {
	const char *name;
	const char *unit; /* "ns", "count", or the unit of a metric */
	enum rs_compared_kind kind;
};

struct rs_difference {
	/* Self per call. For times and cycles it is relative to the control group, if there is
	 * one. */
	struct rs_estimate estimate;
	struct rs_estimate whole; /* total per call, the average */
	/* The difference is greater than chance, and greater than the region's difference within
	 * one side. */
	bool is_shown;
};

enum rs_verdict {
	RS_VERDICT_UNKNOWN, /* too few runs, or no values */
	RS_VERDICT_NONE, /* no difference is shown */
	RS_VERDICT_WORK, /* The work changed. */
	RS_VERDICT_SPEED, /* Only the speed changed. */
	RS_VERDICT_CALLS, /* The number of calls changed. */
	RS_VERDICT_MOVED, /* A cost moved between the region and its parent. */
	RS_VERDICT_COUNT, /* Only other events changed. */
	RS_VERDICT_OLD, /* Only the old side has the region. */
	RS_VERDICT_NEW, /* Only the new side has the region. */
};
#define RS_VERDICT_N (RS_VERDICT_NEW + 1u)
/* The verdict in a few words for people, and in one word for programs. */
extern const char *const rs_verdict_texts[RS_VERDICT_N];
extern const char *const rs_verdict_words[RS_VERDICT_N];

struct rs_compared_region {
	const char *name;
	size_t parent; /* RS_NONE if it has no parent, or several */
	bool is_run; /* The whole run. It is not a region and not in the control group. */
	bool is_in[2]; /* for each side: true if any run of it has the region */
	enum rs_verdict verdict;
	size_t event; /* the event that the verdict is about, or RS_NONE */
	size_t partner; /* the other region, with RS_VERDICT_MOVED */
	/* The difference of its total self value as a share of the old side's whole; NAN if
	 * unknown. */
	double effect;
	bool is_control; /* Its work is the same, so it shows what the machine does. */
};

/* Verdicts on the machine, from what the regions of the control group have in common. */
enum rs_machine_verdict {
	RS_MACHINE_UNKNOWN, /* The control group is too small. */
	RS_MACHINE_SAME,
	RS_MACHINE_CHANGED, /* The machine changed between the sides. */
	/* The control group changed although the runs of both sides alternated. So the cause is the
	 * program, perhaps all of it. */
	RS_MACHINE_ALL_ALIKE,
};

struct rs_comparison {
	struct rs_design design;
	struct rs_compared_run *runs; /* the runs in `design` */
	struct rs_compared_region *regions;
	size_t n_regions;
	struct rs_compared_event *events;
	size_t n_events;
	struct rs_point *points; /* a point for each event, region and run, in this order */
	struct rs_difference *differences; /* a difference for each event and region */
	size_t work; /* the event that decides verdicts on work */
	/* The event that decides verdicts on speed: cpu-time, else time. Effects are shares of its
	 * total. */
	size_t speed;
	enum rs_machine_verdict machine;
	struct rs_estimate
		machine_ratio; /* The ratio of speed in the control group: new side to old side. */
	struct rs_estimate drift; /* the ratio of the second half of the runs to the first half */
	bool has_drift;
	size_t n_control;
	struct rs_arena arena;
};

/* Allocate a comparison whose points are all unknown. Return false if memory runs out. The caller
 * releases it with rs_comparison_finish(). */
bool rs_comparison_init(
	struct rs_comparison *comparison, size_t n_regions, size_t n_events, size_t n_runs);
void rs_comparison_finish(struct rs_comparison *comparison);

struct rs_point *rs_comparison_point(
	const struct rs_comparison *comparison, size_t event, size_t region, size_t run);
struct rs_difference *rs_comparison_difference(
	const struct rs_comparison *comparison, size_t event, size_t region);

/* Fill the differences, the verdicts and the machine's part. The caller has filled all else, except
 * is_in and is_control. Return false if memory runs out. */
bool rs_comparison_judge(struct rs_comparison *comparison);

/* Estimate the difference of any measure of a region and event, without a prior. Rules and detailed
 * reports use this. */
struct rs_estimate rs_comparison_estimate(const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure);

/* Return the index of the event with that name, or RS_NONE. */
size_t rs_comparison_find_event(const struct rs_comparison *comparison, const char *name);

/* Return true if verdicts on work are about instructions, not about times. */
bool rs_comparison_counts_instructions(const struct rs_comparison *comparison);

/* Return true if any region or the machine has a difference. */
bool rs_comparison_has_difference(const struct rs_comparison *comparison);

/* Return true if no region that both sides have has enough runs for a verdict. */
bool rs_comparison_lacks_runs(const struct rs_comparison *comparison);

#endif
