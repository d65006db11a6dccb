/* SPDX-License-Identifier: MIT */
/*
 * Adding up the results of threads, processes, kinds of work, and runs.
 */
#ifndef RS_STATS_RESULT_H
#define RS_STATS_RESULT_H

#include "stats/run.h"

/*
 * Add up n results, each with n_values values of the same events, and fill into. The region,
 * process and thread of into stay as they are. Its arrays lie in arena. Integers are exact and
 * saturate, so the order and grouping of additions do not matter; for values see rs_value_merge().
 * Of equally slow calls the earliest is the slowest. Return false if memory runs out.
 */
bool rs_result_merge(struct rs_result *into, const struct rs_result *const *from, size_t n,
	size_t n_values, struct rs_arena *arena);

/* Return the overhead of all calls in ns. */
static inline long double rs_overhead_ns(const struct rs_overhead *overhead)
{
	return overhead->measured_ns + overhead->skipped_ns;
}

void rs_overhead_add(struct rs_overhead *overhead, const struct rs_overhead *more);

#endif
