/* SPDX-License-Identifier: MIT */
/*
 * The distribution of a region's calls: a histogram in so few steps that a reader can look at it.
 */
#ifndef RS_STATS_DISTRIBUTION_H
#define RS_STATS_DISTRIBUTION_H

#include "stats/summary.h"

/*
 * Fill distribution for a user's wish: "REGION", "REGION:EVENT" or "REGION:cpu-time". Names may
 * contain colons: a region with the whole name is taken first, then the one with the shortest name.
 * The summary must have its merged regions.
 */
void rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_summary *summary, const char *wish);

#endif
