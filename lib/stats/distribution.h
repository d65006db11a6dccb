/* SPDX-License-Identifier: MIT */
/*
 * The distribution of a region's calls, from the histograms that a run has, in as many steps as can
 * be looked at.
 */
#ifndef RS_STATS_DISTRIBUTION_H
#define RS_STATS_DISTRIBUTION_H

#include "stats/arena.h"
#include "stats/collect.h"
#include "stats/summary.h"

/*
 * Find what a wish "REGION", "REGION:EVENT" or "REGION:cpu-time" is of. Names may hold colons themselves: a region of the
 * whole name comes first, then the shortest.
 * region: filled with an index of the collection; distribution: its column, and whether that is on-CPU
 * time. False: there is no such region, or it counts no such event.
 */
bool rs_distribution_find(const struct rs_summary *summary, const struct rs_collection *collection,
	const char *wish, uint32_t *region, struct rs_distribution *distribution);

/*
 * Fill distribution with the calls of a region over all threads, of the events that its column is
 * made from.
 * events[n]: of a cell. False: no memory.
 */
bool rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_collection *collection, uint32_t region, const uint32_t *events, size_t n);

#endif
