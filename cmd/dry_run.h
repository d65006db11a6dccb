/* SPDX-License-Identifier: MIT */
/*
 * --dry-run: the plan of a run, which does not take place.
 */
#ifndef RS_DRY_RUN_H
#define RS_DRY_RUN_H

#include "launch/markers.h"
#include "options.h"
#include "plan/plan.h"
#include "check_plan.h"

/*
 * Print the run's counters, their groups, and its environment. options: settled. plan: made, and
 * its events numbered by rs_plan_segment_events(). slow: made of both. markers: what the program
 * would get. runtime: the path of what the program would load, or NULL.
 */
void rs_dry_run_print(const struct rs_options *options, const struct rs_plan *plan,
	const struct rs_command_slow *slow, const struct rs_markers *markers, const char *runtime,
	FILE *stream);

#endif
