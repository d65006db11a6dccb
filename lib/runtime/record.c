/*
 * Finished calls that are not plain, into their cells: groups by read(), groups that were not on
 * the PMU all the time, overlap; and what has to exist before a call can be recorded. See record.h.
 */
#include "runtime/record.h"

/* A call that is not plain. */
struct call {
	struct rs_thread *thread;
	struct rs_frame *frame;
	struct rs_frame *above; /* overlap: begun next and still open, or NULL */
	const uint64_t *inside; /* own cost between the snapshots */
	uint32_t counted; /* a bit for each group that was on the PMU all the time */
	struct rs_group_sums groups[RS_MAX_GROUPS]; /* to be added */
};

static bool is_counted(const struct rs_thread *thread, uint32_t counted, uint32_t m)
{
	return !m || counted >> thread->shape->event_group[m - 1] & 1;
}

/* Overlap: the frame begun next covers the rest of this call. Its span ends there, and what the
 * frames above find in thread->selves moves by what this call adds below them. */
static int64_t overlap_self(struct call *call, uint32_t m)
{
	struct rs_thread *thread = call->thread;
	uint64_t begun = rs_frame_selves(thread, call->frame)[m], clamped = 0;
	uint64_t ended = rs_frame_selves(thread, call->above)[m];
	uint64_t span = rs_record_less(
		call->above->values[m] - call->frame->values[m], call->inside[m], &clamped);
	uint64_t shift = begun + span * call->frame->weight - ended;
	thread->selves[m] += shift;
	struct rs_frame *end = rs_frame_at(thread, thread->depth);
	for (struct rs_frame *frame = call->above; frame < end;
		frame = (void *)((char *)frame + thread->frame_bytes))
		rs_frame_selves(thread, frame)[m] += shift;
	return (int64_t)(span - (ended - begun));
}

/* One quantity. good: there is a difference to be had. counted: of the whole call. Returns whether
 * an octave is missing. */
static bool take(struct call *call, const struct rs_scalars_pair *pair, uint32_t m, bool good,
	bool counted, uint64_t *clamped)
{
	struct rs_thread *thread = call->thread;
	const struct rs_moments *before = &rs_record_moments(pair->before, thread->n_groups)[m];
	struct rs_moments *after = &rs_record_moments(pair->after, thread->n_groups)[m];
	*after = *before;
	if (!good)
		return false;
	uint64_t uncounted_clamped = 0;
	uint64_t delta = rs_record_less(thread->now[m] - call->frame->values[m], call->inside[m],
		counted ? clamped : &uncounted_clamped);
	int64_t self = call->above ? overlap_self(call, m)
				   : rs_record_self(thread, call->frame, m, delta,
					     rs_frame_selves(thread, call->frame)[m]);
	if (!counted) { /* only total and self take it */
		after->total += delta;
		after->self += self;
		return false;
	}
	rs_record_add(before, after, delta, self, rs_bucket_of(delta));
	return !*rs_record_octave(pair->octaves, m, after->bucket);
}

static void record(struct call *call)
{
	struct rs_thread *thread = call->thread;
	uint32_t n_groups = thread->n_groups, good = call->frame->groups & thread->now_groups;
	struct rs_scalars_pair pair = rs_record_copies(
		call->frame->cell, thread->n_events, n_groups);
	uint64_t clamped = 0;
	bool missing = take(call, &pair, 0, true, true, &clamped);
	for (uint32_t m = 1; m <= thread->n_events; m++)
		missing |= take(call, &pair, m,
			good & RS_GROUPS_GOOD(thread->shape->event_group[m - 1]),
			is_counted(thread, call->counted, m), &clamped);
	for (uint32_t g = 0; g < n_groups; g++) {
		struct rs_group_sums *after = &rs_record_groups(pair.after)[g];
		*after = rs_record_groups(pair.before)[g];
		after->counted += call->counted >> g & 1;
		after->enabled_ns += call->groups[g].enabled_ns;
		after->running_ns += call->groups[g].running_ns;
		after->stable_ticks += call->groups[g].stable_ticks;
	}
	rs_record_flip(thread, call->frame, &pair, n_groups, missing, clamped, call->counted);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (is_counted(thread, call->counted, m))
			rs_record_count(thread, pair.octaves, m,
				rs_record_moments(pair.after, n_groups)[m].bucket);
}

