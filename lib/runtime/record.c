/*
 * One finished call into its cell: a frame and the end's snapshot come in; the cell's scalars,
 * histograms and slowest row go out.
 *
 * The scalars are written to the copy that is not current, then the flip makes them current, then
 * the histograms follow: so a process killed anywhere in between leaves the call wholly in or
 * wholly out (lib/segment/layout.h says how a reader completes an interrupted histogram).
 *
 * The regions around this one pay for none of this, because the plain path always costs the same
 * and is known (cost_measure.c), and whatever is not plain is measured while it happens (cost.c).
 * So no branch of the plain path may depend on what was measured.
 *
 * Self needs no list of children: thread->selves holds for every quantity the sum that all finished
 * calls had for themselves; what it grew by during a call is what the call's children used.
 */
#include <string.h>

#include "runtime/runtime.h"

/* A cell's scalars, one copy of them, and what goes with it. */
struct copy {
	struct rs_scalars *head;
	struct rs_group_sums *groups;
	struct rs_moments *moments;
};

/* One call on its way into a cell. */
struct call {
	struct rs_thread *thread;
	struct rs_frame *frame;
	struct rs_frame *above; /* overlap: begun next and still open, or NULL */
	const uint64_t *inside; /* own cost between the snapshots */
	uint32_t *octaves; /* the cell's table */
	uint32_t flip;
	struct copy before, after;
	uint32_t counted; /* a bit for each group that was on the PMU all the time */
	struct rs_group_sums groups[RS_MAX_GROUPS]; /* to be added; not in the plain case */
};

RS_INLINE struct copy copy_of(const struct rs_thread *thread, struct rs_cell *cell, uint32_t copy)
{
	struct copy found;
	found.head = (void *)((char *)(cell + 1) + (copy & 1) * thread->shape->scalars_bytes);
	found.groups = (void *)(found.head + 1);
	found.moments = (void *)(found.groups + thread->n_groups);
	return found;
}

RS_INLINE uint64_t at_least_0(uint64_t raw, uint64_t cost, uint64_t *clamped)
{
	uint64_t below = raw < cost, left = (raw - cost) & (below - 1);
	*clamped += below;
	/* keeps the compiler from making two paths of this, of which one would be shorter */
	__asm__("" : "+r"(left));
	return left;
}

/* Overlap: the frame begun next covers the rest of this call. Its span ends there, and what the
 * frames above find in thread->selves moves by what this call adds below them. */
static RS_COLD int64_t take_overlap(struct call *call, uint32_t m)
{
	struct rs_thread *thread = call->thread;
	uint64_t begun = rs_frame_selves(thread, call->frame)[m], clamped;
	uint64_t ended = rs_frame_selves(thread, call->above)[m];
	uint64_t span = at_least_0(
		call->above->values[m] - call->frame->values[m], call->inside[m], &clamped);
	uint64_t shift = begun + span * call->frame->weight - ended;
	thread->selves[m] += shift;
	struct rs_frame *end = rs_frame_at(thread, thread->depth);
	for (struct rs_frame *frame = call->above; frame < end;
		frame = (void *)((char *)frame + thread->frame_bytes))
		rs_frame_selves(thread, frame)[m] += shift;
	return (int64_t)(span - (ended - begun));
}

RS_INLINE int64_t take_self(struct call *call, uint32_t m, uint64_t delta, bool plain)
{
	if (!plain && call->above)
		return take_overlap(call, m);
	uint64_t begun = rs_frame_selves(call->thread, call->frame)[m];
	uint64_t children = call->thread->selves[m] - begun;
	call->thread->selves[m] = begun + delta * call->frame->weight;
	return (int64_t)(delta - children);
}

/* One quantity: its moments after this call, into the copy that is not current. Returns whether its
 * histogram lacks the octave. */
