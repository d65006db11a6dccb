/* SPDX-License-Identifier: MIT */
/*
 * Ending calls that overlap instead of nesting: which call gets which self time, and which time a
 * region has already counted. ENDs may come in any order.
 *
 * An END passes the calls that began within its call and are still open. For example, in A B /A /B
 * (/A is the END of A), /A passes B. Time is self time of the open call that began last. At /A the
 * runtime cannot know whether B will end, or was jumped over by longjmp(). Until B ends, it counts
 * as jumped over: B is lost, and calls that ended within B become children of A. The self time of B
 * so far, its gift, becomes self time of A. If B ends after all, it is no longer lost, and the gift
 * is added to the children in A's accumulator. For the enclosing calls, B then counts as if it had
 * begun at /A, because all earlier time of B is within A.
 *
 * A frame stores only one gift. If C is passed twice, its gift moves. In A B C /A /B, the gift is
 * self time of A after /A, and self time of B after /B. There is one exception: B is around A, and
 * C's stack frame is gone (B A C /A /B). Most likely A and B both jumped over C. So the gift
 * remains that of A. If C ends after all, because it is on the stack of a fiber, its self time
 * between /A and /B counts for both B and C. Its off-CPU part counts only for B.
 *
 * In recursion, another call of the region may have counted a part of a call: one that ended within
 * it, or an outer one that ended before it. The frame stores that part, so the region's total
 * counts no time twice.
 */
#include <string.h>

#include "runtime/calls/frame.h"
#include "runtime/calls/off_cpu.h"

/* ---- calls that are passed ---- */

/* Add a frame's gift to the children of the call that passed the frame, because the gift is not
 * self time of that call after all. The added number is even, so the sum keeps its parity. */
static void give(struct rs_thread *thread, struct rs_frame *frame)
{
	const uint64_t *own = rs_frame_vector(frame, RS_VECTOR_OWN, thread->n_events);
	if (!frame->passed_region)
		return;
	struct rs_accumulator_children *into = rs_accumulator_children(
		frame->passed_region->accumulator, thread->n_events);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		rs_add_64(&into[m].sum, 2 * own[m]);
	rs_off_cpu_give(thread, frame, frame->passed_region);
	frame->passed_region = NULL;
}

/* Return the time (m is 0) or an event of a call since it was last passed, up to
 * thread->snapshot.values. scratch.charged contains the charges of the call and of the calls above
 * it, of which n_above are measured. within is the result for the call directly above. */
static uint64_t new_use(const struct rs_thread *thread, struct rs_frame *frame, uint32_t n_above,
	uint32_t m, uint64_t within)
{
	uint64_t given = rs_frame_vector(frame, RS_VECTOR_GIVEN, thread->n_events)[m];
	if (frame->flags & RS_FRAME_IGNORED)
		return rs_frame_children(thread, frame)[m] + within;
	return rs_frame_weight(thread, frame) *
		       (thread->snapshot.values[m] - frame->values[m] - thread->scratch.charged[m] -
			       n_above * thread->cost->begin[m]) -
	       given;
}

/* Let the call of `frame`, which `region` records, pass the call `above`. within[1 + n_events]
 * is as in new_use() of `above`, and *off_within the same for off-CPU time; replace them by the
 * results for `above`. */
