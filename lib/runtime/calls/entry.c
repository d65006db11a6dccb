/* SPDX-License-Identifier: MIT */
/*
 * Open calls: memory for their frames, ENDs that never come, and what a forked child inherits.
 * ENDs that come in another order than the BEGINs are in overlap.c.
 */
#include <string.h>

#include "runtime/calls/entry.h"
#include "runtime/calls/off_cpu.h"

/* ---- memory ---- */

/* Free entries in a row, behind the last one. memory: zeroed. */
static void link_entries(struct rs_thread *thread, struct rs_entry *last, char *memory, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rs_entry *entry = (void *)(memory + (size_t)i * thread->shape->entry_bytes);
		entry->ticket = (uintptr_t)entry;
		entry->thread = thread;
		entry->below = last;
		entry->control = thread->control_seen;
		last->next = entry;
		if (last != thread->ground)
			rs_entry_renew(thread, last);
		last = entry;
	}
	last->plain = RS_PLAIN_NEVER;
	thread->n_entries += n;
}

void rs_entries_init(struct rs_thread *thread, char *memory, uint32_t n)
{
	thread->ground = (void *)memory;
	thread->ground->below = thread->ground;
	thread->ground->thread = thread;
	thread->ground->region = &thread->regions[RS_REGION_NONE];
	thread->asyncs.ring = (void *)(memory + thread->shape->entry_bytes);
	link_entries(thread, thread->ground, memory + 2 * (size_t)thread->shape->entry_bytes, n);
	thread->innermost = thread->ground;
	thread->asyncs.ring->next = thread->asyncs.ring->below = thread->asyncs.free =
		thread->asyncs.ring;
}

/* How sure it is that an entry cannot end any more. */
enum proof {
	PROOF_PASSED, /* its scope ended on another thread; or its stack frame is gone, and one that
			 began before it did not wait for it */
	PROOF_STACK, /* its stack frame is gone */
	PROOF_AGAIN, /* its region began again in its stack frame: so do missing ENDs of a loop, and of
			an interpreter's functions that errors leave. Recursion as deep as this in one
			stack frame looks the same, and would find no room either. */
	PROOF_N
};

static bool is_dead(
	struct rs_thread *thread, struct rs_entry *entry, uintptr_t stack, enum proof proof)
{
	const struct rs_entry *latest = entry->region->innermost;
	if (proof == PROOF_PASSED)
		return rs_entry_is_gone(thread, entry, stack);
	if (rs_entry_ends_by_api(thread, entry))
		return false;
	if (proof == PROOF_AGAIN)
		return latest != entry && latest->stack == entry->stack;
	return entry->stack < stack;
}

static void drop(struct rs_thread *thread, struct rs_entry *entry)
{
	if (!(entry->apart & (RS_APART_PASSED | RS_APART_IGNORED)) &&
		!rs_entry_is_moved(thread, entry)) {
		rs_cell_add(entry->region->cell, RS_CELL_DIAG_LOST, 1);
		rs_cell_add_open(entry->region->cell, UINT32_MAX);
	}
	rs_entry_forget_children(thread, entry);
	rs_entry_free(thread, entry);
}

/* Where nothing was dead, it will not be at once: attempts until all entries are looked at
 * again. */
#define ATTEMPTS_SPARED 1024

/* Drop all that can be dropped with the best proof that there is; false: nothing. */
static bool drop_dead(struct rs_thread *thread, uintptr_t stack)
{
	if (stack <= thread->depth.stack && thread->depth.n_spared++ < ATTEMPTS_SPARED)
		return false;
	thread->depth.n_spared = 0;
	thread->depth.stack = 0;
	for (enum proof proof = 0; proof < PROOF_N; proof++) {
		bool any = false;
		/* innermost first: so each is its region's innermost, except those that stay */
		uint32_t n = rs_most_steps(thread);
		for (struct rs_entry *below, *entry = thread->innermost;
			entry != thread->ground && n--; entry = below) {
			below = entry->below;
			if (!is_dead(thread, entry, stack, proof))
				continue;
			drop(thread, entry);
			any = true;
		}
		if (any)
			return true;
	}
	thread->depth.stack = stack;
	return false;
}

/* A free one for asynchronous calls goes behind the last free one of the nesting. */
static bool take_back_async(struct rs_thread *thread, struct rs_entry *last)
{
	struct rs_entry *entry = thread->asyncs.free;
	if (entry == thread->asyncs.ring)
		return false;
	thread->asyncs.free = entry->next;
	memset(rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events), 0,
		(1 + thread->n_events) * sizeof(uint64_t));
	entry->next = NULL;
	entry->below = last;
	rs_entry_renew(thread, entry);
	last->next = entry;
	rs_entry_renew(thread, last);
	return true;
}

