/* SPDX-License-Identifier: MIT */
/*
 * The work that calls told of, as numbers of a summary: totals and rates.
 */
#ifndef RS_STATS_WORK_H
#define RS_STATS_WORK_H

#include "stats/merge.h"
#include "stats/summary.h"

/* Add what the calls of a cell told of. */
void rs_merged_work_add(struct rs_merged_work *sum, const struct rs_cell_copy *cell);

/* What a region's calls told of, and its rates over their time. time: of the region, in ns. */
struct rs_summary_work rs_summary_work_of(
	const struct rs_merged_work *sum, const struct rs_value *time);

#endif