static void share(struct rs_thread *thread, struct rs_frame *above, struct rs_frame *frame,
	struct rs_thread_region *region, uint32_t n_above, uint64_t *within, uint64_t *off_within)
{
	uint32_t n_events = thread->n_events;
	uint64_t *given = rs_frame_vector(above, RS_VECTOR_GIVEN, n_events);
	uint64_t *earlier = rs_frame_vector(above, RS_VECTOR_EARLIER, n_events);
	uint64_t *own = rs_frame_vector(above, RS_VECTOR_OWN, n_events);
	uint64_t *children = rs_frame_children(thread, above);
	uint64_t *of_frame = rs_frame_children(thread, frame);
	if (!above->passed_by)
		memset(given, 0, 3 * (1 + n_events) * sizeof(*given));
	static_assert(
		RS_VECTOR_EARLIER == RS_VECTOR_GIVEN + 1 && RS_VECTOR_OWN == RS_VECTOR_GIVEN + 2,
		"these three lie in a row");
	/* The gift moves if `frame` was within the call that has it, or if `above` may still
	 * end. */
	bool moves = above->passed_region &&
		     (above->passed_by == frame->passed_by ||
			     !rs_frame_is_gone(thread, above, rs_busy(thread)));
	bool stays = above->passed_region && !moves;
	if (moves)
		give(thread, above);
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t new = new_use(thread, above, n_above, m, within[m]);
		uint64_t new_own = new - children[m] - within[m], former = moves ? own[m] : 0;
		of_frame[m] += children[m] - former;
		if (!stays)
			own[m] = new_own + former;
		given[m] += new;
		earlier[m] += children[m] + within[m];
		within[m] = new;
		children[m] = 0;
	}
	frame->direct |= 1;
	rs_off_cpu_pass(thread, above, frame, moves, stays, off_within);
	rs_off_cpu_share(thread, above, frame, !stays);
	if (stays)
		return;
	above->passed_by = thread->frames.n_passes;
	above->passed_region = region;
}

/* Count an open call as lost, because a call that began earlier ends. The END of the lost call
 * undoes this. If a handler jumps out of here or of settle(), a count stays too high by 1, but no
 * count falls below 0. */
static void pass(struct rs_thread *thread, struct rs_frame *above)
{
	const uint64_t *begin = thread->cost->begin;
	/* The call that ends now was charged for the BEGIN, so only the END's overhead is left. */
	for (uint32_t m = 0; rs_frame_is_measured(above) && m <= thread->n_events; m++)
		above->values[m] -= begin[m];
	if (above->flags & RS_FRAME_PASSED)
		return;
	bool is_counted = !(above->flags & RS_FRAME_IGNORED) && !rs_frame_is_moved(thread, above);
	if (is_counted)
		rs_accumulator_add(above->region->accumulator, RS_ACCUMULATOR_DIAG_LOST, 1);
	atomic_signal_fence(memory_order_seq_cst);
	rs_frame_set_flag(above, RS_FRAME_PASSED);
	atomic_signal_fence(memory_order_seq_cst);
	if (is_counted)
		rs_accumulator_add_open(above->region->accumulator, UINT32_MAX);
}

/* End a call that other ENDs may have passed. is_call is true if the call is counted. */
static void settle(struct rs_thread *thread, struct rs_frame *frame, bool is_call)
{
	if (is_call)
		give(thread, frame);
	if (!(frame->flags & RS_FRAME_PASSED))
		return;
	bool is_counted = !(frame->flags & RS_FRAME_IGNORED) && !rs_frame_is_moved(thread, frame);
	if (is_counted)
		rs_accumulator_add_open(frame->region->accumulator, 1);
	atomic_signal_fence(memory_order_seq_cst);
	frame->flags &= ~(uint32_t)RS_FRAME_PASSED;
	atomic_signal_fence(memory_order_seq_cst);
	if (is_counted)
		rs_accumulator_add(
			frame->region->accumulator, RS_ACCUMULATOR_DIAG_LOST, UINT64_MAX);
}

/* Return true if a walk from the innermost frame has not reached `frame` yet. The walk ends at the
 * ground if two kernel tasks share the thread's state and one has moved `frame`
 * (rs_most_steps()). */
static bool is_above(
	const struct rs_thread *thread, const struct rs_frame *walk, const struct rs_frame *frame)
{
	return walk != frame && walk != thread->ground;
}

