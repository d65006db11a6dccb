/* SPDX-License-Identifier: MIT */
/*
 * Two sides, each of several runs, beside each other: what every region and event differs by, and what
 * the difference is of. sides.c fills it from runs, judge.c judges.
 */
#ifndef RS_COMPARE_COMPARE_H
#define RS_COMPARE_COMPARE_H

#include <stdint.h>

#include "compare/estimate.h"
#include "stats/arena.h"

/* No event, no region. */
#define RS_NONE SIZE_MAX

/* What one region has of one event in one run. */
struct rs_point {
	bool is_known; /* else none of these exists */
	double calls;
	double total; /* with nested regions */
	double self; /* without; of what lies outside of the nesting: total */
	double p50, p90, p99, min, max; /* of a call; NAN where unknown */
};

/* The numbers of a point that can be compared. */
enum rs_measure {
	RS_MEASURE_SELF, /* a call */
	RS_MEASURE_AVG, /* the average: total a call */
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
double rs_point_get(const struct rs_point *point, enum rs_measure measure); /* NAN: unknown */

/* What a difference of an event says. */
enum rs_compared_kind {
	RS_KIND_WORK, /* instructions: the program does something else */
	RS_KIND_SPEED, /* cycles and times: the machine, too, has a part in them */
	RS_KIND_WALL, /* time, where on-CPU time is known: other programs have a part in it, and it
			 has no verdict */
	RS_KIND_COUNT, /* other events */
	RS_KIND_CALLS, /* how often regions are called */
	RS_KIND_OFF, /* time off the CPU, which is not judged */
	RS_KIND_METRIC, /* neither are metrics, which follow from events */
};

struct rs_compared_event {
	const char *name;
	const char *unit; /* "ns", "count", or that of a metric */
	enum rs_compared_kind kind;
};

struct rs_difference {
	struct rs_estimate
		estimate; /* of self a call; relative to the control group where there is one */
	struct rs_estimate whole; /* of total a call, the average */
	bool is_shown; /* more than chance, and than the region differs from itself */
};

enum rs_verdict {
	RS_VERDICT_UNKNOWN, /* there are too few runs, or no numbers */
	RS_VERDICT_NONE, /* no difference is shown */
	RS_VERDICT_WORK, /* work changed */
	RS_VERDICT_SPEED, /* only speed changed */
	RS_VERDICT_CALLS, /* it is called more or less often */
	RS_VERDICT_MOVED, /* a cost went from it to its parent, or came from there */
	RS_VERDICT_COUNT, /* only other events changed */
	RS_VERDICT_OLD, /* the old side alone has it */
	RS_VERDICT_NEW, /* the new side alone */
};
#define RS_VERDICT_N (RS_VERDICT_NEW + 1u)
/* Each in a few words, and in one for programs. */
extern const char *const rs_verdict_texts[RS_VERDICT_N];
extern const char *const rs_verdict_words[RS_VERDICT_N];

struct rs_compared_region {
	const char *name;
	size_t parent; /* RS_NONE: it has none, or several */
	bool is_run; /* the whole run: not a region, and not in the control group */
	bool is_in[2]; /* of each side, whether any run has it */
	enum rs_verdict verdict;
	size_t event; /* of the difference that the verdict is about; RS_NONE: none */
	size_t partner; /* of RS_VERDICT_MOVED */
	double effect; /* difference of its own total, as part of the old side's whole; NAN: unknown */
	bool is_control; /* its work is the same: it shows what the machine does */
};

/* What all regions of the control group have in common. */
enum rs_machine_verdict {
	RS_MACHINE_UNKNOWN, /* the control group is too small */
	RS_MACHINE_SAME,
	RS_MACHINE_CHANGED, /* between the sides */
	RS_MACHINE_ALL_ALIKE, /* runs of both sides alternated, so that it is the program, or all of it */
};

struct rs_comparison {
	struct rs_design design;
	struct rs_compared_run *runs; /* of the design */
	struct rs_compared_region *regions;
	size_t n_regions;
	struct rs_compared_event *events;
	size_t n_events;
	struct rs_point *points; /* of each event, of each region, one a run */
	struct rs_difference *differences; /* of each event, one a region */
	size_t work; /* the event that verdicts on work are made of */
	size_t speed; /* and on speed: cpu-time, else time; effects are parts of its total */
	enum rs_machine_verdict machine;
	struct rs_estimate
		machine_ratio; /* of speed in the control group: the new side to the old */
	struct rs_estimate drift; /* of the second half of the runs to the first one */
	bool has_drift;
	size_t n_control;
	struct rs_arena arena;
};

/* Room for all of these; points are unknown. False: no memory. Release with rs_comparison_finish(). */
bool rs_comparison_init(
	struct rs_comparison *comparison, size_t n_regions, size_t n_events, size_t n_runs);
void rs_comparison_finish(struct rs_comparison *comparison);

struct rs_point *rs_comparison_point(
	const struct rs_comparison *comparison, size_t event, size_t region, size_t run);
struct rs_difference *rs_comparison_difference(
	const struct rs_comparison *comparison, size_t event, size_t region);

/* Fill differences, verdicts and the machine's part. All else is filled, but for is_in and is_control.
 * False: no memory. */
bool rs_comparison_judge(struct rs_comparison *comparison);

/* Any number of a region and event, with no prior: for rules and details. */
struct rs_estimate rs_comparison_estimate(const struct rs_comparison *comparison, size_t event,
	size_t region, enum rs_measure measure);

/* The event of that name; RS_NONE: none. */
size_t rs_comparison_find_event(const struct rs_comparison *comparison, const char *name);

/* Whether any difference is shown. */
bool rs_comparison_has_difference(const struct rs_comparison *comparison);

#endif
