/* SPDX-License-Identifier: MIT */
/*
 * The rows that a report shows, made from a run's results. A result is a region on a thread slot. A
 * row merges the results of its region over all slots, or over those of a process or a thread.
 */
#ifndef RS_STATS_MERGE_H
#define RS_STATS_MERGE_H

#include "stats/run.h"

enum rs_merge_by {
	RS_MERGE_REGION,
	RS_MERGE_PROCESS, /* one row per region and process */
	RS_MERGE_THREAD, /* one row per region, process and thread slot */
};

struct rs_merge {
	struct rs_result *rows; /* sorted by the first use of regions, then by process or thread */
	size_t n_rows;
	/* rows of calls that did the same work; rows has these calls too */
	struct rs_result *works;
	size_t n_works;
};

/*
 * Merge the results of a run and fill merge; its arrays lie in arena. Regions that were never
 * called and have nothing to report are excluded. The parent of a row is the region that
 * rs_parents_make() finds, or the next one around it with a row. It does not depend on how rows are
 * split.
 */
void rs_merge_make(struct rs_merge *merge, struct rs_arena *arena, const struct rs_run *run,
	enum rs_merge_by by);

/* ---- parents.c ---- */

/*
 * Find the parent of each region. Results say in which regions calls began, which gives a graph of
 * regions. A region's parent is its immediate dominator: the nearest region that all paths from
 * outside lead through, over all threads and processes. So the order of calls does not matter, and
 * recursion is harmless.
 *
 * Fill parents[run->n_regions], with RS_NO_REGION at the top of the tree. Regions whose calls began
 * in no known order, such as asynchronous calls, are at the top too. There are no cycles.
 */
void rs_parents_make(uint16_t *parents, const struct rs_run *run);

#endif
