/* SPDX-License-Identifier: MIT */
/*
 * Summaries of a machine with two types of cores: a plan whose events are counted in parts, and a
 * segment with one region, `render`, to fill. Groups are pinned; 1 tick is 1 ns.
 */
#ifndef RS_TEST_STATS_HYBRID_H
#define RS_TEST_STATS_HYBRID_H

#include "builder.h"
#include "report/findings.h"
#include "stats/summary.h"

/* The plan's events, in the order of their groups; all but the last two are of regions. */
enum {
	CORE_CYCLES,
	CORE_INSTRUCTIONS,
	ATOM_CYCLES,
	ATOM_INSTRUCTIONS,
	CORE_ALONE,
	ATOM_LOADS, /* not supported: loads are cpu_core's alone */
	N_EVENTS,
};
#define N_REGION_EVENTS 5u

/* The user wrote instructions,cycles,cpu_core/r1/; then loads where a test wants them. */
enum {
	TIME,
	INSTRUCTIONS = RS_EVENT_FIRST,
	INSTRUCTIONS_CORE,
	INSTRUCTIONS_ATOM,
	CYCLES,
	CYCLES_CORE,
	CYCLES_ATOM,
	ALONE,
	N_COLUMNS,
};

enum { CORE, ATOM, APART, N_GROUPS };

extern struct builder builder;
extern struct rs_event events[N_EVENTS];
extern struct rs_group groups[N_GROUPS];
extern struct rs_plan plan;
extern struct rs_total totals[N_EVENTS];
extern struct rs_summary summary;
extern struct rs_cell *cell;

/* Before and after each test. */
void hybrid_start(void);
void hybrid_finish(void);

/* Make an event of the plan. part_name: NULL for one that is no part. */
void hybrid_set_event(size_t index, const char *name, const char *part_name, size_t position);

/* A call that one group counts whole, or with N_GROUPS none: wanted as long as it ran. */
void hybrid_record(size_t group, uint64_t ns, uint64_t cycles, uint64_t instructions);

/* Set all times of a group, including those of calls that it counted in part. */
void hybrid_set_times(size_t group, uint64_t enabled_ns, uint64_t running_ns);

/* Collect and sum up, once more if need be. */
void hybrid_summarize(void);

/* A value of `render`; one of its metrics, NAN without. */
const struct rs_value *hybrid_value(size_t column);
double hybrid_metric(size_t column, const char *name);

/* Is part in a finding of that severity? */
bool hybrid_finds(enum rs_severity severity, const char *part);

#endif
