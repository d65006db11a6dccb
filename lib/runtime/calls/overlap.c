/* SPDX-License-Identifier: MIT */
/*
 * Entries that end before ones begun within them (A B /A /B), and what is whose own then: all time
 * is that of the entry begun last, of those that are open.
 *
 * Nobody can know whether B will end, or was jumped over. Until it does it counts as jumped over: A
 * has as children's what ended within B, and what was B's own is A's; B is lost. A pass says so, of
 * B and the END of A. When B ends after all, A's cell is given as children's what was B's own by
 * then, and B was not lost.
 *
 * There may be more of either. A B C /A /B: C's own is A's first, and B's once that has ended, whose
 * pass of C takes the place of A's: A lies outside of B, and so A's END has passed both. A B C /B /A:
 * what was C's own before the END of B is B's, the rest is A's; both passes stay. So those of an
 * entry that an END passes, too, are always its latest. What they say of a time is all that is known
 * of it: no entry has to be asked for when it began or ended.
 */
#include "runtime/calls/overlap.h"

#include <string.h>

/* An END of an entry begun before the one that the pass is of; 1 + n_events words each. */
enum vector {
	GIVEN, /* what the entry had used by then, which that one's includes */
	CHILDREN, /* what entries within it had */
	OWN, /* what was its own */
	N_VECTORS
};
struct rs_pass {
	struct rs_pass *next; /* the one before, of the same entry */
	uint64_t number; /* of the END: others may have been passed by it */
	struct rs_cell
		*cell; /* of the call that ended; NULL in a forked child: it is the parent's */
	uint64_t words[];
};

#define CHUNK_PASSES 64u

static uint64_t word_of(
	const struct rs_thread *thread, const struct rs_pass *pass, enum vector vector, uint32_t m)
{
	return pass ? pass->words[(uint32_t)vector * (1 + thread->n_events) + m] : 0;
}

static void free_pass(struct rs_thread *thread, struct rs_pass *pass)
{
	pass->next = thread->free_passes;
	thread->free_passes = pass;
}

/* NULL: there is no memory. Who is passed so keeps the time in question for itself as well. */
static struct rs_pass *new_pass(struct rs_thread *thread)
{
	uint32_t bytes = (uint32_t)sizeof(struct rs_pass) +
			 N_VECTORS * (1 + thread->n_events) * (uint32_t)sizeof(uint64_t);
	struct rs_pass *pass = thread->free_passes;
	if (!pass) {
		char *memory = rs_sys_allocate_present(CHUNK_PASSES * bytes);
		for (uint32_t i = 0; memory && i < CHUNK_PASSES; i++)
			free_pass(thread, (void *)(memory + (size_t)i * bytes));
		pass = thread->free_passes;
	}
	if (pass)
		thread->free_passes = pass->next;
	return pass;
}

/* Whether that END passed the entry. */
static bool has_pass(const struct rs_thread *thread, const struct rs_entry *entry, uint64_t number)
{
	const struct rs_pass *pass = entry->passes;
	uint32_t n = rs_most_steps(thread);
	while (pass && pass->number != number)
		pass = n-- ? pass->next : NULL;
	return pass;
}

/* The latest pass of an entry by one that lay within around, which was not passed then: by so much
 * the entry is in around's books. NULL: by nothing. */
static struct rs_pass *latest_within(
	const struct rs_thread *thread, const struct rs_entry *entry, const struct rs_entry *around)
{
	struct rs_pass *pass = entry->passes;
	uint32_t n = rs_most_steps(thread);
	while (pass && has_pass(thread, around, pass->number))
		pass = n-- ? pass->next : NULL;
	return pass;
}

static void give_children(struct rs_thread *thread, struct rs_cell *cell, uint32_t m, uint64_t n)
{
	/* an even number: the parity of the calls stays */
	if ((int64_t)n > 0)
		rs_add_64(&rs_cell_children(cell, thread->n_events)[m].sum, 2 * n);
}

/* The latest pass says nothing any more; with is_told what it left with a call is not that's own. */
static void drop_latest(struct rs_thread *thread, struct rs_entry *entry, bool is_told)
{
	struct rs_pass *pass = entry->passes;
	for (uint32_t m = 0; is_told && pass->cell && m <= thread->n_events; m++)
		give_children(thread, pass->cell, m,
			word_of(thread, pass, OWN, m) - word_of(thread, pass->next, OWN, m));
	entry->passes = pass->next;
	free_pass(thread, pass);
}

void rs_passes_drop(struct rs_thread *thread, struct rs_entry *entry, bool has_ended)
{
	uint32_t n = rs_most_steps(thread);
	while (entry->passes && n--)
		drop_latest(thread, entry, has_ended);
}

/* What an entry has used with the snapshot in thread->now. room.charged: in it and above. of_above: the same of the one begun next,
 * as far as it is not among the entry's children. */
