/* SPDX-License-Identifier: MIT */
/*
 * The needs of options in the plan and the program: the event of --by, the rules of --slow, and
 * the functions of --functions.
 */
#ifndef RS_CHECK_PLAN_H
#define RS_CHECK_PLAN_H

#include "options.h"
#include "plan/plan.h"
#include "stats/run.h"
#include "segment/segment.h"
#include "segment/slow_calls.h"

/* False, with err filled: options name an event that regions do not count. plan: of the run. */
bool rs_check_view(
	const struct rs_options *options, const struct rs_plan *plan, struct rs_err *err);

struct rs_command_slow {
	struct rs_segment_slow rules[RS_MAX_SLOW_RULES];
	struct rs_run_slow told[RS_MAX_SLOW_RULES]; /* the same for the report */
	size_t n;
	uint32_t lines_per_s; /* at most, of slow calls */
};

/*
 * Make the rules of a run. options: borrowed, must outlive slow; their texts are cut at the colon
 * that ends a region's name. plan: with events numbered by rs_plan_segment_events(). clock: of the
 * segment. slow: filled, nothing to release. False, with err filled: an event that regions do not
 * count.
 */
bool rs_command_slow_init(struct rs_command_slow *slow, const struct rs_options *options,
	const struct rs_plan *plan, enum rs_clock clock, struct rs_err *err);

/* Write the functions that the options name into the program's segment. False, with err filled: none
 * has such a name, or too many have. */
bool rs_options_choose_functions(
	const struct rs_options *options, const struct rs_segment *segment, struct rs_err *err);

#endif
