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
	uint32_t lines_per_s; /* limit of lines for slow calls */
};

/*
 * Make the rules of a run. The texts of options are cut at the colon after the region's name, so
 * options must outlive slow. The events of plan must be numbered by rs_plan_segment_events(). clock
 * is that of the segment. Fill slow, which needs no release. Return false and set err if a rule
 * names an event that regions do not count.
 */
bool rs_command_slow_init(struct rs_command_slow *slow, const struct rs_options *options,
	const struct rs_plan *plan, enum rs_clock clock, struct rs_err *err);

/* Write the functions that --functions selects into the program's segment. Return false and set err
 * if no function matches, or too many do. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