RS_INLINE bool take(struct call *call, uint32_t m, uint64_t *clamped, bool plain)
{
	const struct rs_moments *before = &call->before.moments[m];
	struct rs_moments *after = &call->after.moments[m];
	uint64_t raw = call->thread->now[m] - call->frame->values[m];
	uint64_t delta = at_least_0(raw, call->inside[m], clamped);
	int64_t self = take_self(call, m, delta, plain);
	uint32_t bucket = rs_bucket_of(delta);
	unsigned __int128 square = ((unsigned __int128)before->square_high << 64) |
				   before->square_low;
	square += (unsigned __int128)delta * delta;
	after->total = before->total + delta;
	after->self = before->self + self;
	after->sum = before->sum + delta;
	after->min_inverted = before->min_inverted > ~delta ? before->min_inverted : ~delta;
	after->max = before->max > delta ? before->max : delta;
	after->square_low = (uint64_t)square;
	after->square_high = (uint64_t)(square >> 64);
	after->bucket = bucket;
	return !call->octaves[m * RS_OCTAVES + bucket / RS_OCTAVE_BUCKETS];
}

/* The same of an event whose group was not on the PMU all the time: all but total and self stay. */
static void take_uncounted(struct call *call, uint32_t m, bool good)
{
	uint64_t clamped = 0;
	call->after.moments[m] = call->before.moments[m];
	if (!good)
		return;
	uint64_t raw = call->thread->now[m] - call->frame->values[m];
	uint64_t delta = at_least_0(raw, call->inside[m], &clamped);
	call->after.moments[m].total += delta;
	call->after.moments[m].self += take_self(call, m, delta, false);
}

RS_INLINE bool is_counted(const struct call *call, uint32_t m)
{
	return !m || call->counted >> call->thread->shape->event_group[m - 1] & 1;
}

static uint64_t delta_of(const struct call *call, uint32_t m)
{
	return call->after.moments[m].total - call->before.moments[m].total;
}

/* Keep the row of the slowest call so far where the current row is not. */
static void write_slowest(const struct call *call, uint32_t row)
{
	const struct rs_shape *shape = call->thread->shape;
	struct rs_slowest *slowest = (struct rs_slowest *)(void *)((char *)call->frame->cell +
								   shape->slowest_offset +
								   row * shape->slowest_bytes);
	uint64_t *deltas = (uint64_t *)(void *)(slowest + 1);
	slowest->start_ticks = call->frame->values[0] + call->thread->bias[0];
	slowest->tid = call->thread->tid;
	slowest->pid = call->thread->pid;
	for (uint32_t m = 0; m <= shape->n_events; m++)
		deltas[m] = is_counted(call, m) ? delta_of(call, m) : UINT64_MAX;
}

/* What has to exist before the flip: new octaves, and the row of a new slowest call. */
static RS_COLD void prepare(struct call *call, bool slowest)
{
	struct rs_thread *thread = call->thread;
	rs_slow_begin(thread);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint32_t octave = call->after.moments[m].bucket / RS_OCTAVE_BUCKETS;
		if (is_counted(call, m) && !call->octaves[m * RS_OCTAVES + octave])
			rs_cell_add_octave(thread, call->frame->cell, m, octave);
	}
	if (slowest) {
		call->after.head->slowest = !call->before.head->slowest;
		write_slowest(call, call->after.head->slowest);
	}
	rs_slow_end(thread, RS_SLOW_PREPARE);
}

RS_INLINE void count_bucket(const struct call *call, uint32_t m)
{
	uint32_t bucket = call->after.moments[m].bucket;
	uint64_t unit = call->octaves[m * RS_OCTAVES + bucket / RS_OCTAVE_BUCKETS];
	uint64_t *counts = (uint64_t *)(void *)(call->thread->base + unit * RS_OFFSET_UNIT);
	if (RS_LIKELY(unit))
		counts[bucket % RS_OCTAVE_BUCKETS]++;
}

RS_INLINE void find_copies(struct call *call)
{
	struct rs_cell *cell = call->frame->cell;
	call->octaves = (void *)((char *)cell + call->thread->shape->octaves_offset);
	call->flip = atomic_load_explicit(&cell->flip, memory_order_relaxed);
	call->before = copy_of(call->thread, cell, call->flip);
	call->after = copy_of(call->thread, cell, call->flip + 1);
}