static void take_used(const struct rs_thread *thread, struct rs_entry *entry, uint32_t n_above,
	const uint64_t *of_above, uint64_t *used)
{
	const uint64_t *begin = thread->cost->begin;
	const uint64_t *charged = thread->room.charged;
	uint64_t weight = rs_entry_weight(thread, entry);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		used[m] = weight *
			  (thread->now[m] - entry->values[m] - charged[m] - n_above * begin[m]);
	const uint64_t *children = rs_entry_vector(entry, RS_VECTOR_CHILDREN, thread->n_events);
	for (uint32_t m = 0; entry->apart & RS_APART_IGNORED && m <= thread->n_events; m++)
		used[m] = children[m] + of_above[m];
}

/* What is used by an entry that ends, or would if it did now, and is not among the children of the
 * one below: in place. */
static void leave_new(const struct rs_thread *thread, const struct rs_entry *entry, uint64_t *used)
{
	const struct rs_pass *known = latest_within(thread, entry, entry->below);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		used[m] -= word_of(thread, known, GIVEN, m);
}

/* entry ends while above is open. of_above: see take_used(). */
static void pass(struct rs_thread *thread, struct rs_entry *above, struct rs_entry *entry,
	const uint64_t *used, const uint64_t *of_above)
{
	const uint64_t *children = rs_entry_children(thread, above);
	uint64_t *of_entry = rs_entry_children(thread, entry);
	uint32_t rest = rs_most_steps(thread);
	while (above->passes && has_pass(thread, entry, above->passes->number) && rest--)
		drop_latest(thread, above, true);
	struct rs_pass *last = above->passes, *new = new_pass(thread);
	for (uint32_t m = 0; m <= thread->n_events; m++)
		of_entry[m] += children[m] - word_of(thread, last, CHILDREN, m);
	entry->direct |= 1;
	if (!new)
		return;
	uint64_t *words = new->words;
	uint32_t n = 1 + thread->n_events;
	for (uint32_t m = 0; m < n; m++) {
		words[GIVEN * n + m] = used[m];
		words[CHILDREN * n + m] = children[m];
		words[OWN * n + m] = used[m] - children[m] - of_above[m];
		if (!rs_entry_is_measured(above))
			words[OWN * n + m] = word_of(thread, last, OWN, m);
	}
	new->number = thread->n_passes;
	new->cell = entry->region->cell;
	new->next = last;
	above->passes = new;
}

void rs_overlap_pass(struct rs_thread *thread, struct rs_entry *entry)
{
	uint64_t *used = thread->room.overlap[0], *new = thread->room.overlap[1];
	uint64_t *of_above = thread->room.overlap[2];
	uint32_t n_above = 0, n = rs_most_steps(thread);
	memset(of_above, 0, (1 + thread->n_events) * sizeof(*used));
	memset(thread->room.charged, 0, (1 + thread->n_events) * sizeof(uint64_t));
	thread->n_passes++;
	for (struct rs_entry *above = thread->top->below;
		above != entry && above != thread->ground && n--; above = above->below) {
		rs_entry_settle_children(thread, above);
		rs_charged_add(thread, above, thread->room.charged);
		take_used(thread, above, n_above, of_above, used);
		memcpy(new, used, (1 + thread->n_events) * sizeof(*used));
		leave_new(thread, above, new);
		pass(thread, above, entry, used, of_above);
		memcpy(of_above, new, (1 + thread->n_events) * sizeof(*used));
		n_above += rs_entry_is_measured(above);
	}
}

void rs_overlap_leave(struct rs_thread *thread, struct rs_entry *entry, uint64_t *used)
{
	uint32_t n = 1 + thread->n_events;
	uint64_t *around = rs_entry_children(thread, entry->below);
	const struct rs_pass *known = latest_within(thread, entry, entry->below);
	uint32_t n_shared = rs_most_steps(thread);
	/* what the one below had as children's when both were passed */
	for (struct rs_pass *shared = entry->passes; shared && shared != known && n_shared--;
		shared = shared->next) {
		struct rs_pass *of_below = entry->below->passes;
		uint32_t rest = rs_most_steps(thread);
		for (; of_below && rest--; of_below = of_below->next)
			for (uint32_t m = 0; of_below->number == shared->number && m < n; m++)
				of_below->words[CHILDREN * n + m] +=
					word_of(thread, shared, GIVEN, m) -
					word_of(thread, known, GIVEN, m);
	}
	leave_new(thread, entry, used);
	for (uint32_t m = 0; m < n; m++)
		around[m] += used[m];
	entry->below->direct |= 1;
}

void rs_passes_inherit(const struct rs_thread *thread, struct rs_entry *entry)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_pass *pass = entry->passes; pass && n--; pass = pass->next)
		pass->cell = NULL;
}
