/* SPDX-License-Identifier: MIT */
/*
 * The adapters of a run: from --markers to the program's environment, and to what its record says.
 */
#ifndef RS_COMMAND_MARKERS_H
#define RS_COMMAND_MARKERS_H

#include "launch/markers.h"
#include "options.h"
#include "stats/run.h"

struct rs_command_markers {
	struct rs_markers markers;
	struct rs_run_marker
		told[RS_ADAPTER_N]; /* the same, for the record; borrows from them */
};

/* Choose the adapters of the program in options->words. markers: filled; release with
 * rs_command_markers_finish(). False, with err filled: as of rs_markers_init(). */
bool rs_command_markers_init(
	struct rs_command_markers *markers, const struct rs_options *options, struct rs_err *err);

/* Say on stderr why adapters that the program uses are not there; is_verbose: also whether some may
 * not have been found. */
void rs_command_markers_tell(const struct rs_command_markers *markers, bool is_verbose);

/* markers: filled, zeroed, or NULL. */
void rs_command_markers_finish(struct rs_command_markers *markers);

#endif
