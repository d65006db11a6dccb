/* SPDX-License-Identifier: MIT */
/*
 * The columns of a summary and the events that each is made from: those that every region has, then
 * what the user wrote, in that order. Where an event is counted in parts, one for each type of core, its column is their
 * sum, and a column for each part follows it.
 */
#ifndef RS_STATS_COLUMNS_H
#define RS_STATS_COLUMNS_H

#include "stats/arena.h"
#include "stats/summary.h"

/* Where the values of one column come from. */
struct rs_column_events {
	const struct rs_event *events[RS_MAX_CORE_PMUS]; /* one, or all parts of one */
	size_t n; /* 0: every region has it */
	size_t sum; /* of a part: the column of all of its siblings' sum; else 0 */
	size_t place; /* of a part: among them */
	/* those of them that regions count; of a part its siblings as well, if it is one of these */
	uint32_t quantities[RS_MAX_CORE_PMUS];
	size_t n_quantities;
	size_t part; /* of a part: its place among these; else RS_ALL_PARTS */
};

struct rs_columns {
	struct rs_summary_column *columns; /* the first are those of enum rs_event_index */
	struct rs_column_events *events; /* parallel to columns */
	size_t n;
};

/* Make the columns of a plan, which must outlive them, in arena. False: no memory. */
bool rs_columns_make(
	struct rs_columns *columns, struct rs_arena *arena, const struct rs_plan *plan);

/* The status of a column before its values are known, or where nothing was counted: NOT_COUNTED
 * where any of its events could be; else the reason. Time could be. */
enum rs_value_status rs_columns_status(const struct rs_column_events *column);

/* Whether the events of two columns were counted together: each of one in a group with one of the
 * other, in the same state. An event that cannot be counted does not matter. */
bool rs_columns_are_together(const struct rs_column_events *a, const struct rs_column_events *b);

/* The same in whatever states. */
bool rs_columns_share_groups(const struct rs_column_events *a, const struct rs_column_events *b);

#endif