bool rs_entry_make_room(struct rs_thread *thread, uintptr_t stack)
{
	struct rs_entry *last = thread->innermost->next;
	uint32_t n = RS_MAX_ENTRIES + 1 - thread->n_entries; /* one is always free */
	n = n < RS_CHUNK_ENTRIES ? n : RS_CHUNK_ENTRIES;
	if (thread->n_entries < RS_MAX_ENTRIES) {
		char *memory = rs_sys_allocate_present((uint64_t)n * thread->shape->entry_bytes);
		if (memory) {
			link_entries(thread, last, memory, n);
			return true;
		}
	}
	return take_back_async(thread, last) || drop_dead(thread, stack);
}

void rs_entries_expect(struct rs_thread *thread)
{
	uint64_t control = rs_control(thread);
	thread->control_seen = control;
	thread->plain = control & RS_CONTROL_PAUSED ? RS_PLAIN_NEVER
						    : thread->expected + (uint32_t)control;
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = thread->innermost->next; entry && n--; entry = entry->next)
		rs_entry_renew(thread, entry);
}

/* ---- which one, and out of the list ---- */

struct rs_entry *rs_entry_find(const struct rs_thread_region *region, uintptr_t stack)
{
	uint32_t n = RS_MAX_ENTRIES;
	for (struct rs_entry *entry = region->innermost; entry && n--; entry = entry->outer)
		if (entry->stack == stack)
			return entry;
	return region->innermost;
}

/* Another thread has only the ticket of a skipped call, which says its region. */
static bool take_moved(struct rs_thread *thread, const struct rs_entry *entry)
{
	uint64_t moved = atomic_load_explicit(&thread->moved_skipped, memory_order_relaxed);
	uint32_t region = rs_region_of(thread, entry->region);
	do {
		if (!RS_MOVED_CALLS(moved) || RS_MOVED_REGION(moved) != region)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&thread->moved_skipped, &moved, moved - 1,
		memory_order_relaxed, memory_order_relaxed));
	return true;
}

bool rs_entry_is_moved(struct rs_thread *thread, struct rs_entry *entry)
{
	if (atomic_load_explicit(&entry->is_moved, memory_order_relaxed))
		return true;
	if (!(entry->apart & RS_APART_LEFT_OUT) || !take_moved(thread, entry))
		return false;
	atomic_store_explicit(&entry->is_moved, 1, memory_order_relaxed);
	return true;
}

bool rs_entry_is_chained(const struct rs_thread *thread, const struct rs_entry *entry)
{
	const struct rs_entry *other = entry->region->innermost;
	uint32_t n = rs_most_steps(thread);
	while (other && other != entry && n--)
		other = other->outer;
	return other == entry;
}

/* Entries of the region begun within entry: the one begun next, or NULL. */
static struct rs_entry *find_inner(const struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_entry *inner = entry->region->innermost;
	uint32_t n = rs_most_steps(thread);
	if (inner == entry)
		return NULL;
	while (inner && inner->outer != entry && n--)
		inner = inner->outer;
	return inner;
}

/* From where it is linked to the first place of those that are free. */
static void move_to_free(struct rs_thread *thread, struct rs_entry *entry)
{
	entry->below->next = entry->next;
	entry->next->below = entry->below;
	entry->below = thread->innermost;
	entry->next = entry->below->next;
	entry->below->next = entry;
	entry->next->below = entry;
}

void rs_entry_free(struct rs_thread *thread, struct rs_entry *entry)
{
	struct rs_entry *inner = entry->region->innermost ? find_inner(thread, entry) : NULL;
	if (inner)
		inner->outer = entry->outer;
	else
		entry->region->innermost = entry->outer;
	atomic_store_explicit(&entry->is_moved, 0, memory_order_relaxed);
	if (entry->apart & RS_APART_SWITCHED)
		rs_off_cpu_clear(thread, entry);
	rs_entry_hand_over(thread, entry);
	entry->passed_by = 0;
	entry->passed_cell = NULL;
	if (entry != thread->innermost)
		move_to_free(thread, entry);
	thread->innermost = entry->below;
	entry->off = 0;
	entry->outer = NULL;
	rs_entry_renew(thread, entry);
}

void rs_entry_drop_async(struct rs_thread *thread, struct rs_entry *entry)
{
	if (entry->apart & RS_APART_SWITCHED)
		rs_off_cpu_clear(thread, entry);
	entry->off = 0;
	rs_call_free_entry(thread, entry);
}

void rs_entry_give_async(struct rs_thread *thread)
{
	struct rs_entry *last = thread->innermost, *entry = last->next, *next = entry->next;
	next->below = last;
	last->next = next;
	atomic_signal_fence(memory_order_seq_cst); /* or a jump out of here leaves it to both */
	entry->next = thread->asyncs.free;
	thread->asyncs.free = entry;
}

/* ---- the end, and a new process ---- */

