/* SPDX-License-Identifier: MIT */
/*
 * What the markers cost themselves, by what the runtime says of each region on each thread: values
 * have it taken out, but the program takes that much longer.
 */
#ifndef RS_STATS_OWN_COST_H
#define RS_STATS_OWN_COST_H

#include "stats/collect.h"
#include "stats/cell_cost.h"
#include "stats/merge.h"
#include "stats/messages.h"
#include "stats/summary.h"

/* From a collection, or from NULL. run: own_cost and own_setup_ns are filled; user_ns and system_ns are. */
void rs_own_cost_of_run(struct rs_summary_run *run, const struct rs_collection *collection);

void rs_own_cost_of_row(struct rs_own_cost *cost, const struct rs_merged_row *row);

/* Which regions' calls take less than the markers around them, on average: one a region of the
 * collection, in arena. raw: values hold what the markers cost. NULL: no memory. */
bool *rs_own_cost_find_short(
	struct rs_arena *arena, const struct rs_collection *collection, bool raw);

/*
 * Say what it is: as details for whoever asked, and as a note that advises where markers take so
 * much that it matters; then regions that are shorter than their markers are warned of as well.
 * raw: values hold it still.
 */
void rs_own_cost_tell(struct rs_messages *warnings, struct rs_messages *notes,
	struct rs_messages *details, const struct rs_collection *collection,
	const struct rs_summary_run *run, bool raw);

/* ---- own_cost_advice.c ---- */

/* From this share of the program's CPU time on, the reader is advised. */
#define RS_OWN_COST_ADVISED_SHARE 0.01L

/*
 * What to do so that markers take less than that: a line for a message, in arena. costs: what the
 * markers of each region of the collection cost. whole_ns: the program's CPU time.
 * raw: as of rs_own_cost_find_short(). region: the name of that whose markers took most, filled; as long-lived as the collection.
 */
const char *rs_own_cost_advise(struct rs_arena *arena, const struct rs_collection *collection,
	const struct rs_cost *costs, long double whole_ns, bool raw, const char **region);

#endif
