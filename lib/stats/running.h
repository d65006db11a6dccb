/* SPDX-License-Identifier: MIT */
/*
 * What still runs when the report is made: processes that outlive the program, and their calls that
 * are still to end.
 */
#ifndef RS_STATS_RUNNING_H
#define RS_STATS_RUNNING_H

#include "stats/warnings.h"

/* Calls of a cell that had been begun, and may still end. outcome: NULL: it is not known what runs,
 * and so not said. */
uint64_t rs_running_calls(const struct rs_outcome *outcome, const struct rs_cell_copy *cell);

/* Fill the summary's list of what runs: labels and names, in arena. False: no memory. */
bool rs_running_list(struct rs_summary *summary, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_outcome *outcome);

/* Name the processes, and the regions that have calls which are still to end. */
void rs_running_tell(struct rs_messages *warnings, struct rs_messages *notes,
	const struct rs_warnings_source *source);

#endif
