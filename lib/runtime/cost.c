/*
 * Slow paths: what is not plain (a new octave, a new slowest row, a first marker, a snapshot to be
 * taken again) is measured while it happens and goes into the thread's bias, which is taken out of
 * every snapshot. So no region pays for it. What plain markers cost is known from cost_measure.c.
 */
#include "runtime/snapshot.h"

void rs_slow_attempt(struct rs_thread *thread, enum rs_snapshot_where where)
{
	thread->disturb = 0;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		thread->bias[m] += thread->cost->attempt[where][m];
}

void rs_slow_take(struct rs_thread *thread, enum rs_slow_place place)
{
	struct rs_slow *slow = &thread->slow[place];
	/* times of their own: those of the latest END may still be needed */
	slow->groups = rs_snapshot(thread, slow->values, thread->slow_times, &slow->sequence,
		RS_SNAPSHOT_SLOW, thread->n_events, thread->n_groups);
	slow->values[0] = rs_ticks(thread->clock) - thread->bias[0];
}

void rs_slow_difference(struct rs_thread *thread, enum rs_slow_place begin_place, uint64_t *vector)
{
	const struct rs_slow *begin = &thread->slow[begin_place];
	const struct rs_slow *end = &thread->slow[begin_place + 1];
	vector[0] = end->values[0] - begin->values[0];
	for (uint32_t e = 0; e < thread->n_events; e++) {
		uint32_t good = RS_GROUPS_GOOD(thread->shape->event_group[e]);
		bool both = begin->groups & end->groups & good;
		vector[1 + e] = both ? end->values[1 + e] - begin->values[1 + e] : 0;
	}
}

void rs_slow_begin(struct rs_thread *thread)
{
	if (!thread->n_slow++)
		rs_slow_take(thread, RS_SLOW_BEGIN);
}

void rs_slow_end(struct rs_thread *thread, enum rs_slow_kind kind)
{
	if (--thread->n_slow)
		return;
	rs_slow_take(thread, RS_SLOW_END);
	rs_slow_difference(thread, RS_SLOW_BEGIN, thread->slow_vector);
	if (thread->runtime->raw)
		return;
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		thread->bias[m] += thread->slow_vector[m];
		if (!rs_is_off(thread, thread->slow[RS_SLOW_END].groups, m))
			thread->bias[m] += thread->cost->outside[kind][m];
	}
}
