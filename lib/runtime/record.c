/*
 * One finished call into its cell: a frame and the end's snapshot come in; the cell's scalars,
 * histograms and slowest row go out.
 *
 * The scalars are written to the copy that is not current, then the flip makes them current, then
 * the histograms follow: so a process killed anywhere in between leaves the call wholly in or
 * wholly out (lib/segment/layout.h says how a reader completes an interrupted histogram).
 *
 * The regions around this one pay for none of this, because the plain path always costs the same
 * and is known (cost.c); whatever is not plain is measured while it happens. So no branch here may
 * depend on measured values without being charged.
 *
 * Self needs no list of children: thread->selves holds for every quantity the sum that all finished
 * calls had for themselves; what it grew by during a call is what the call's children used.
 */
#include <string.h>

#include "runtime/runtime.h"

/* One call on its way into a cell. */
struct call {
	struct rs_thread *thread;
	struct rs_frame *frame;
	struct rs_frame *above; /* overlap: begun next and still open, or NULL */
	const uint64_t *inside; /* own cost between the snapshots */
	uint32_t n_events;
	uint32_t good; /* a bit for each group: both snapshots are good */
	uint32_t counted; /* ... and it was on the PMU all the time */
	bool clamped;
	uint64_t deltas[1 + RS_MAX_EVENTS];
	int64_t selves[1 + RS_MAX_EVENTS];
	uint32_t buckets[1 + RS_MAX_EVENTS];
	struct rs_group_sums groups[RS_MAX_GROUPS]; /* to be added; general case only */
};

/* ---- what the call used ---- */

/* What the markers passed inside a span cost it in one quantity. */
RS_INLINE uint64_t markers_cost(const struct call *call, struct rs_passed passed, uint32_t m)
{
	const struct rs_cost *cost = call->thread->cost;
	const struct rs_passed *begin = &call->frame->passed;
	uint64_t sum = (uint64_t)(passed.pairs - begin->pairs) * cost->pair[m];
	sum += (uint64_t)(passed.nexts - begin->nexts) * cost->next[m];
	sum += (uint64_t)(passed.skips - begin->skips) * cost->skip[m];
	return sum + (uint64_t)(passed.reentries - begin->reentries) * cost->reentry[m];
}

RS_INLINE uint64_t less_cost(struct call *call, uint64_t raw, uint64_t cost)
{
	call->clamped |= raw < cost;
	return raw > cost ? raw - cost : 0;
}

/* Overlap: the frame begun next covers the rest. Its span ends there, and what those above find in
 * thread->selves moves by what this call adds below them. */
static RS_COLD void take_overlap(struct call *call, uint32_t m, uint64_t raw_span)
{
	struct rs_thread *thread = call->thread;
	uint64_t begun = rs_frame_selves(thread, call->frame)[m];
	uint64_t ended = rs_frame_selves(thread, call->above)[m];
	uint64_t span = less_cost(
		call, raw_span, call->inside[m] + markers_cost(call, call->above->passed, m));
	uint64_t shift = begun + span * call->frame->weight - ended;
	call->selves[m] = (int64_t)(span - (ended - begun));
	thread->selves[m] += shift;
	struct rs_frame *end = rs_frame_at(thread, thread->depth);
	for (struct rs_frame *frame = call->above; frame < end;
		frame = (void *)((char *)frame + thread->frame_bytes))
		rs_frame_selves(thread, frame)[m] += shift;
}

/* Delta and self in one quantity; raw is the difference of the snapshots. */
RS_INLINE void take(struct call *call, uint32_t m, uint64_t raw, uint64_t above)
{
	struct rs_thread *thread = call->thread;
	uint64_t *begun = &rs_frame_selves(thread, call->frame)[m];
	uint64_t delta = less_cost(
		call, raw, call->inside[m] + markers_cost(call, thread->passed, m));
	call->deltas[m] = delta;
	call->buckets[m] = rs_bucket_of(delta);
	if (RS_UNLIKELY(call->above != NULL)) {
		take_overlap(call, m, above);
		return;
	}
	call->selves[m] = (int64_t)(delta - (thread->selves[m] - *begun));
	thread->selves[m] = *begun + delta * call->frame->weight;
}

RS_INLINE void take_time(struct call *call)
{
	uint64_t begin = call->frame->ticks;
	take(call, 0, call->thread->now_ticks - begin,
		call->above ? call->above->ticks - begin : 0);
}

