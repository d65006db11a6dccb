/*
 * One finished call into its cell, the plain case: every group was on the PMU all the time, and the
 * calls nest. A frame and the end's snapshot come in; the cell's scalars and histograms go out.
 * What is not plain is in record.c.
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
 *
 * n_events and n_groups are those of the thread; constants where that makes the loops straight.
 */
#ifndef RS_RUNTIME_RECORD_H
#define RS_RUNTIME_RECORD_H

#include "runtime/runtime.h"

/* The two copies of a cell's scalars, and its octave table. */
struct rs_scalars_pair {
	struct rs_scalars *before; /* current */
	struct rs_scalars *after; /* to be written */
	uint32_t *octaves;
	uint32_t flip;
};

RS_INLINE struct rs_scalars_pair rs_record_copies(
	struct rs_cell *cell, uint32_t n_events, uint32_t n_groups)
{
	struct rs_scalars_pair pair;
	uint32_t bytes = rs_scalars_bytes(n_events, n_groups);
	pair.flip = atomic_load_explicit(&cell->flip, memory_order_relaxed);
	char *copies = (char *)(cell + 1);
	uint32_t offset = -(pair.flip & 1) & bytes;
	__asm__("" : "+r"(offset)); /* one path, not one for each copy */
	pair.before = (void *)(copies + offset);
	pair.after = (void *)(copies + (bytes - offset));
	pair.octaves = (void *)((char *)cell + rs_cell_octaves_offset(n_events, n_groups));
	return pair;
}

RS_INLINE struct rs_group_sums *rs_record_groups(struct rs_scalars *scalars)
{
	return (void *)(scalars + 1);
}

RS_INLINE struct rs_moments *rs_record_moments(struct rs_scalars *scalars, uint32_t n_groups)
{
	return (void *)(rs_record_groups(scalars) + n_groups);
}

/* A difference of snapshots without own cost; 0, counted, where that is more. */
RS_INLINE uint64_t rs_record_less(uint64_t raw, uint64_t cost, uint64_t *clamped)
{
	/* raw itself may be below 0 and so wrap, for the bias in it is an estimate too */
	uint64_t left = raw - cost, below = left >> 63;
	left &= below - 1;
	*clamped += below;
	/* keeps the compiler from making two paths of this, of which one would be shorter */
	__asm__("" : "+r"(left));
	return left;
}

/* Self of a call that took delta of a quantity; thread->selves moves on. */
RS_INLINE int64_t rs_record_self(struct rs_thread *thread, const struct rs_frame *frame, uint32_t m,
	uint64_t delta, uint64_t begun)
{
	uint64_t children = thread->selves[m] - begun;
	thread->selves[m] = begun + delta * frame->weight;
	return (int64_t)(delta - children);
}

/* The moments of a quantity after one more call. */
RS_INLINE void rs_record_add(const struct rs_moments *before, struct rs_moments *after,
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

/* Where in the octave table the octave of a bucket stands. */
RS_INLINE uint32_t *rs_record_octave(uint32_t *octaves, uint32_t m, uint32_t bucket)
{
	return &octaves[m * RS_OCTAVES + bucket / RS_OCTAVE_BUCKETS];
}

RS_INLINE void rs_record_count(
	struct rs_thread *thread, uint32_t *octaves, uint32_t m, uint32_t bucket)
{
	uint64_t unit = *rs_record_octave(octaves, m, bucket);
	uint64_t *counts = (uint64_t *)(void *)(thread->base + unit * RS_OFFSET_UNIT);
	if (RS_LIKELY(unit))
		counts[bucket % RS_OCTAVE_BUCKETS]++;
}

/* Complete the copy that is not current, and make it current. missing: an octave is. counted: a bit
 * for each group. */
RS_INLINE void rs_record_flip(struct rs_thread *thread, struct rs_frame *frame,
	const struct rs_scalars_pair *pair, uint32_t n_groups, bool missing, uint64_t clamped,
	uint32_t counted)
{
	struct rs_cell *cell = frame->cell;
	struct rs_scalars *before = pair->before, *after = pair->after;
	bool slowest = (rs_record_moments(after, n_groups)->max !=
			       rs_record_moments(before, n_groups)->max) |
		       !before->calls;
	after->calls = before->calls + 1;
	after->slowest = before->slowest;
	atomic_store_explicit(&cell->diag[RS_CELL_DIAG_CLAMPED],
		atomic_load_explicit(&cell->diag[RS_CELL_DIAG_CLAMPED], memory_order_relaxed) +
			clamped,
		memory_order_relaxed);
	if (RS_UNLIKELY(slowest | missing))
		rs_record_prepare(thread, frame, pair, slowest, counted);
	/* pairs with the acquire load of flip in whoever reads the cell */
	atomic_store_explicit(&cell->flip, pair->flip + 1, memory_order_release);
}

/* The plain case. */
RS_INLINE void rs_record_plain(
	struct rs_thread *thread, struct rs_frame *frame, uint32_t n_events, uint32_t n_groups)
{
	const struct rs_scalars_pair pair = rs_record_copies(frame->cell, n_events, n_groups);
	const struct rs_moments *before = rs_record_moments(pair.before, n_groups);
	struct rs_moments *after = rs_record_moments(pair.after, n_groups);
	const uint64_t *inside = thread->cost->inside[2 * frame->edge + thread->now_edge];
	const uint64_t *selves = frame->values + 1 + n_events;
	uint64_t clamped = 0;
	bool missing = false;
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t delta = rs_record_less(
			thread->now[m] - frame->values[m], inside[m], &clamped);
		int64_t self = rs_record_self(thread, frame, m, delta, selves[m]);
		uint32_t bucket = rs_bucket_of(delta);
		rs_record_add(&before[m], &after[m], delta, self, bucket);
		missing |= !*rs_record_octave(pair.octaves, m, bucket);
	}
	for (uint32_t g = 0; g < n_groups; g++) {
		const struct rs_group_sums *old = &rs_record_groups(pair.before)[g];
		struct rs_group_sums *new = &rs_record_groups(pair.after)[g];
		new->counted = old->counted + 1;
		new->enabled_ns = old->enabled_ns;
		new->running_ns = old->running_ns;
		new->stable_ticks = old->stable_ticks + (after->total - before->total);
	}
	rs_record_flip(thread, frame, &pair, n_groups, missing, clamped, UINT32_MAX);
#pragma GCC unroll 5
	for (uint32_t m = 0; m <= n_events; m++)
		rs_record_count(thread, pair.octaves, m, after[m].bucket);
}

/* Record the call of frame, number index, that ended with the snapshot in thread->now. The frame
 * stays where it is. */
RS_INLINE void rs_record(struct rs_thread *thread, struct rs_frame *frame, uint32_t index,
	uint32_t n_events, uint32_t n_groups)
{
	bool nested = index + 1 == thread->depth;
	if (n_groups)
		nested &= thread->is_plain & (thread->now_sequence == frame->sequence) &
			  (thread->now_groups == thread->all_good) &
			  (frame->groups == thread->all_good);
	if (RS_LIKELY(nested))
		rs_record_plain(thread, frame, n_events, n_groups);
	else
		rs_record_other(thread, index);
}

#endif
