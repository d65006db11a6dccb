/* SPDX-License-Identifier: MIT */
/*
 * Adding up the results of threads, processes, kinds of work, and runs.
 */
#ifndef RS_STATS_RESULT_H
#define RS_STATS_RESULT_H

#include "stats/run.h"

/*
 * Add up n results, each with n_values values of the same events, and fill into. The region,
 * process and thread of into stay as they are. Its ranks are those of a single result; several
 * results have none. Its arrays lie in arena. Integers are exact and saturate, so the order and
 * grouping of additions do not matter; for values see rs_value_merge(). Of equally slow calls the
 * earliest is the slowest.
 */
void rs_result_merge(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena);

/* Return true if the threads of a slot called the region. Threads that only end calls of other
 * threads, or only start calls that other threads stop, do not call it. */
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

#endif
