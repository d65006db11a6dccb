/* SPDX-License-Identifier: MIT */
/*
 * Shared by tests of collections and summaries: a segment to fill, the example plan, an outcome,
 * and functions that read the segment. Events 0 to 2 of the plan are in the segment: instructions
 * and cycles in group 0, page-faults in group 1. 2 ticks are 1 ns; the run takes 1 ms.
 */
#ifndef RS_TEST_STATS_FIXTURE_H
#define RS_TEST_STATS_FIXTURE_H

#include "builder.h"
#include "plan_example.h"
#include "report/findings.h"
#include "stats/summary.h"

/* Columns, in the user's order of the example plan. */
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
extern struct rs_total totals[RS_MAX_EVENTS];
extern struct rs_outcome outcome;
extern struct rs_summary summary;
extern struct rs_findings findings; /* findings of the summary */
extern struct rs_summary_options options;
extern struct rs_run run_record; /* tests may set its `how` */
extern struct rs_run collection; /* tests may set its plan */

/* Called before and after each test. */
void fixture_start(void);
void fixture_finish(void);

/* Start with this segment, without a plan, and a run of 1,000,000 ticks, each of which is 1 ns. */
void fixture_start_ticks(void);

/* Start so with other events, as in builder_init(), and so many ticks. */
void fixture_start_segment(uint32_t n_events, const uint32_t *event_group, uint64_t ticks);

/* Collect the segment, which may be damaged. try_to_collect() returns false on an error. */
void collect(void);
bool try_to_collect(struct rs_err *error);

/* Collect the segment, which must be undamaged, and make its summary. */
void summarize(void);

/* Make a summary without the contents of the segment. */
void summarize_totals_only(void);

/* Return a call on process 70, thread 71, which was counted during all of its 100 ns. */
struct builder_call call_of(const uint64_t *deltas);
#define CALL(...) call_of((uint64_t[]){__VA_ARGS__})

/* Record a call of so many ticks, with 1000 * scale instructions, 500 * scale cycles and 7 * scale
 * faults. */
void record(struct rs_accumulator *accumulator, uint64_t ticks, uint64_t scale);

/* Add a new region on a new slot of a new process. The thread lived for 10,000 ticks. */
struct rs_accumulator *add_accumulator(const char *name, uint32_t pid, uint32_t tid);

/* Return true if any warning, note or detail contains part. */
bool is_warned(const char *part);
bool is_noted(const char *part);
bool is_detailed(const char *part);

/* Return the number of findings with this severity. */
size_t count_findings(enum rs_severity severity);

/* Return the finding with this code, or NULL. */
const struct rs_finding *find_finding(const char *code);

/* Return a text that shows the metrics of a row: "NAME VALUE UNIT of COLUMN, ...", with the status
 * in place of a value that is not known. */
const char *show_metrics(const struct rs_summary_region *region);

#endif
