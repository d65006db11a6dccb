/* SPDX-License-Identifier: MIT */
/*
 * These functions check options that depend on the plan of events or on the program: --by,
 * --fail-if, --slow and --functions.
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

/* Return false and set err if a rule of --fail-if names an event or metric that is not in the plan.
 * Names that every run has, such as `calls`, are accepted. */
bool rs_check_rules(
	const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err);

struct rs_command_slow {
	struct rs_segment_slow rules[RS_MAX_SLOW_RULES];
	struct rs_run_slow shown[RS_MAX_SLOW_RULES]; /* the same rules as text, for reports */
	size_t n;
	/* at most this many lines about slow calls are written in one second */
	uint32_t lines_per_s;
};

/*
 * Make the rules of a run from the --slow options. This function writes a NUL after the region's
 * name in the texts of options, and slow points to these texts. Therefore options must outlive
 * slow. Call rs_plan_segment_events() for plan first. clock: the clock of the segment. Fill slow,
 * which owns no memory. Return false and set err if a rule names an event that regions do not
 * count.
 */
bool rs_command_slow_init(struct rs_command_slow *slow, const struct rs_options *options,
	const struct rs_plan *plan, enum rs_clock clock, struct rs_err *err);

/* Find the functions that --functions selects, and write the hashes that identify them to the
 * segment of the run. Return false and set err if a glob matches no function, or if too many
 * functions match. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