RS_INLINE void take_event(struct call *call, uint32_t e)
{
	struct rs_thread *thread = call->thread;
	uint32_t word = thread->shape->event_word[e];
	uint64_t begin = call->frame->snapshot[word];
	take(call, 1 + e, thread->now[word] - begin,
		call->above ? call->above->snapshot[word] - begin : 0);
}

/* ---- what has to exist first ---- */

RS_INLINE uint32_t *octave_unit(const struct call *call, uint32_t m)
{
	uint32_t *table = (uint32_t *)(void *)((char *)call->frame->cell +
					       call->thread->shape->octaves_offset);
	return &table[m * RS_OCTAVES + call->buckets[m] / RS_OCTAVE_BUCKETS];
}

RS_INLINE bool is_counted(const struct call *call, uint32_t m)
{
	return !m || call->counted >> call->thread->shape->event_group[m - 1] & 1;
}

/* Keep the row of the slowest call so far where the current row is not. */
static void write_slowest(const struct call *call, uint32_t row)
{
	const struct rs_shape *shape = call->thread->shape;
	struct rs_slowest *slowest = (struct rs_slowest *)(void *)((char *)call->frame->cell +
								   shape->slowest_offset +
								   row * shape->slowest_bytes);
	uint64_t *deltas = (uint64_t *)(void *)(slowest + 1);
	slowest->start_ticks = call->frame->ticks;
	slowest->tid = call->thread->tid;
	slowest->pid = call->thread->pid;
	for (uint32_t m = 0; m <= call->n_events; m++)
		deltas[m] = is_counted(call, m) ? call->deltas[m] : UINT64_MAX;
}

/* New octaves, and the slowest row. Returns the row that will be current. */
static RS_COLD uint32_t prepare(
	struct call *call, uint32_t index, const struct rs_scalars *before, bool slowest)
{
	struct rs_thread *thread = call->thread;
	uint32_t row = before->slowest;
	rs_slow_begin(thread);
	for (uint32_t m = 0; m <= call->n_events; m++)
		if (is_counted(call, m) && !*octave_unit(call, m))
			rs_cell_add_octave(
				thread, call->frame->cell, m, call->buckets[m] / RS_OCTAVE_BUCKETS);
	if (slowest)
		write_slowest(call, row = !row);
	if (call->clamped)
		rs_cell_count(call->frame->cell, RS_CELL_DIAG_CLAMPED);
	rs_slow_end(thread, index, thread->cost->outside[RS_SLOW_PREPARE]);
	return row;
}

/* ---- into the cell ---- */

/* The moments of one quantity after one more call. */
RS_INLINE void add_moments(const struct rs_moments *before, struct rs_moments *after,
	uint64_t delta, int64_t self, uint32_t bucket)
{
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
}

/* The same of a call that the quantity's group did not count: all but total and self stay. */
RS_INLINE void keep_moments(
	const struct rs_moments *before, struct rs_moments *after, uint64_t delta, int64_t self)
{
	*after = *before;
	after->total += delta;
	after->self += self;
}

RS_INLINE void add_groups(const struct call *call, const struct rs_group_sums *before,
	struct rs_group_sums *after, bool plain)
{
	for (uint32_t g = 0; g < call->thread->n_groups; g++) {
		if (plain) {
			after[g].counted = before[g].counted + 1;
			after[g].enabled_ns = before[g].enabled_ns;
			after[g].running_ns = before[g].running_ns;
			after[g].stable_ticks = before[g].stable_ticks + call->deltas[0];
			continue;
		}
		after[g].counted = before[g].counted + (call->counted >> g & 1);
		after[g].enabled_ns = before[g].enabled_ns + call->groups[g].enabled_ns;
		after[g].running_ns = before[g].running_ns + call->groups[g].running_ns;
		after[g].stable_ticks = before[g].stable_ticks + call->groups[g].stable_ticks;
	}
}

RS_INLINE void count_bucket(const struct call *call, uint32_t m)
{
	uint32_t unit = *octave_unit(call, m);
	uint64_t *counts =
		(uint64_t *)(void *)(call->thread->base + (uint64_t)unit * RS_OFFSET_UNIT);
	if (RS_LIKELY(unit))
		counts[call->buckets[m] % RS_OCTAVE_BUCKETS]++;
}

