/* SPDX-License-Identifier: MIT */
/*
 * The columns of a summary, and the events from which the values of each column are computed. First
 * come the events that every region has, then the user's events in the user's order. An event can
 * be counted in parts, one for each type of core. Then the sum of the parts has a column, followed
 * by a column for each part.
 */
#ifndef RS_STATS_COLUMNS_H
#define RS_STATS_COLUMNS_H

#include "base/arena.h"
#include "stats/summary.h"

/* The events from which one column is computed. */
struct rs_column_events {
	const struct rs_event *events[RS_MAX_CORE_PMUS]; /* the event, or all parts of it */
	size_t n; /* 0 for an event that every region has, such as time */
	size_t sum; /* for a part: index of the column with the sum of all parts; otherwise 0 */
	/* The numbers of these events in the segment, if they are counted in regions. The column of
	 * a part also has the numbers of all parts. */
	uint32_t counters[RS_MAX_CORE_PMUS];
	size_t n_counters;
	/* for a part: index of the part's number in `counters`; otherwise RS_ALL_PARTS */
	size_t part;
};

struct rs_columns {
	struct rs_summary_column *columns; /* the first ones are those of enum rs_event_index */
	/* one for each column: the events from which it is computed */
	struct rs_column_events *events;
	size_t n;
};

/* Make the columns for the events of a plan. Arrays are in arena; the columns borrow from plan. */
void rs_columns_make(
	struct rs_columns *columns, struct rs_arena *arena, const struct rs_plan *plan);

/* Return the status of a column without values. It is not-counted if the plan could count any of
 * the column's events. Otherwise it is the reason why not: not-supported or not-permitted. A column
 * of time is always not-counted. */
enum rs_value_status rs_columns_status(const struct rs_column_events *column);

/* Return true if the events of two columns were counted together, so that their counts can be
 * compared. Each event must be in a group with an event of the other column, and both must count in
 * the same modes, user or kernel. Events that cannot be counted are ignored. */
bool rs_columns_are_together(const struct rs_column_events *a, const struct rs_column_events *b);

/* Do the same as rs_columns_are_together(), but the two columns may count in different modes. */
bool rs_columns_share_groups(const struct rs_column_events *a, const struct rs_column_events *b);

#endif
