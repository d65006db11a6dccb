/* SPDX-License-Identifier: MIT */
/*
 * The tails of a region in a summary: stats/tails.h by columns, and what of it a reader is told.
 */
#ifndef RS_STATS_SUMMARY_TAILS_H
#define RS_STATS_SUMMARY_TAILS_H

#include "stats/columns.h"
#include "stats/merge.h"
#include "stats/summary.h"

/* All borrowed for the call. */
struct rs_summary_tails_source {
	const struct rs_columns *columns;
	const struct rs_merged_row *row;
};

/* region: its tails and n_tails are filled, in arena. False: no memory. */
bool rs_summary_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_summary_tails_source *source);

#endif
