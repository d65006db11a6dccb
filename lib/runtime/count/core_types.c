/* SPDX-License-Identifier: MIT */
/*
 * Processors with several types of cores: an event of one type counts nothing on another type.
 */
#include "runtime/count/count.h"

typedef uint64_t row[1 + RS_MAX_EVENTS]; /* Overhead of time and of each event. */

/* An event's counterpart is an event of another core type, at the same position in a group of the
 * same size. m and the result are 1 + the event. Return 0 if there is no counterpart. */
static uint32_t counterpart(const struct rs_thread *thread, uint32_t m, const struct rs_cost *cost)
{
	const struct rs_segment_event *events = thread->runtime->events;
	const struct rs_shape *shape = thread->shape;
	uint32_t group = shape->event_group[m - 1], place = m - 1 - shape->group_first[group];
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		uint32_t first = shape->group_first[g];
		if (shape->group_events[g] == shape->group_events[group] &&
			events[first].core_pmu != events[m - 1].core_pmu &&
			events[first].core_pmu && cost->pair[1 + first + place])
			return 1 + first + place;
	}
	return 0;
}

/* Calibration measures only events of the core type on which it runs. All types execute the same
 * instructions, so these values are used for all types. */
void rs_core_types_borrow(const struct rs_thread *thread, struct rs_cost *cost, uint64_t *known)
{
	const struct rs_segment_event *events = thread->runtime->events;
	row *rows = (row *)(void *)cost;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!events[m - 1].core_pmu)
			continue;
		*known |= UINT64_C(1) << m; /* More calibration cannot improve this overhead. */
		if (cost->pair[m])
			continue;
		uint32_t from = counterpart(thread, m, cost);
		for (uint32_t r = 0; from && r < sizeof(*cost) / sizeof(*rows); r++)
			rows[r][m] = rows[r][from];
	}
}
