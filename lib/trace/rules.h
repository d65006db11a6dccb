/* SPDX-License-Identifier: MIT */
/*
 * The rules by which threads keep calls (struct rs_trace_rules). At first every call is kept. Once
 * the calls come too fast, or too many have come, only slow calls and samples are: a call is slow
 * if it takes at least the 99.9th percentile of its region's calls so far, which is that of a
 * snapshot of the run.
 */
#ifndef RS_TRACE_RULES_H
#define RS_TRACE_RULES_H

#include <stdbool.h>

#include "stats/summary.h"
#include "trace/calls.h"

/* The calls around which the trace is, for --trace-if. */
struct rs_trace_condition {
	const char *glob; /* of regions; NULL: no condition */
	uint64_t above; /* such a call takes at least so many ticks */
};

struct rs_trace_selection {
	int fd; /* of the segment, borrowed */
	struct rs_trace_condition condition;
	bool is_judged[RS_MAX_REGIONS]; /* `above` is set by the condition */
	bool is_changed; /* the rules are not written yet */
	uint32_t n_judged; /* regions before the first one that is not judged */
	bool is_selective; /* not every call is kept any more */
	size_t n_applied; /* calls that the condition left the last time */
	/* The rules as they are in the segment, and the greatest `above` so far. */
	struct rs_trace_rules rules;
	uint64_t highest[RS_MAX_REGIONS];
};

void rs_trace_selection_init(
	struct rs_trace_selection *selection, int fd, const struct rs_trace_condition *condition);

/* Keep only slow calls and samples from now on. Which calls are slow follows from the run so far. */
void rs_trace_selection_update(
	struct rs_trace_selection *selection, const struct rs_summary *summary);

/* With a condition: tell the threads about new regions. Until then these are taken to match. */
void rs_trace_selection_judge(struct rs_trace_selection *selection);

/* Return true if a region's calls of so many ticks meet the condition. */
static inline bool rs_trace_selection_meets(
	const struct rs_trace_selection *selection, uint32_t region, uint64_t ticks)
{
	return region < RS_MAX_REGIONS && selection->is_judged[region] &&
	       ticks >= selection->rules.above[region];
}

/* Remove the calls that are neither around nor within one that meets the condition. */
void rs_trace_selection_apply(struct rs_trace_selection *selection, struct rs_traced_calls *calls);

#endif
