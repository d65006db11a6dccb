/* SPDX-License-Identifier: MIT */
/*
 * Options that depend on the plan or the program: the event of --by, the rules of --slow, and the
 * functions of --functions.
 */
#ifndef RS_CHECK_PLAN_H
#define RS_CHECK_PLAN_H

#include "options.h"
#include "plan/plan.h"
#include "stats/run.h"
#include "segment/segment.h"
#include "segment/slow_calls.h"

/* Return false and set err if --by names an event that regions do not count. plan is the plan of
 * the run. */
bool rs_check_view(
	const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err);

struct rs_command_slow {
	struct rs_segment_slow rules[RS_MAX_SLOW_RULES];
	struct rs_run_slow shown[RS_MAX_SLOW_RULES]; /* the rules as the report shows them */
	size_t n;
	uint32_t lines_per_s; /* most lines for slow calls in a second */
};

/*
 * Make the rules of a run. This function cuts texts of options after the region's name, and slow
 * points to them. So options must outlive slow. Call rs_plan_segment_events() for plan first.
 * clock: the segment's clock. Fill slow, which needs no release. Return false and set err if a rule
 * names an event that regions do not count.
 */
bool rs_command_slow_init(struct rs_command_slow *slow, const struct rs_options *options,
	const struct rs_plan *plan, enum rs_clock clock, struct rs_err *err);

/* Write the functions that --functions selects into the program's segment. Return false and set err
 * if no function matches, or too many do. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
