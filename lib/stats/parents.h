/* SPDX-License-Identifier: MIT */
/*
 * The tree of regions: each region below the nearest one that always contains it.
 */
#ifndef RS_STATS_PARENTS_H
#define RS_STATS_PARENTS_H

#include "stats/collect.h"

/*
 * Find the parent of each region. Results say in which regions calls began, which gives a graph of
 * regions. A region's parent is its immediate dominator: the nearest region that all paths from
 * outside lead through, over all threads and processes. So the order of calls does not matter, and
 * recursion is harmless.
 *
 * Fill parents[run->n_regions], with RS_NO_REGION at the top of the tree. Regions whose calls began
 * in no known order, such as asynchronous calls, are at the top too. There are no cycles.
 */
void rs_parents_make(uint16_t *parents, const struct rs_run *run);

#endif
