/* SPDX-License-Identifier: MIT */
/*
 * Why slow calls are slow: the slowest calls of a row compared with its other calls, in each event.
 */
#ifndef RS_STATS_TAILS_H
#define RS_STATS_TAILS_H

#include "stats/columns.h"

/* About a tenth and about a hundredth of the calls. */
#define RS_TAILS 2u

/*
 * Find the tails of a row. A tail has the octaves of the longest times. Its share of the calls is
 * as near as possible, as a ratio, to a tenth or to a hundredth. A tail is missing if its share is
 * not within a factor of the square root of 10, or it has too few measured calls. Fill
 * tails[RS_TAILS], the larger tail first. Return their number.
 */
size_t rs_tails_find(struct rs_tail *tails, const struct rs_result *row);

/*
 * Return how much a tail used of an event. `counters`: n numbers of the event's parts. event: the
 * value of all parts together over all calls of the row.
 */
struct rs_tail_event rs_tail_of_event(const struct rs_tail *tail, const struct rs_result *row,
	const struct rs_value *event, const uint32_t *counters, size_t n);

/* Make the tails of a region, with a value for each column, and choose the columns to report. The
 * values of region must be set. row is the row of the region. */
void rs_tails_make(struct rs_summary_region *region, struct rs_arena *arena,
	const struct rs_columns *columns, const struct rs_result *row);

#endif
