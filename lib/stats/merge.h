/* SPDX-License-Identifier: MIT */
/*
 * From a run's results, each of a region on a thread slot, to the rows that a report shows. Rows are
 * merged by region, or split by process or by thread.
 */
#ifndef RS_STATS_MERGE_H
#define RS_STATS_MERGE_H

#include "stats/run.h"

enum rs_merge_by {
	RS_MERGE_REGION,
	RS_MERGE_PROCESS, /* region and process */
	RS_MERGE_THREAD, /* region, process and thread slot */
};

struct rs_merge {
	struct rs_result *rows; /* by region, in first-seen order, then by process or thread */
	size_t n_rows;
	struct rs_result *works; /* the same of calls that did the same work, in rows as well */
	size_t n_works;
};

/*
 * Merge the results of a run. Regions that were never called and have nothing to report are
 * excluded. A row stands under the region that rs_parents_make() finds, or the next one around it
 * that has a row, whatever rows are split by. merge: filled on success, its arrays in arena.
 * False, with err filled: no memory.
 */
bool rs_merge_make(struct rs_merge *merge, struct rs_arena *arena, const struct rs_run *run,
	enum rs_merge_by by, struct rs_err *err);

#endif