/* What this marker will be charged for is charged to what was counted only. */
static void spare_uncounted(struct rs_thread *thread, uint32_t groups)
{
	bool is_next = thread->now_edge == RS_EDGE_NEXT;
	const uint64_t *cost = is_next ? thread->cost->next : thread->cost->pair;
	for (uint32_t m = 1; m <= thread->n_events; m++) {
		if (!rs_is_off(thread, groups, m))
			continue;
		thread->bias[m] -= cost[m];
		if (is_next) /* the BEGIN will be taken to have paid already */
			thread->now[m] += cost[m];
	}
}

/*
 * After a context switch most often all groups turn out to have been on the PMU while the thread
 * ran: then the regions around are counted, too. And a group that was not leaves others that were.
 * So nobody is to pay for what happens here, unless that would take more system calls.
 */
void rs_record_other(struct rs_thread *thread, uint32_t index)
{
	struct rs_frame *frame = rs_frame_at(thread, index);
	struct call call;
	call.thread = thread;
	call.frame = frame;
	call.above = index + 1 < thread->depth ? rs_frame_at(thread, index + 1) : NULL;
	call.inside = thread->cost->inside[2 * frame->edge + thread->now_edge];
	bool is_charged = thread->is_plain;
	uint32_t groups = thread->now_groups;
	if (is_charged)
		rs_slow_begin(thread);
	if (thread->now_groups != thread->all_good)
		rs_counters_mend(thread);
	rs_group_times(thread, frame, call.groups, &call.counted);
	record(&call);
	if (is_charged)
		rs_slow_end(thread,
			thread->now_edge == RS_EDGE_NEXT ? RS_SLOW_OTHER_NEXT : RS_SLOW_OTHER);
	spare_uncounted(thread, groups);
}

/* Keep the row of the slowest call so far where the current row is not. */
static void write_slowest(struct rs_thread *thread, const struct rs_frame *frame,
	const struct rs_scalars_pair *pair, uint32_t row, uint32_t counted)
{
	const struct rs_shape *shape = thread->shape;
	const struct rs_moments *before = rs_record_moments(pair->before, shape->n_groups);
	const struct rs_moments *after = rs_record_moments(pair->after, shape->n_groups);
	struct rs_slowest *slowest = (struct rs_slowest *)(void *)((char *)frame->cell +
								   shape->slowest_offset +
								   row * shape->slowest_bytes);
	uint64_t *deltas = (uint64_t *)(void *)(slowest + 1);
	slowest->start_ticks = frame->values[0] + thread->bias[0];
	slowest->tid = thread->tid;
	slowest->pid = thread->pid;
	for (uint32_t m = 0; m <= shape->n_events; m++)
		deltas[m] = is_counted(thread, counted, m) ? after[m].total - before[m].total
							   : UINT64_MAX;
}

void rs_record_prepare(struct rs_thread *thread, struct rs_frame *frame,
	const struct rs_scalars_pair *pair, bool slowest, uint32_t counted)
{
	const struct rs_moments *after = rs_record_moments(pair->after, thread->n_groups);
	rs_slow_begin(thread);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		if (is_counted(thread, counted, m) &&
			!*rs_record_octave(pair->octaves, m, after[m].bucket))
			rs_cell_add_octave(
				thread, frame->cell, m, after[m].bucket / RS_OCTAVE_BUCKETS);
	}
	if (slowest) {
		pair->after->slowest = !pair->before->slowest;
		write_slowest(thread, frame, pair, pair->after->slowest, counted);
	}
	rs_slow_end(
		thread, thread->now_edge == RS_EDGE_NEXT ? RS_SLOW_PREPARE_NEXT : RS_SLOW_PREPARE);
}