/* Complete the copy that is not current, and make it current. */
RS_INLINE void flip_copies(struct call *call, bool missing, uint64_t clamped)
{
	struct rs_cell *cell = call->frame->cell;
	bool slowest = (call->after.moments[0].max != call->before.moments[0].max) |
		       !call->before.head->calls;
	call->after.head->calls = call->before.head->calls + 1;
	call->after.head->slowest = call->before.head->slowest;
	atomic_store_explicit(&cell->diag[RS_CELL_DIAG_CLAMPED],
		atomic_load_explicit(&cell->diag[RS_CELL_DIAG_CLAMPED], memory_order_relaxed) +
			clamped,
		memory_order_relaxed);
	if (RS_UNLIKELY(slowest | missing))
		prepare(call, slowest);
	/* pairs with the acquire load of flip in whoever reads the cell */
	atomic_store_explicit(&cell->flip, call->flip + 1, memory_order_release);
}

/* Every group was on the PMU from BEGIN to END. n_events: of the thread, as a constant where that
 * makes the loops straight. */
RS_INLINE void record_plain(struct call *call, uint32_t n_events)
{
	bool missing = false;
	uint64_t clamped = 0;
	find_copies(call);
	for (uint32_t m = 0; m <= n_events; m++)
		missing |= take(call, m, &clamped, true);
	for (uint32_t g = 0; n_events && g < call->thread->n_groups; g++) {
		call->after.groups[g] = call->before.groups[g];
		call->after.groups[g].counted++;
		call->after.groups[g].stable_ticks += call->thread->now[0] - call->frame->values[0];
	}
	flip_copies(call, missing, clamped);
	for (uint32_t m = 0; m <= n_events; m++)
		count_bucket(call, m);
}

/* Groups by read(), groups that were not on the PMU during all of the call, and overlap. */
static void record_general(struct call *call)
{
	struct rs_thread *thread = call->thread;
	uint32_t good = call->frame->groups & thread->now_groups;
	uint64_t clamped = 0;
	find_copies(call);
	bool missing = take(call, 0, &clamped, false);
	for (uint32_t e = 0; e < thread->n_events; e++) {
		if (is_counted(call, 1 + e))
			missing |= take(call, 1 + e, &clamped, false);
		else
			take_uncounted(
				call, 1 + e, good & RS_GROUPS_GOOD(thread->shape->event_group[e]));
	}
	for (uint32_t g = 0; g < thread->n_groups; g++) {
		struct rs_group_sums *after = &call->after.groups[g];
		*after = call->before.groups[g];
		after->counted += call->counted >> g & 1;
		after->enabled_ns += call->groups[g].enabled_ns;
		after->running_ns += call->groups[g].running_ns;
		after->stable_ticks += call->groups[g].stable_ticks;
	}
	flip_copies(call, missing, clamped);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		if (is_counted(call, m))
			count_bucket(call, m);
}

/* Something happened to the groups: after a context switch most often to find that all were on the
 * PMU while the thread ran. Only then are the regions around counted, too, and must pay for
 * nothing. */
static __attribute__((noinline)) void record_examined(struct call *call)
{
	struct rs_thread *thread = call->thread;
	bool good = thread->now_groups == thread->all_good &&
		    call->frame->groups == thread->all_good;
	if (!thread->is_plain || !good) {
		rs_group_times(thread, call->frame, call->groups, &call->counted);
		record_general(call);
		return;
	}
	rs_slow_begin(thread);
	rs_group_times(thread, call->frame, call->groups, &call->counted);
	rs_slow_end(thread, RS_SLOW_EXAMINE);
	if (call->counted != thread->all_good)
		record_general(call);
	else if (thread->n_events == 2)
		record_plain(call, 2);
	else
		record_plain(call, thread->n_events);
}

void rs_record(struct rs_thread *thread, uint32_t index)
{
	struct rs_frame *frame = rs_frame_at(thread, index);
	struct call call;
	call.thread = thread;
	call.frame = frame;
	call.above = NULL;
	call.counted = UINT32_MAX;
	call.inside = thread->cost->inside[2 * frame->edge + thread->now_edge];
	if (RS_UNLIKELY(index + 1 < thread->depth)) {
		call.above = rs_frame_at(thread, index + 1);
		rs_group_times(thread, frame, call.groups, &call.counted);
		record_general(&call);
	} else if (!thread->n_groups)
		record_plain(&call, 0);
	else if (RS_UNLIKELY(!thread->is_plain || thread->now_sequence != frame->sequence ||
			     thread->now_groups != thread->all_good ||
			     frame->groups != thread->all_good))
		record_examined(&call);
	else if (thread->n_events == 2)
		record_plain(&call, 2);
	else
		record_plain(&call, thread->n_events);
}
