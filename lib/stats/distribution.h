/* SPDX-License-Identifier: MIT */
/*
 * The distribution of a region's calls, from the histograms that a run has, in as many steps as can
 * be looked at.
 */
#ifndef RS_STATS_DISTRIBUTION_H
#define RS_STATS_DISTRIBUTION_H

#include "stats/summary.h"

/*
 * Fill distribution with what a wish "REGION", "REGION:EVENT" or "REGION:cpu-time" is of. Names
 * may hold colons themselves: a region with the whole name comes first, then the shortest.
 * summary: with its merged regions. False: no memory.
 */
bool rs_distribution_make(struct rs_distribution *distribution, struct rs_arena *arena,
	const struct rs_summary *summary, const char *wish);

#endif
