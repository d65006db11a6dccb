/*
 * One finished call into its cell: a frame and the end's snapshot come in; the cell's scalars,
 * histograms and slowest row go out, and what the call used is charged to the frame around it.
 *
 * The scalars are written to the copy that is not current, then the flip makes them current, then
 * the histograms follow: so a process killed anywhere in between leaves the call wholly in or
 * wholly out (lib/segment/layout.h says how a reader completes an interrupted histogram).
 */
#include <string.h>

#include "runtime/runtime.h"

/* The moments of one quantity after one more call. total and self take every call; the rest takes
 * counted ones only. */
static inline void add_call(const struct rs_moments *before, struct rs_moments *after,
	uint64_t delta, int64_t self, bool counted)
{
	after->total = before->total + delta;
	after->self = before->self + self;
	after->reserved = 0;
	if (!counted) {
		after->sum = before->sum;
		after->min_inverted = before->min_inverted;
		after->max = before->max;
		after->square_low = before->square_low;
		after->square_high = before->square_high;
		after->bucket = before->bucket;
		return;
	}
	unsigned __int128 square = ((unsigned __int128)before->square_high << 64) |
				   before->square_low;
	square += (unsigned __int128)delta * delta;
	after->sum = before->sum + delta;
	after->min_inverted = before->min_inverted > ~delta ? before->min_inverted : ~delta;
	after->max = before->max > delta ? before->max : delta;
	after->square_low = (uint64_t)square;
	after->square_high = (uint64_t)(square >> 64);
	after->bucket = rs_bucket_of(delta);
}

/* The count of a bucket of one moment; NULL, and the cell says so, when memory was refused. */
static inline uint64_t *bucket_count(
	struct rs_thread *thread, struct rs_cell *cell, uint32_t moment, uint32_t bucket)
{
	const uint32_t *octaves = (const uint32_t *)(const void *)((const char *)cell +
								   thread->shape->octaves_offset);
	uint32_t octave = bucket / RS_OCTAVE_BUCKETS;
	uint32_t unit = octaves[moment * RS_OCTAVES + octave];
	uint64_t *counts;
	if (RS_LIKELY(unit))
		counts = (uint64_t *)(void *)(thread->base + (uint64_t)unit * RS_OFFSET_UNIT);
	else
		counts = rs_cell_add_octave(thread, cell, moment, octave);
	return counts ? counts + bucket % RS_OCTAVE_BUCKETS : NULL;
}

/* Keep the row of the slowest call so far where the current row is not. */
static void write_slowest(const struct rs_thread *thread, const struct rs_frame *frame,
	uint32_t row, const uint64_t *deltas)
{
	const struct rs_shape *shape = thread->shape;
	struct rs_slowest *slowest = (struct rs_slowest *)(void *)((char *)frame->cell +
								   shape->slowest_offset +
								   row * shape->slowest_bytes);
	slowest->start_ticks = frame->ticks;
	slowest->tid = thread->tid;
	slowest->pid = thread->pid;
	memcpy(slowest + 1, deltas, (1 + shape->n_events) * sizeof(*deltas));
}

/* Sums of the groups; returns a bit for each group that was on the PMU during all of the call. */
static uint32_t add_groups(const struct rs_thread *thread, const struct rs_frame *frame,
	const struct rs_group_sums *before, struct rs_group_sums *after)
{
	const struct rs_shape *shape = thread->shape;
	uint32_t valid = frame->valid & thread->now_valid, counted = 0;
	for (uint32_t g = 0; g < shape->n_groups; g++) {
		uint64_t enabled = 0, running = 0;
		if (valid >> g & 1) {
			const uint64_t *begin = frame->snapshot + shape->group_word[g];
			const uint64_t *end = thread->now + shape->group_word[g];
			enabled = end[1] - begin[1];
			running = end[2] - begin[2];
			counted |= (uint32_t)(enabled == running) << g;
		}
		after[g].counted = before[g].counted + (counted >> g & 1);
		after[g].enabled_ns = before[g].enabled_ns + enabled;
		after[g].running_ns = before[g].running_ns + running;
	}
	return counted;
}