void rs_entries_end(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	while (thread->innermost != thread->ground && n--) {
		struct rs_entry *entry = thread->innermost;
		struct rs_cell *cell = entry->region->cell;
		rs_entry_forget_children(thread, entry);
		if (!(entry->apart & RS_APART_IGNORED) && !(entry->apart & RS_APART_PASSED) &&
			!rs_entry_is_moved(thread, entry)) {
			rs_cell_count(cell, RS_CELL_DIAG_OPEN);
			rs_cell_add_open(cell, UINT32_MAX);
		}
		rs_entry_free(thread, entry);
	}
	for (n = rs_most_steps(thread); thread->asyncs.ring->next != thread->asyncs.ring && n--;)
		rs_entry_drop_async(thread, thread->asyncs.ring->next);
	rs_entry_forget_children(thread, thread->ground);
}

void rs_entries_inherit(struct rs_thread *thread)
{
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below) {
		rs_entry_set_apart(entry, RS_APART_IGNORED);
		entry->passed_cell = NULL; /* it is the parent's */
	}
	for (n = rs_most_steps(thread); thread->asyncs.ring->next != thread->asyncs.ring && n--;) {
		atomic_store_explicit(
			&thread->asyncs.ring->next->unstopped, 0, memory_order_relaxed);
		rs_entry_drop_async(thread, thread->asyncs.ring->next);
	}
}

void rs_entries_copy(struct rs_thread *thread, const struct rs_thread *other)
{
	uint32_t n = rs_most_steps(other);
	for (const struct rs_entry *entry = other->ground->next;
		entry != other->innermost->next && n--; entry = entry->next) {
		struct rs_thread_region *region =
			&thread->regions[rs_region_of(other, entry->region)];
		if (!rs_entry_has_room(thread) && !rs_entry_make_room(thread, 0))
			return;
		if (!region->cell) { /* an END looks at its table before it looks further */
			if (!rs_cell_make_table(thread, region))
				return;
			region->cell = thread->runtime->no_cell;
		}
		rs_entry_open_apart(thread, region, RS_APART_IGNORED, entry->stack);
		rs_cell_add_open(region->cell, UINT32_MAX);
	}
}

/* ---- a marker that is gone ---- */

/* By the way along `next`. */
static void mend_async(struct rs_thread *thread)
{
	struct rs_entry *last = thread->asyncs.ring, *entry = last->next;
	for (uint32_t n = rs_most_steps(thread); entry != thread->asyncs.ring && n--;
		entry = last->next) {
		entry->below = last;
		last = entry;
	}
	thread->asyncs.ring->below = last;
}

/* An entry that is free, whatever a marker has left there. */
static void clean(struct rs_thread *thread, struct rs_entry *entry)
{
	if (entry->apart & RS_APART_SWITCHED)
		rs_off_cpu_clear(thread, entry);
	rs_entry_forget_children(thread, entry);
	memset(rs_entry_vector(entry, RS_VECTOR_CHARGED, thread->n_events), 0,
		(1 + thread->n_events) * sizeof(uint64_t));
	entry->pairs = entry->skips = 0;
	entry->off = 0;
	entry->passed_by = 0;
	entry->passed_cell = NULL;
	entry->outer = NULL;
	rs_entry_renew(thread, entry);
}

void rs_entries_mend(struct rs_thread *thread)
{
	mend_async(thread);
	struct rs_entry *last = thread->innermost, *half = last->next;
	/* the one before it was being given to asynchronous calls */
	half->below = last;
	if (half->next)
		half->next->below = half;
	if (half->region && half->region->innermost == half)
		half->region->innermost = half->outer;
	clean(thread, half);
	if (last == thread->ground)
		return;
	if (!rs_entry_is_chained(thread, last)) {
		/* it was being closed: its call is counted */
		if (!(last->apart & ~(uint32_t)RS_APART_NESTED))
			rs_cell_add_open(last->region->cell, UINT32_MAX);
		clean(thread, last);
		thread->innermost = last->below;
	}
	/* the chains anew: what is in none has ended, and was not innermost */
	uint32_t n = rs_most_steps(thread);
	for (struct rs_entry *entry = thread->innermost; entry != thread->ground && n--;
		entry = entry->below) {
		struct rs_entry *chained = entry->region->innermost;
		uint32_t rest = rs_most_steps(thread);
		entry->region->innermost = NULL;
		for (; chained && rest--; chained = chained->outer)
			rs_entry_set_apart(chained, RS_APART_CHAINED);
	}
	n = rs_most_steps(thread);
	for (struct rs_entry *entry = thread->ground->next;
		entry && entry != thread->innermost->next && n--; entry = entry->next) {
		if (!(entry->apart & RS_APART_CHAINED))
			rs_entry_set_apart(entry, RS_APART_IGNORED);
		entry->apart &= ~(uint32_t)RS_APART_CHAINED;
		entry->outer = entry->region->innermost;
		entry->region->innermost = entry;
	}
}
