/* SPDX-License-Identifier: MIT */
/*
 * These functions choose the adapters for a run from --markers. They make variables for the
 * program's environment, and descriptions for reports.
 */
#ifndef RS_COMMAND_MARKERS_H
#define RS_COMMAND_MARKERS_H

#include "launch/markers.h"
#include "options.h"
#include "stats/run.h"

struct rs_command_markers {
	struct rs_markers markers;
	struct rs_run_marker descriptions
		[RS_ADAPTER_N]; /* descriptions for the run; the texts belong to markers */
};

/* Choose the adapters for the program in options->words. Fill markers; rs_command_markers_finish()
 * releases it. Return false and set err as rs_markers_init() does. */
bool rs_command_markers_init(
	struct rs_command_markers *markers, const struct rs_options *options, struct rs_err *err);

/* Print to stderr why adapters for APIs that the program uses are missing. is_verbose: also print
 * if the search for such APIs was incomplete. */
void rs_command_markers_tell(const struct rs_command_markers *markers, bool is_verbose);

/* Release memory. markers may be zeroed or NULL. */
void rs_command_markers_finish(struct rs_command_markers *markers);

#endif
