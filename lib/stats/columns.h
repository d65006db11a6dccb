/* SPDX-License-Identifier: MIT */
/*
 * The columns of a summary, and the events that each is made from. First come the events that every
 * region has, then those of the user in their order. An event that is counted in parts, one for
 * each type of core, has a column for the sum, which columns of its parts follow.
 */
#ifndef RS_STATS_COLUMNS_H
#define RS_STATS_COLUMNS_H

#include "stats/arena.h"
#include "stats/summary.h"

/* Source of the values of one column. */
struct rs_column_events {
	const struct rs_event *events[RS_MAX_CORE_PMUS]; /* one event, or all its parts */
	size_t n; /* 0: an event that every region has */
	size_t sum; /* for a part: column of the sum; else 0 */
	size_t place; /* for a part: its index among the parts */
	/* numbers that the segment has for these events, if regions count them; a part that regions
	 * count has those of all parts */
	uint32_t counters[RS_MAX_CORE_PMUS];
	size_t n_counters;
	size_t part; /* for a part: its index in the array above; else RS_ALL_PARTS */
};

struct rs_columns {
	struct rs_summary_column *columns; /* the first ones are those of enum rs_event_index */
	struct rs_column_events *events; /* for each column, its source */
	size_t n;
};

/* Make the columns of a plan in arena. They borrow from the plan. */
void rs_columns_make(
	struct rs_columns *columns, struct rs_arena *arena, const struct rs_plan *plan);

/* Return the status of a column without values: not-counted if any of its events can be counted,
 * otherwise the reason. Time can always be counted. */
enum rs_value_status rs_columns_status(const struct rs_column_events *column);

/* Return true if the events of two columns were counted together: each event is in a group with one
 * of the other column. Both must count in the same modes. Events that cannot be counted are
 * ignored. */
bool rs_columns_are_together(const struct rs_column_events *a, const struct rs_column_events *b);

/* Return true if the events of two columns share their groups, in any modes. */
bool rs_columns_share_groups(const struct rs_column_events *a, const struct rs_column_events *b);

#endif
