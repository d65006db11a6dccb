/* SPDX-License-Identifier: MIT */
/*
 * Ending a call while other calls overlap it: assigning self time, and what its region has counted
 * already. The ENDs may come in any order.
 *
 * An END passes the calls that began within its call and are still open: in A B /A /B, the END of A
 * passes B. All time belongs to the open call that began last. At the END of A the runtime cannot
 * know if B will end or was jumped over by longjmp(). Until B ends, it counts as jumped over: B is
 * lost, and calls that ended within B become children of A. The self time of B so far becomes self
 * time of A, and B's frame keeps that amount as its gift. If B ends after all, it was not lost, and
 * the gift is added to the children in A's accumulator. For the calls around, B then continues as
 * if it had begun at the END of A. All of B's earlier time lies within A.
 *
 * A frame keeps one gift only. If C is passed again, the first gift moves with it: in A B C /A /B,
 * B has C's gift after its END. There is one exception: B was around A, and C's stack frame is gone
 * (B A C /A /B). Most likely A and B both jumped over C. So the self time of C within A remains
 * self time of A.
 *
 * Recursion: every BEGIN starts a call of its own. A region may have counted a part of a call
 * already: another call of the region ended within it, or an outer one ended before it. The frame
 * keeps that part, so the region's total counts no time twice.
 */
#include <string.h>

#include "runtime/calls/entry.h"
#include "runtime/calls/off_cpu.h"

/* ---- calls that are passed ---- */

/* Add the gift in a frame to the children of the call that passed it: it is not that call's self
 * time after all. The added number is even, so the sum keeps its parity. */
static void give(struct rs_thread *thread, struct rs_entry *entry)
{
	const uint64_t *own = rs_entry_vector(entry, RS_VECTOR_OWN, thread->n_events);
	if (!entry->passed_cell)
		return;
	struct rs_cell_children *into = rs_cell_children(entry->passed_cell, thread->n_events);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		rs_add_64(&into[m].sum, 2 * own[m]);
	entry->passed_cell = NULL;
}

/* Return what a call used since it was last passed, up to the snapshot in thread->snapshot.values.
 * room.charged contains the charges of the call and of those above, of which n_above are measured.
 * within is the same result for the call directly above. */
static uint64_t new_use(const struct rs_thread *thread, struct rs_entry *entry, uint32_t n_above,
	uint32_t m, uint64_t within)
{
	uint64_t given = rs_entry_vector(entry, RS_VECTOR_GIVEN, thread->n_events)[m];
	if (entry->apart & RS_APART_IGNORED)
		return rs_entry_children(thread, entry)[m] + within;
	return rs_entry_weight(thread, entry) *
		       (thread->snapshot.values[m] - entry->values[m] - thread->room.charged[m] -
			       n_above * thread->cost->begin[m]) -
	       given;
}

/* The call of `entry` passes the call above. within[1 + n_events] is as in new_use(). On return it
 * belongs to the call above. */
static void share(struct rs_thread *thread, struct rs_entry *above, struct rs_entry *entry,
	uint32_t n_above, uint64_t *within)
{
	uint32_t n_events = thread->n_events;
	uint64_t *given = rs_entry_vector(above, RS_VECTOR_GIVEN, n_events);
	uint64_t *earlier = rs_entry_vector(above, RS_VECTOR_EARLIER, n_events);
	uint64_t *own = rs_entry_vector(above, RS_VECTOR_OWN, n_events);
	uint64_t *children = rs_entry_children(thread, above);
	uint64_t *of_entry = rs_entry_children(thread, entry);
	if (!above->passed_by)
		memset(given, 0, 3 * (1 + n_events) * sizeof(*given));
	static_assert(
		RS_VECTOR_EARLIER == RS_VECTOR_GIVEN + 1 && RS_VECTOR_OWN == RS_VECTOR_GIVEN + 2,
		"these three lie in a row");
	/* The gift moves if `entry` was within the call that holds it, or if the call above may
	 * still end. */
	bool moves = above->passed_cell && (above->passed_by == entry->passed_by ||
						   !rs_entry_is_gone(thread, above, thread->busy));
	if (moves)
		give(thread, above);
	for (uint32_t m = 0; m <= n_events; m++) {
		uint64_t new = new_use(thread, above, n_above, m, within[m]);
		uint64_t new_own = new - children[m] - within[m], former = moves ? own[m] : 0;
		if (!rs_entry_is_measured(above) || (int64_t)new_own < 0)
			new_own = 0;
		of_entry[m] += children[m] - former;
		own[m] = new_own + former;
		given[m] += new;
		earlier[m] += children[m] + within[m];
		within[m] = new;
		children[m] = 0;
	}
	entry->direct |= 1;
	above->passed_by = thread->n_passes;
	above->passed_cell = entry->region->cell;
}

/* Note that a call is still open although an earlier call ends. The open call counts as lost until
 * its END comes. */
static void pass(struct rs_thread *thread, struct rs_entry *above)
{
	const uint64_t *begin = thread->cost->begin;
	/* The BEGIN of this call was charged to the call that ends now. Only the END's overhead is
	 * left for this call. */
	for (uint32_t m = 0; rs_entry_is_measured(above) && m <= thread->n_events; m++)
		above->values[m] -= begin[m];
	if (above->apart & RS_APART_PASSED)
		return;
	rs_entry_set_apart(above, RS_APART_PASSED);
	if (above->apart & RS_APART_IGNORED || rs_entry_is_moved(thread, above))
		return;
	rs_cell_add(above->region->cell, RS_CELL_DIAG_LOST, 1);
	rs_cell_add_open(above->region->cell, UINT32_MAX);
}

