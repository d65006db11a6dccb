/* SPDX-License-Identifier: MIT */
/*
 * Merges the results of a run into the rows of a report. A result has the statistics of one region
 * on one thread slot. A row merges the results of one region over all slots, or over the slots of
 * one process or thread.
 */
#ifndef RS_STATS_MERGE_H
#define RS_STATS_MERGE_H

#include "stats/run.h"

/* ---- result.c: results of several threads, processes, kinds of work (--by-work) or runs ---- */

/*
 * Add up n results, each with n_values values of the same events, and fill `into`. The region,
 * process and thread of `into` stay as they are. If n is 1, `into` gets the ranks of the only
 * result; otherwise it has none. Arrays of `into` are in arena. Integers are exact, or stay at
 * their maximum if they overflow, so the order and grouping of additions do not matter. See
 * rs_value_merge() for values. Of several equally slow calls, the earliest one becomes the slowest
 * call.
 */
void rs_result_merge(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena);

/* Return true if a thread of the slot called the region. A thread that only ends calls that began
 * on other threads does not call it. The same is true of a thread that only starts asynchronous
 * calls that other threads stop. */
static inline bool rs_result_is_called(const struct rs_result *result)
{
	return result->calls | result->diag[RS_ACCUMULATOR_DIAG_LOST] |
	       result->diag[RS_ACCUMULATOR_DIAG_OPEN] | result->diag[RS_ACCUMULATOR_DIAG_CUT];
}

/* Return the overhead of all calls in ns. */
static inline long double rs_overhead_ns(const struct rs_overhead *overhead)
{
	return (long double)overhead->measured_ns + (long double)overhead->skipped_ns;
}

void rs_overhead_add(struct rs_overhead *overhead, const struct rs_overhead *more);

/* ---- merge.c ---- */

enum rs_merge_by {
	RS_MERGE_REGION,
	RS_MERGE_PROCESS, /* one row per region and process */
	RS_MERGE_THREAD, /* one row per region, process and thread slot */
};

struct rs_merge {
	struct rs_result *rows; /* sorted by the first use of regions, then by process or thread */
	size_t n_rows;
	/* rows of the calls that did the same work (--by-work); `rows` also contains these calls */
	struct rs_result *works;
	size_t n_works;
};

/*
 * Merge the results of a run and fill merge; its arrays are in arena. Exclude regions that were
 * never called and have no other counts to report. The parent of a row is the region that
 * rs_parents_make() finds; if that region has no row, the parent is the nearest enclosing region
 * that has a row. The parent does not depend on how rows are split.
 */
void rs_merge_make(struct rs_merge *merge, struct rs_arena *arena, const struct rs_run *run,
	enum rs_merge_by by);

/* ---- parents.c ---- */

/*
 * Find the parent of each region. Results say in which other regions the calls of a region began.
 * This gives a graph of regions over all threads and processes. The parent of a region is its
 * immediate dominator: the nearest region that is on every path from outside of all regions to it.
 * So the order of calls does not matter, and recursion does not make cycles.
 *
 * Fill parents[run->n_regions]. A region at the top of the tree has the parent RS_NO_REGION.
 * Regions that cannot be reached in the graph, such as those with asynchronous calls only, are also
 * at the top.
 */
void rs_parents_make(uint16_t *parents, const struct rs_run *run);

#endif
