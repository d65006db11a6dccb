/* SPDX-License-Identifier: MIT */
/*
 * The tree of regions: each under the nearest one that holds it always.
 */
#ifndef RS_STATS_PARENTS_H
#define RS_STATS_PARENTS_H

#include "stats/collect.h"

/*
 * Cells say in which regions calls began; from region to region these are ways in, from outside of
 * all. A region's parent is the nearest one that all ways to it lead through (its immediate
 * dominator), over all threads and processes. So it does not matter which call came first, and
 * recursion does no harm. parents[run->n_regions]: filled; RS_NO_REGION at the top, and for
 * regions that no call began in order, such as those of asynchronous calls. There is no cycle in
 * it. False: no memory.
 */
bool rs_parents_make(uint16_t *parents, const struct rs_run *run);

#endif
