/*
 * What the markers cost themselves, by what each process measured of it: values have it taken out,
 * but the program takes that much longer.
 */
#ifndef RS_STATS_OWN_COST_H
#define RS_STATS_OWN_COST_H

#include "stats/collect.h"
#include "stats/messages.h"
#include "stats/summary.h"
#include "stats/ticks.h"

/* From a collection, or from NULL. */
void rs_own_cost_make(struct rs_own_cost *cost, const struct rs_collection *collection,
	const struct rs_ticks *rate);

/*
 * Say what it is: as details for whoever asked, and as a note that advises where markers take so
 * much that it matters; then regions that are shorter than their markers are warned of as well.
 * raw: values hold it still.
 */
void rs_own_cost_tell(struct rs_messages *warnings, struct rs_messages *notes,
	struct rs_messages *details, const struct rs_collection *collection,
	const struct rs_own_cost *cost, bool raw);

#endif
