/* SPDX-License-Identifier: MIT */
/*
 * Why slow calls are slow: the slowest of a row's calls beside all others, in every event.
 */
#ifndef RS_STATS_TAILS_H
#define RS_STATS_TAILS_H

#include "stats/columns.h"

/* About a tenth of the calls, and about a hundredth. */
#define RS_TAILS 2u

/*
 * The tails of a row. Of all numbers of octaves it takes those whose share of the calls is nearest
 * to a tenth, and to a hundredth, by ratio. There is none where the nearest is not within a factor
 * of root 10, or has too few measured calls. tails[RS_TAILS]: filled, the larger first, as many as
 * are returned.
 */
size_t rs_tails_find(struct rs_tail *tails, const struct rs_result *row);

/*
 * A tail's use of an event, in a row. `quantities`: n, of all the event's parts. event: over all
 * calls of the row, of the parts together.
 */
struct rs_tail_event rs_tail_of_event(const struct rs_tail *tail, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *quantities, size_t n);

/* The tails of a region with a value for each column, and which columns are to be reported.
 * region: its tails and n_tails are filled, in arena; its values are. row: the region's. False: no
 * memory. */
bool rs_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_columns *columns, const struct rs_result *row);

#endif