/* Pass all open calls that began within `frame`. region is as in rs_frame_tell(). */
static void pass_all(
	struct rs_thread *thread, struct rs_frame *frame, struct rs_thread_region *region)
{
	uint32_t n_above = 0, n = rs_most_steps(thread);
	uint64_t *within = thread->scratch.used, off_within = 0;
	memset(within, 0, (1 + thread->n_events) * sizeof(*within));
	memset(thread->scratch.charged, 0, (1 + thread->n_events) * sizeof(uint64_t));
	thread->frames.n_passes++;
	for (struct rs_frame *above = thread->innermost; is_above(thread, above, frame) && n--;
		above = above->below) {
		rs_frame_settle_children(thread, above);
		rs_charged_add(thread, above, thread->scratch.charged);
		if (region)
			share(thread, above, frame, region, n_above, within, &off_within);
		above->n_above = n_above;
		n_above += rs_frame_is_measured(above);
		pass(thread, above);
	}
}

void rs_frame_leave(
	struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas, bool is_call)
{
	uint64_t *around = rs_frame_children(thread, frame->below);
	uint64_t *children = rs_frame_children(thread, frame);
	const uint64_t *given = rs_frame_vector(frame, RS_VECTOR_GIVEN, thread->n_events);
	uint64_t weight = rs_frame_weight(thread, frame);
	rs_frame_settle_children(thread, frame->below);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t used = deltas ? weight * deltas[m] : 0, nested = children[m];
		if (frame->passed_by)
			used -= given[m];
		children[m] = 0;
		atomic_signal_fence(memory_order_seq_cst);
		around[m] += is_call ? used : nested;
	}
	frame->direct = 0;
	frame->below->direct |= 1;
}

/* ---- calls of the same region ---- */

/* Store in the other open calls of the region, around this call and within it, that the region has
 * counted this call. The counted part has the weight of the inner call, also if this call was
 * skipped. */
static void tell_region(
	struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas, bool is_call)
{
	uint32_t n_events = thread->n_events;
	const uint64_t *begin = thread->cost->begin;
	uint32_t n = rs_most_steps(thread), n_walked = n;
	struct rs_frame *walk = thread->innermost;
	uint64_t *charged = thread->scratch.charged;
	memset(charged, 0, (1 + thread->n_events) * sizeof(*charged));
	for (struct rs_frame *inner = frame->region->innermost; inner && inner != frame && n--;
		inner = inner->outer) {
		for (; n_walked && walk != inner->below; n_walked--, walk = walk->below)
			rs_charged_add(thread, walk, charged);
		rs_frame_keep_inner(inner, n_events);
		uint64_t *counted = rs_frame_vector(inner, RS_VECTOR_INNER, n_events);
		uint64_t *crossed = rs_frame_vector(inner, RS_VECTOR_CROSSED, n_events);
		rs_frame_keep_inner(frame, n_events);
		uint64_t *own = rs_frame_vector(frame, RS_VECTOR_INNER, n_events);
		uint64_t of_inner = rs_frame_weight(thread, inner);
		for (uint32_t m = 0; is_call && m <= n_events; m++) {
			/* Add the values of calls that ended within both calls. */
			own[m] += counted[m] - of_inner * crossed[m];
			/* Exclude the overhead of this END: it belongs to the inner call. */
			crossed[m] = of_inner ? thread->snapshot.values[m] - inner->values[m] -
							charged[m] - (1 + inner->n_above) * begin[m]
					      : 0;
			counted[m] = of_inner * crossed[m];
		}
		rs_frame_count_inner(frame, inner);
	}
	rs_frame_tell_outer(frame, deltas, rs_zeros, rs_frame_weight(thread, frame), n_events);
}

void rs_frame_tell(struct rs_thread *thread, struct rs_frame *frame, const uint64_t *deltas,
	struct rs_thread_region *region)
{
	bool is_ignored = frame->flags & RS_FRAME_IGNORED, is_call = region;
	settle(thread, frame, is_call);
	rs_frame_settle_children(thread, frame);
	if (!is_ignored && thread->innermost != frame)
		pass_all(thread, frame, region);
	const uint64_t *earlier = rs_frame_vector(frame, RS_VECTOR_EARLIER, thread->n_events);
	for (uint32_t m = 0; is_call && frame->passed_by && m <= thread->n_events; m++)
		rs_frame_children(thread, frame)[m] += earlier[m];
	if (!is_ignored)
		tell_region(thread, frame, deltas, is_call);
}