/* What this call used, and what of it no frame above it covers, go to the frame below. */
static inline void charge_parent(
	struct rs_frame *parent, const struct rs_thread *thread, uint32_t moment, uint64_t span)
{
	if (parent)
		rs_frame_children(thread, parent)[moment] += span;
}

/* Events of the call: moments, deltas for the slowest row, and where each is to be counted. */
static void add_events(struct rs_thread *thread, uint32_t index, const struct rs_moments *before,
	struct rs_moments *after, uint32_t counted, uint64_t *deltas, uint64_t **counts)
{
	const struct rs_shape *shape = thread->shape;
	struct rs_frame *frame = rs_frame_at(thread, index);
	struct rs_frame *parent = index ? rs_frame_at(thread, index - 1) : NULL;
	const struct rs_frame *above = index + 1 < thread->depth ? rs_frame_at(thread, index + 1)
								 : NULL;
	const uint64_t *children = rs_frame_children(thread, frame);
	uint32_t valid = frame->valid & thread->now_valid;
	for (uint32_t e = 0; e < shape->n_events; e++) {
		uint32_t group = shape->event_group[e], word = shape->event_word[e];
		uint64_t delta = 0, span = 0;
		if (valid >> group & 1) {
			delta = thread->now[word] - frame->snapshot[word];
			span = delta;
			if (above && above->valid >> group & 1)
				span = above->snapshot[word] - frame->snapshot[word];
		}
		bool is_counted = counted >> group & 1;
		add_call(&before[e], &after[e], delta, (int64_t)(span - children[1 + e]),
			is_counted);
		charge_parent(parent, thread, 1 + e, span);
		deltas[1 + e] = is_counted ? delta : UINT64_MAX;
		counts[e] = is_counted ? bucket_count(thread, frame->cell, 1 + e, after[e].bucket)
				       : NULL;
	}
}

void rs_record(struct rs_thread *thread, uint32_t index, uint64_t end_ticks)
{
	const struct rs_shape *shape = thread->shape;
	struct rs_frame *frame = rs_frame_at(thread, index);
	struct rs_cell *cell = frame->cell;
	uint32_t flip = atomic_load_explicit(&cell->flip, memory_order_relaxed);
	char *copies = (char *)(cell + 1);
	struct rs_scalars *before = (void *)(copies + (flip & 1) * shape->scalars_bytes);
	struct rs_scalars *after = (void *)(copies + (~flip & 1) * shape->scalars_bytes);
	struct rs_group_sums *groups_before = (void *)(before + 1);
	struct rs_group_sums *groups_after = (void *)(after + 1);
	struct rs_moments *time_before = (void *)(groups_before + shape->n_groups);
	struct rs_moments *time_after = (void *)(groups_after + shape->n_groups);
	uint64_t deltas[1 + RS_MAX_EVENTS];
	uint64_t *counts[RS_MAX_EVENTS];

	deltas[0] = end_ticks - frame->ticks;
	/* overlap: the frame begun next covers the rest of this one's time */
	uint64_t span = deltas[0];
	if (RS_UNLIKELY(index + 1 < thread->depth))
		span = rs_frame_at(thread, index + 1)->ticks - frame->ticks;
	add_call(time_before, time_after, deltas[0],
		(int64_t)(span - rs_frame_children(thread, frame)[0]), true);
	charge_parent(index ? rs_frame_at(thread, index - 1) : NULL, thread, 0, span);
	uint64_t *time_count = bucket_count(thread, cell, 0, time_after->bucket);
	if (shape->n_groups) {
		uint32_t counted = add_groups(thread, frame, groups_before, groups_after);
		add_events(thread, index, time_before + 1, time_after + 1, counted, deltas, counts);
	}
	after->calls = before->calls + 1;
	after->slowest = before->slowest;
	if (RS_UNLIKELY(deltas[0] > time_before->max || !before->calls)) {
		after->slowest = !before->slowest;
		write_slowest(thread, frame, after->slowest, deltas);
	}

	/* pairs with the acquire load of flip in whoever reads the cell */
	atomic_store_explicit(&cell->flip, flip + 1, memory_order_release);
	if (RS_LIKELY(time_count))
		++*time_count;
	for (uint32_t e = 0; e < shape->n_events; e++)
		if (counts[e])
			++*counts[e];
}
