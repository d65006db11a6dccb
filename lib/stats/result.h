/* SPDX-License-Identifier: MIT */
/*
 * Adding up results: of threads, processes, kinds of work, and runs.
 */
#ifndef RS_STATS_RESULT_H
#define RS_STATS_RESULT_H

#include "stats/run.h"

/*
 * Add up n results, each of n_values values of the same events. Integers are exact and saturate, so
 * that neither the order nor the grouping of what is added up matters to them; rs_value_merge() says
 * what holds for values. Of equally slow calls the earliest is the slowest.
 * into: its region, process and thread are set, and stay; all else is filled. It has the ranks of
 * a single result, and none of several. Its arrays lie in
 * arena. False: no memory.
 */
bool rs_result_merge(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena);

/* Return true if the threads of a slot called the region. Threads that only end calls of other
 * threads, or only start calls that other threads stop, do not call it. */
static inline bool rs_result_is_called(const struct rs_result *result)
{
	return result->calls | result->diag[RS_CELL_DIAG_LOST] | result->diag[RS_CELL_DIAG_OPEN] |
	       result->diag[RS_CELL_DIAG_CUT];
}

/* All of it, in ns. */
static inline long double rs_overhead_ns(const struct rs_overhead *overhead)
{
	return overhead->measured_ns + overhead->skipped_ns;
}

void rs_overhead_add(struct rs_overhead *overhead, const struct rs_overhead *more);

#endif
