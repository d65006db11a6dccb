/* SPDX-License-Identifier: MIT */
/*
 * The END of an entry, for the entries around and within it: whose self time it is, and what the
 * region has counted already. The ENDs may come in any order.
 *
 * An entry that ends before ones begun within it (A B /A /B) passes them. All time is that of the
 * entry begun last, of those that are open. Whether B will end, or was jumped over, is unknown.
 * Until then it counts as jumped over: B is lost, and what ended within B is among A's children.
 * The self time of B so far becomes self time of A. B keeps the latter, as a gift: when it ends
 * after all, it was not lost, and A's cell is given it as children's. For the entries around, B
 * goes on as if it had begun at the END of A, in whose time all before that is.
 *
 * An entry keeps one gift. C that is passed again takes the first gift with it: of A B C /A /B it
 * is B's then. One case differs: B was around A, and C's stack frame is gone (B A C /A /B). Both
 * most likely jumped over C, so what was C's own within A stays A's own.
 *
 * Recursion: every entry is a call. A region may have counted a part of an entry already: other
 * calls of the region ended within it, or an outer one ended before it. The frame keeps that part,
 * so that the region's total has no time twice.
 */
#include <string.h>

#include "runtime/calls/entry.h"
#include "runtime/calls/off_cpu.h"

/* ---- calls that are passed ---- */

/* The part that the entry keeps for a call that passed it is not that call's self time. An even
 * number: the parity of the calls stays. */
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

/* The use of an entry up to the snapshot in thread->snapshot.values, since it was last passed.
 * room.charged: to it and those above, of which n_above are measured. within: the same of the one
 * above. */
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

/* The call of `entry` passes the one above. within[1 + n_events]: see new_use(); it becomes that
 * of above. */
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
	/* entry was within the call that holds the gift, or the one above may end yet */
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

/* An entry that is still open although one begun before it ends: that may be lost, until it ends
 * after all. */
static void pass(struct rs_thread *thread, struct rs_entry *above)
{
	const uint64_t *begin = thread->cost->begin;
	/* its BEGIN was charged to the other, which has only the END of its markers */
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

/* An entry ends that others may have passed. is_call: see rs_entry_tell(). */
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

/* Whether a walk from the innermost entry has not come to entry yet. It ends at the ground where two tasks
 * of the kernel have taken entry out of its place (rs_most_steps()). */
static bool is_above(
	const struct rs_thread *thread, const struct rs_entry *walk, const struct rs_entry *entry)
{
	return walk != entry && walk != thread->ground;
}

/* All that began within entry and are open. */
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

/* Hand over the use of an entry that ends to the one below, except the part that an END that
 * passed it has. */
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

/* Update the entries of the region that the entry lies in, and those that lie in it and are still
 * open. The part that is counted has the weight of the inner one. */
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
			own[m] += counted[m] - of_inner * crossed[m]; /* ended within both */
			/* what it was given back for this END belongs to the rest of it */
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
