/*
 * What markers cost themselves, and charging to nobody what is not plain.
 *
 * The plain path of every marker costs the same each time; cost_measure.c learns how much. What is
 * not plain (a new octave, a new slowest row, a snapshot to be taken again) is charged: its cost,
 * measured while it happens, moves the BEGINs of all open frames forward, which takes it out of
 * each of them. The charge itself has a known cost too, and so has every frame that it goes to.
 */
#include "runtime/snapshot.h"

/* Add a vector (time in ticks, then events) to ticks and snapshot words. */
static inline void add_vector(
	const struct rs_thread *thread, uint64_t *ticks, uint64_t *words, const uint64_t *vector)
{
	*ticks += vector[0];
	for (uint32_t e = 0; e < thread->n_events; e++)
		words[thread->shape->event_word[e]] += vector[1 + e];
}

/* Move the BEGINs of the n_frames lowest frames, and the latest END, by slow_vector and by what the
 * slow path costs outside of it. */
static void charge(struct rs_thread *thread, uint32_t n_frames, const uint64_t *outside)
{
	const struct rs_cost *cost = thread->cost;
	uint64_t vector[1 + RS_MAX_EVENTS];
	if (thread->runtime->raw)
		return;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		vector[m] = thread->slow_vector[m] + outside[m] + n_frames * cost->charge_frame[m];
	for (uint32_t i = 0; i < n_frames; i++) {
		struct rs_frame *frame = rs_frame_at(thread, i);
		add_vector(thread, &frame->ticks, frame->snapshot, vector);
	}
	add_vector(thread, &thread->now_ticks, thread->now, vector);
}

void rs_charge_attempt(struct rs_thread *thread)
{
	thread->disturb = 0;
	for (uint32_t m = 0; m <= thread->n_events; m++)
		thread->slow_vector[m] = 0;
	charge(thread, thread->depth, thread->cost->attempt);
}

void rs_slow_take(struct rs_thread *thread, enum rs_slow_place place)
{
	struct rs_slow *slow = thread->slow[place];
	uint32_t groups = 0;
	slow->ticks = rs_ticks(thread->clock);
	slow->sequence = 0;
	if (thread->n_users)
		groups = rs_snapshot_user(thread, slow->words, false, &slow->sequence);
	if (thread->n_reads)
		groups |= rs_snapshot_read(thread, slow->words);
	slow->groups = groups;
}

void rs_slow_difference(struct rs_thread *thread, enum rs_slow_place begin_place, uint64_t *vector)
{
	const struct rs_slow *begin = thread->slow[begin_place];
	const struct rs_slow *end = thread->slow[begin_place + 1];
	vector[0] = end->ticks - begin->ticks;
	for (uint32_t e = 0; e < thread->n_events; e++) {
		uint32_t group = thread->shape->event_group[e];
		uint32_t word = thread->shape->event_word[e];
		uint32_t both = begin->groups & end->groups & RS_GROUPS_GOOD(group);
		vector[1 + e] = both ? end->words[word] - begin->words[word] : 0;
	}
}

void rs_slow_begin(struct rs_thread *thread)
{
	rs_slow_take(thread, RS_SLOW_BEGIN);
}

void rs_slow_end(struct rs_thread *thread, uint32_t n_frames, const uint64_t *outside)
{
	rs_slow_take(thread, RS_SLOW_END);
	rs_slow_difference(thread, RS_SLOW_BEGIN, thread->slow_vector);
	charge(thread, n_frames, outside);
}
