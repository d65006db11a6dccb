/* SPDX-License-Identifier: MIT */
/*
 * The processes that still run when the report is made, and their calls that are still to end.
 */
#ifndef RS_STATS_RUNNING_H
#define RS_STATS_RUNNING_H

#include "stats/summary.h"

/* Whether the process that has a cell still ran: not one that has but the entry of a dead one. */
bool rs_running_is_cell(const struct rs_outcome *outcome, const struct rs_cell_copy *cell);

/* Calls of a cell that had been begun, and may still end. outcome: NULL: it is not known what runs,
 * and so not said. */
uint64_t rs_running_calls(const struct rs_outcome *outcome, const struct rs_cell_copy *cell);

/* Fill the summary's list of what runs: labels and names, in arena. False: no memory. */
bool rs_running_list(struct rs_summary *summary, struct rs_arena *arena,
	const struct rs_collection *collection, const struct rs_outcome *outcome);

#endif
