/* SPDX-License-Identifier: MIT */
/*
 * This file makes the columns of a summary. The events of the plan are in the order of their
 * groups. This file sorts them in the order in which the user wrote them.
 */
#include "stats/columns.h"

#include <string.h>

const char *const rs_event_names[RS_EVENT_FIRST] = {
	[RS_EVENT_TIME] = "time",
	[RS_EVENT_CPU_TIME] = "cpu-time",
	[RS_EVENT_BLOCKED] = "blocked",
	[RS_EVENT_PREEMPTED] = "preempted",
};

/* Fill order[n_events] with the events in the user's order. Parts of an event are in the order of
 * their PMUs. */
static void sort_events(const struct rs_event **order, const struct rs_plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct rs_event *event = &plan->events[i];
		size_t place = i;
		for (; place > 0; place--) {
			const struct rs_event *before = order[place - 1];
			if (before->position < event->position ||
				(before->position == event->position &&
					before->core_pmu <= event->core_pmu))
				break;
			order[place] = order[place - 1];
		}
		order[place] = event;
	}
}

static void add_column(
	struct rs_columns *columns, const struct rs_event *const *events, size_t n_events)
{
	const struct rs_event *event = events[0];
	struct rs_column_events *from = &columns->events[columns->n];
	columns->columns[columns->n++] = (struct rs_summary_column){event->name, event->unit,
		event->in_regions, event->in_totals, event->help, false,
		strcmp(event->unit, "ns") == 0};
	for (size_t i = 0; i < n_events; i++)
		from->events[i] = events[i];
	from->n = n_events;
}

static void add_part(struct rs_columns *columns, const struct rs_event *event, size_t sum)
{
	add_column(columns, &event, 1);
	struct rs_summary_column *column = &columns->columns[columns->n - 1];
	column->name = event->part_name;
	column->help = NULL; /* the column of the sum has the help text */
	column->is_part = true;
	columns->events[columns->n - 1].sum = sum;
}

static void find_counters(struct rs_column_events *own, const struct rs_column_events *sum)
{
	const struct rs_column_events *from = own->sum > 0 ? sum : own;
	own->part = RS_ALL_PARTS;
	if (own->sum > 0 && own->events[0]->counter == 0)
		return;
	for (size_t i = 0; i < from->n; i++) {
		if (from->events[i]->counter == 0)
			continue;
		if (own->sum > 0 && from->events[i] == own->events[0])
			own->part = own->n_counters;
		own->counters[own->n_counters++] = from->events[i]->counter;
	}
}

void rs_columns_make(struct rs_columns *columns, struct rs_arena *arena, const struct rs_plan *plan)
{
	size_t n_most = RS_EVENT_FIRST + 2 * plan->n_events;
	const struct rs_event **order = rs_arena_array(arena, plan->n_events, sizeof(*order));
	*columns = (struct rs_columns){
		.columns = rs_arena_array(arena, n_most, sizeof(*columns->columns)),
		.events = rs_arena_array(arena, n_most, sizeof(*columns->events))};
	sort_events(order, plan);
	for (; columns->n < RS_EVENT_FIRST; columns->n++)
		columns->columns[columns->n] = (struct rs_summary_column){
			rs_event_names[columns->n], "ns", true, columns->n == 0, NULL, false, true};
	for (size_t first = 0, end; first < plan->n_events; first = end) {
		const struct rs_event *event = order[first];
		size_t sum = columns->n;
		for (end = first + 1; event->part_name && end < plan->n_events &&
				      rs_event_is_same(event, order[end]);)
			end++;
		add_column(columns, &order[first], end - first);
		for (size_t i = first; event->part_name && i < end; i++)
			add_part(columns, order[i], sum);
	}
	for (size_t c = RS_EVENT_FIRST; c < columns->n; c++)
		find_counters(&columns->events[c], &columns->events[columns->events[c].sum]);
}

enum rs_value_status rs_columns_status(const struct rs_column_events *column)
{
	enum rs_value_status status = column->n > 0 ? RS_VALUE_NOT_SUPPORTED : RS_VALUE_NOT_COUNTED;
	for (size_t i = 0; i < column->n; i++) {
		enum rs_event_status event = column->events[i]->status;
		if (event == RS_EVENT_OK)
			return RS_VALUE_NOT_COUNTED;
		/* of several reasons, report the one that a user can remove */
		if (event == RS_EVENT_NOT_PERMITTED)
			status = RS_VALUE_NOT_PERMITTED;
	}
	return status;
}

static bool same_state(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_idle == b->exclude_idle &&
	       a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest &&
	       a->precise_ip == b->precise_ip;
}

/* Return true if each event of column a that can be counted is in a group with an event of column
 * b. Unless any_state is set, both events must count in the same modes, such as user and kernel. */
static bool each_has_company(
	const struct rs_column_events *a, const struct rs_column_events *b, bool any_state)
{
	size_t n_together = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct rs_event *event = a->events[i];
		bool found = event->status != RS_EVENT_OK;
		for (size_t j = 0; j < b->n; j++) {
			const struct rs_event *other = b->events[j];
			bool together = event->group >= 0 && event->group == other->group &&
					(any_state || same_state(&event->attr, &other->attr));
			found |= together;
			n_together += together;
		}
		if (!found)
			return false;
	}
	return n_together > 0;
}

bool rs_columns_are_together(const struct rs_column_events *a, const struct rs_column_events *b)
{
	return each_has_company(a, b, false) && each_has_company(b, a, false);
}

bool rs_columns_share_groups(const struct rs_column_events *a, const struct rs_column_events *b)
{
	return each_has_company(a, b, true) && each_has_company(b, a, true);
}
