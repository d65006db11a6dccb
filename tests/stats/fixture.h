/* SPDX-License-Identifier: MIT */
/*
 * Shared by tests of the summary: a segment to fill, the example plan, an outcome, and the way from
 * there to a summary. The plan's events 0 to 2 are in the segment: instructions and cycles in group
 * 0, page-faults in group 1. 2 ticks are 1 ns; the run takes 1 ms.
 */
#ifndef RS_TEST_STATS_FIXTURE_H
#define RS_TEST_STATS_FIXTURE_H

#include "builder.h"
#include "plan_example.h"
#include "report/findings.h"
#include "stats/summary.h"

/* Columns: the user's order of the example plan. */
enum {
	COLUMN_TIME,
	COLUMN_TASK_CLOCK = RS_EVENT_FIRST,
	COLUMN_CYCLES,
	COLUMN_INSTRUCTIONS,
	COLUMN_BRANCHES,
	COLUMN_FAULTS,
	N_COLUMNS,
};

extern struct builder builder;
extern struct plan_example plan;
extern struct rs_total totals[PLAN_EXAMPLE_EVENTS];
extern struct rs_outcome outcome;
extern struct rs_summary summary;
extern struct rs_findings findings; /* of the summary */
extern struct rs_summary_options options;
extern struct rs_run run_record; /* its how is for tests to set */

/* Before and after each test. */
void fixture_start(void);
void fixture_finish(void);

/* Collect the segment, which must be undamaged, and sum it up. */
void summarize(void);

/* Sum up without what the segment holds. */
void summarize_totals_only(void);

/* A call of process 70, thread 71, counted all of its 100 ns. */
struct builder_call call_of(const uint64_t *deltas);

/* A call of ticks, with 1000 * scale instructions, 500 * scale cycles, 7 * scale faults. */
void record(struct rs_cell *cell, uint64_t ticks, uint64_t scale);

/* A new region on a new slot, alive for 10,000 ticks, of a new process. */
struct rs_cell *add_cell(const char *name, uint32_t pid, uint32_t tid);

/* Is part in one of the findings that are warnings, notes, or details? */
bool is_warned(const char *part);
bool is_noted(const char *part);
bool is_detailed(const char *part);

/* How many findings are such. */
size_t count_findings(enum rs_severity severity);

/* The one of a code; NULL: there is none. */
const struct rs_finding *find_finding(const char *code);

#endif
