/*
 * Slow paths: what is not plain (a first call, a new extreme, a page that has changed, a snapshot
 * to be taken again) is measured while it happens and goes into the thread's adjust[], which is in
 * every snapshot. So no region pays for it. What plain markers cost is known from cost_measure.c.
 */
#include "runtime/runtime.h"

void rs_slow_take(struct rs_thread *thread, enum rs_slow_place place)
{
	struct rs_slow *slow = &thread->slow[place];
	slow->off = rs_snapshot_slow(thread, slow->values, &slow->sequence);
}

void rs_slow_difference(struct rs_thread *thread, enum rs_slow_place begin_place, uint64_t *vector)
{
	const struct rs_slow *begin = &thread->slow[begin_place];
	const struct rs_slow *end = &thread->slow[begin_place + 1];
	vector[0] = end->values[0] - begin->values[0];
	for (uint32_t e = 0; e < thread->n_events; e++) {
		uint32_t lacks = RS_GROUP_LACKS(thread->shape->event_group[e]);
		bool both = !((begin->off | end->off) & lacks);
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
	rs_charge(thread, thread->slow_vector, 0);
	rs_charge(thread, thread->cost->outside[kind], thread->slow[RS_SLOW_END].off);
}
