/* SPDX-License-Identifier: MIT */
/*
 * Prints the plan of a run for --dry-run, without running the command.
 */
#ifndef RS_DRY_RUN_H
#define RS_DRY_RUN_H

#include "launch/markers.h"
#include "options.h"
#include "plan/plan.h"
#include "check_plan.h"

/*
 * Print the run's events, their groups, and the environment. Call rs_options_settle() for options
 * first. Call rs_plan_segment_events() for plan first. slow: the rules of --slow. markers: the
 * adapters for the program. runtime: the path of the runtime for the program, or NULL.
 */
void rs_dry_run_print(const struct rs_options *options, const struct rs_plan *plan,
	const struct rs_command_slow *slow, const struct rs_markers *markers, const char *runtime,
	FILE *stream);

#endif
