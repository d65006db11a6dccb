/* SPDX-License-Identifier: MIT */
/*
 * Summaries of a machine with two types of cores. The plan has events that are counted in parts,
 * and the segment has one region, `render`, for tests to fill. Groups are pinned; 1 tick is 1 ns.
 */
#ifndef RS_TEST_STATS_HYBRID_H
#define RS_TEST_STATS_HYBRID_H

#include "builder.h"
#include "report/findings.h"
#include "stats/summary.h"

/* Events of the plan, in the order of their groups. Regions count all but the last two. */
enum {
	CORE_CYCLES,
	CORE_INSTRUCTIONS,
	ATOM_CYCLES,
	ATOM_INSTRUCTIONS,
	CORE_ALONE,
	ATOM_LOADS, /* not supported: only cpu_core counts loads */
	N_EVENTS,
};
#define N_REGION_EVENTS 5u

/* Columns: the user wrote instructions,cycles,cpu_core/r1/ and in some tests loads. */
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
extern struct rs_accumulator *accumulator;

/* Called before and after each test. */
void hybrid_start(void);
void hybrid_finish(void);

/* Set an event of the plan. part_name: NULL if it is not a part. */
void hybrid_set_event(size_t index, const char *name, const char *part_name, size_t position);

/* Record a call that one group counted whole. N_GROUPS: no group counted it. The event was enabled
 * as long as it ran. */
void hybrid_record(size_t group, uint64_t ns, uint64_t cycles, uint64_t instructions);

/* Set all times of a group, including those of calls that it counted partly. */
void hybrid_set_times(size_t group, uint64_t enabled_ns, uint64_t running_ns);

/* Collect the segment and make its summary. May be called again. */
void hybrid_summarize(void);

/* Return a value of `render`, or a metric, which is NAN if it is missing. */
const struct rs_value *hybrid_value(size_t column);
double hybrid_metric(size_t column, const char *name);

/* Return true if a finding of this severity contains part. */
bool hybrid_finds(enum rs_severity severity, const char *part);

#endif