/* End a call that other ENDs may have passed. is_call is as in rs_entry_tell(). */
static void settle(struct rs_thread *thread, struct rs_entry *entry, bool is_call)
{
	if (is_call)
		give(thread, entry);
	if (!(entry->apart & RS_APART_PASSED))
		return;
	entry->apart &= ~(uint32_t)RS_APART_PASSED;
	if (entry->apart & RS_APART_IGNORED)
		return;
	rs_cell_add(entry->region->cell, RS_CELL_DIAG_LOST, UINT64_MAX);
	rs_cell_add_open(entry->region->cell, 1);
}

/* Return true if a walk from the innermost frame has not reached `entry` yet. The walk ends at the
 * ground if two kernel tasks share the thread's state and one has moved `entry`
 * (rs_most_steps()). */
static bool is_above(
	const struct rs_thread *thread, const struct rs_entry *walk, const struct rs_entry *entry)
{
	return walk != entry && walk != thread->ground;
}

/* Pass all open calls that began within `entry`. */
static void pass_all(struct rs_thread *thread, struct rs_entry *entry, bool is_call)
{
	uint32_t n_above = 0, n = rs_most_steps(thread);
	uint64_t *within = thread->room.used;
	memset(within, 0, (1 + thread->n_events) * sizeof(*within));
	memset(thread->room.charged, 0, (1 + thread->n_events) * sizeof(uint64_t));
	thread->n_passes++;
	for (struct rs_entry *above = thread->innermost; is_above(thread, above, entry) && n--;
		above = above->below) {
		rs_entry_settle_children(thread, above);
		rs_charged_add(thread, above, thread->room.charged);
		if (is_call)
			share(thread, above, entry, n_above, within);
		above->n_above = n_above;
		n_above += rs_entry_is_measured(above);
		pass(thread, above);
	}
}

/* Add the use of a call that ends to the children of the call below. Exclude the part that a call
 * which passed it has already. */
static void leave(
	struct rs_thread *thread, struct rs_entry *entry, const uint64_t *deltas, bool is_call)
{
	uint64_t *around = rs_entry_children(thread, entry->below);
	uint64_t *children = rs_entry_children(thread, entry);
	const uint64_t *given = rs_entry_vector(entry, RS_VECTOR_GIVEN, thread->n_events);
	const uint64_t *earlier = rs_entry_vector(entry, RS_VECTOR_EARLIER, thread->n_events);
	uint64_t weight = rs_entry_weight(thread, entry);
	rs_entry_settle_children(thread, entry->below);
	for (uint32_t m = 0; m <= thread->n_events; m++) {
		uint64_t used = deltas ? weight * deltas[m] : 0;
		if (entry->passed_by)
			used -= given[m];
		around[m] += is_call ? used : children[m];
		if (entry->passed_by)
			children[m] += earlier[m];
	}
	entry->below->direct |= 1;
}

/* ---- calls of the same region ---- */

static const uint64_t none[1 + RS_MAX_EVENTS];

/* Add the use of this call to what the region has counted, for the calls of the region around it
 * and for those within it that are open. The part that is counted has the weight of the inner
 * call. */
static void tell_region(struct rs_thread *thread, struct rs_entry *entry, const uint64_t *deltas)
{
	uint32_t n_events = thread->n_events;
	const uint64_t *begin = thread->cost->begin;
	uint32_t n = rs_most_steps(thread), n_walked = n;
	struct rs_entry *walk = thread->innermost;
	uint64_t *charged = thread->room.charged;
	memset(charged, 0, (1 + thread->n_events) * sizeof(*charged));
	for (struct rs_entry *inner = entry->region->innermost; inner && inner != entry && n--;
		inner = inner->outer) {
		for (; n_walked && walk != inner->below; n_walked--, walk = walk->below)
			rs_charged_add(thread, walk, charged);
		rs_entry_keep_inner(inner, n_events);
		uint64_t *counted = rs_entry_vector(inner, RS_VECTOR_INNER, n_events);
		uint64_t *crossed = rs_entry_vector(inner, RS_VECTOR_CROSSED, n_events);
		rs_entry_keep_inner(entry, n_events);
		uint64_t *own = rs_entry_vector(entry, RS_VECTOR_INNER, n_events);
		uint64_t of_inner = rs_entry_weight(thread, inner);
		for (uint32_t m = 0; deltas && m <= n_events; m++) {
			/* Add what ended within both calls. */
			own[m] += counted[m] - of_inner * crossed[m];
			/* The overhead of this END is subtracted here, since it belongs to the rest
			 * of the inner call. */
			crossed[m] = of_inner ? thread->snapshot.values[m] - inner->values[m] -
							charged[m] - (1 + inner->n_above) * begin[m]
					      : 0;
			counted[m] = of_inner * crossed[m];
		}
		rs_entry_count_inner(entry, inner);
	}
	rs_entry_tell_outer(entry, deltas, none, rs_entry_weight(thread, entry), n_events);
}

void rs_entry_tell(
	struct rs_thread *thread, struct rs_entry *entry, const uint64_t *deltas, bool is_call)
{
	bool is_ignored = entry->apart & RS_APART_IGNORED;
	settle(thread, entry, is_call);
	rs_entry_settle_children(thread, entry);
	if (!is_ignored && thread->innermost != entry)
		pass_all(thread, entry, is_call);
	leave(thread, entry, deltas, is_call);
	if (!is_ignored)
		tell_region(thread, entry, deltas);
}
