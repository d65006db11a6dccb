/* SPDX-License-Identifier: MIT */
/*
 * These functions make the rules by which threads keep calls (struct rs_trace_rules). At first,
 * threads keep every call. Once calls come too fast or are too many, threads keep only slow calls
 * and samples. A call is slow if it takes at least the 99.9th percentile of its region in the
 * latest snapshot of the run.
 */
#ifndef RS_TRACE_RULES_H
#define RS_TRACE_RULES_H

#include <stdbool.h>

#include "stats/summary.h"
#include "trace/calls.h"

/* The condition of --trace-if. */
struct rs_trace_condition {
	const char *glob; /* glob of region names; NULL: no condition */
	uint64_t above; /* a call that meets the condition takes at least this many ticks */
};

struct rs_trace_selection {
	int fd; /* the segment; belongs to the caller */
	struct rs_trace_condition condition;
	bool is_judged[RS_MAX_REGIONS]; /* the condition has been applied to the region's name */
	bool is_changed; /* the rules in the segment are out of date */
	uint32_t n_judged; /* index of the first region that has not been judged */
	bool is_selective; /* threads keep only some of their calls from now on */
	size_t n_applied; /* how many calls were left when the condition was applied last */
	/* The rules in the form in which the segment contains them, and the largest value so far of
	 * each `above`. */
	struct rs_trace_rules rules;
	uint64_t highest[RS_MAX_REGIONS];
};

void rs_trace_selection_init(
	struct rs_trace_selection *selection, int fd, const struct rs_trace_condition *condition);

/* Let threads keep only slow calls and samples. The summary of the run so far decides which calls
 * are slow. */
void rs_trace_selection_update(
	struct rs_trace_selection *selection, const struct rs_summary *summary);

/* If there is a condition, apply it to the names of new regions. Until then, the calls of new
 * regions are kept if they are long enough. */
void rs_trace_selection_judge(struct rs_trace_selection *selection);

/* Return true if a call of this region that takes this many ticks meets the condition. */
static inline bool rs_trace_selection_meets(
	const struct rs_trace_selection *selection, uint32_t region, uint64_t ticks)
{
	return region < RS_MAX_REGIONS && selection->is_judged[region] &&
	       ticks >= selection->rules.above[region];
}

/* Remove all calls except those that meet the condition, and calls that are within or contain such
 * a call. */
void rs_trace_selection_apply(struct rs_trace_selection *selection, struct rs_traced_calls *calls);

#endif