/* Write the copy that is not current, flip, count the histograms. */
RS_INLINE void commit(struct call *call, uint32_t index, bool plain)
{
	const struct rs_shape *shape = call->thread->shape;
	struct rs_cell *cell = call->frame->cell;
	uint32_t flip = atomic_load_explicit(&cell->flip, memory_order_relaxed);
	char *copies = (char *)(cell + 1);
	struct rs_scalars *before = (void *)(copies + (flip & 1) * shape->scalars_bytes);
	struct rs_scalars *after = (void *)(copies + (~flip & 1) * shape->scalars_bytes);
	struct rs_group_sums *groups_before = (void *)(before + 1);
	struct rs_group_sums *groups_after = (void *)(after + 1);
	struct rs_moments *old = (void *)(groups_before + shape->n_groups);
	struct rs_moments *new = (void *)(groups_after + shape->n_groups);

	uint32_t row = before->slowest;
	bool slowest = call->deltas[0] > old->max || !before->calls;
	bool missing = call->clamped | !*octave_unit(call, 0);
	for (uint32_t m = 1; m <= call->n_events; m++)
		missing |= !*octave_unit(call, m) && (plain || is_counted(call, m));
	if (RS_UNLIKELY(slowest | missing)) {
		if (plain)
			call->counted = call->thread->all_good;
		row = prepare(call, index, before, slowest);
	}

	after->calls = before->calls + 1;
	after->slowest = row;
	add_groups(call, groups_before, groups_after, plain);
	for (uint32_t m = 0; m <= call->n_events; m++) {
		if (plain || is_counted(call, m))
			add_moments(&old[m], &new[m], call->deltas[m], call->selves[m],
				call->buckets[m]);
		else
			keep_moments(&old[m], &new[m], call->deltas[m], call->selves[m]);
	}
	/* pairs with the acquire load of flip in whoever reads the cell */
	atomic_store_explicit(&cell->flip, flip + 1, memory_order_release);
	for (uint32_t m = 0; m <= call->n_events; m++)
		if (plain || is_counted(call, m))
			count_bucket(call, m);
}

RS_INLINE void take_plain(struct call *call, uint32_t n_events)
{
	call->n_events = n_events;
	take_time(call);
	for (uint32_t e = 0; e < n_events; e++)
		take_event(call, e);
}

/* Every group was on the PMU from BEGIN to END. */
static __attribute__((noinline)) void record_events(struct call *call, uint32_t index)
{
	take_plain(call, call->thread->n_events);
	commit(call, index, true);
}

/* Groups by read(), and groups that were not on the PMU during all of the call. */
static void record_general(struct call *call, uint32_t index)
{
	struct rs_thread *thread = call->thread;
	call->n_events = thread->n_events;
	rs_group_times(thread, call->frame, call->groups, &call->good, &call->counted);
	take_time(call);
	for (uint32_t e = 0; e < call->n_events; e++) {
		if (call->good >> thread->shape->event_group[e] & 1) {
			take_event(call, e);
			continue;
		}
		call->deltas[1 + e] = 0;
		call->selves[1 + e] = 0;
		call->buckets[1 + e] = 0;
	}
	commit(call, index, false);
}

/* Something happened to the groups: after a context switch most often to find that all were on the
 * PMU while the thread ran. Only then the regions around are counted, so only then it matters that
 * they pay for nothing. */
static __attribute__((noinline)) void record_examined(struct call *call, uint32_t index)
{
	struct rs_thread *thread = call->thread;
	bool good = thread->now_groups == thread->all_good &&
		    call->frame->groups == thread->all_good;
	if (!thread->is_plain || !good) {
		record_general(call, index);
		return;
	}
	take_plain(call, thread->n_events);
	rs_slow_begin(thread);
	rs_group_times(thread, call->frame, call->groups, &call->good, &call->counted);
	rs_slow_end(thread, index, thread->cost->outside[RS_SLOW_EXAMINE]);
	if (call->counted == thread->all_good)
		commit(call, index, true);
	else
		commit(call, index, false);
}

void rs_record(struct rs_thread *thread, uint32_t index)
{
	struct rs_frame *frame = rs_frame_at(thread, index);
	struct call call;
	call.thread = thread;
	call.frame = frame;
	call.above = NULL;
	call.clamped = false;
	call.inside = thread->cost->inside[2 * frame->edge + thread->now_edge];
	if (RS_UNLIKELY(index + 1 < thread->depth))
		call.above = rs_frame_at(thread, index + 1);
	if (!thread->n_groups) {
		take_plain(&call, 0);
		commit(&call, index, true);
	} else if (RS_LIKELY(thread->is_plain && thread->now_sequence == frame->sequence &&
			     thread->now_groups == thread->all_good &&
			     frame->groups == thread->all_good)) {
		record_events(&call, index);
	} else {
		record_examined(&call, index);
	}
}
