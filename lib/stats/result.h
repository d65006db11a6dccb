/* SPDX-License-Identifier: MIT */
/*
 * Adds up results: those of several threads, processes, kinds of work (--by-work) or runs.
 */
#ifndef RS_STATS_RESULT_H
#define RS_STATS_RESULT_H

#include "stats/run.h"

/*
 * Add up n results, each with n_values values of the same events, and fill into. The region,
 * process and thread of into stay as they are. If n is 1, into gets the ranks of the only result;
 * otherwise it has none. Arrays of into are in arena. Integers are exact, or stay at their maximum
 * if they overflow, so the order and grouping of additions do not matter. See rs_value_merge() for
 * values. Of several equally slow calls, the earliest one becomes the slowest call.
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

#endif
