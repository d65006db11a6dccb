/* SPDX-License-Identifier: MIT */
/*
 * Regions and frames: markers find, open and close them. overlap.c has those that do not simply
 * nest.
 */
#ifndef RS_RUNTIME_CALLS_ENTRY_H
#define RS_RUNTIME_CALLS_ENTRY_H

#include "runtime/calls/calls.h"

/* Each use of an entry adds this to its ticket; and the entry of a ticket. Addresses of user space
 * have 47 bits unless more is asked for. An odd number: all 65536 tickets of an entry differ. The
 * number runs over once in 65536 / 65 uses, about 1,008: see probe.h. */
#define RS_TICKET_STEP (UINT64_C(65) << 48)
RS_INLINE struct rs_entry *rs_entry_of(uint64_t ticket)
{
	return (struct rs_entry *)(uintptr_t)(ticket << 16 >> 16);
}

/* The region of a site, as the thread sees it. A site that has not been looked up has one that is
 * never ready and never open. */
RS_INLINE struct rs_thread_region *rs_site_region(
	const struct rs_thread *thread, const struct regionstat_site_ *site)
{
	/* every thread that looks a site up stores the same mark */
	return (struct rs_thread_region *)(void *)(thread->marked + rs_load_32(&site->region_));
}

/* Calls of the region may begin: it has a cell here. The region of sites that have not been looked
 * up never is. */
RS_INLINE bool rs_region_is_ready(const struct rs_thread_region *region)
{
	return region->turn != 0;
}

/* The control word: a pause need not be seen at once. */
RS_INLINE uint64_t rs_control(const struct rs_thread *thread)
{
	return atomic_load_explicit(thread->control, memory_order_relaxed);
}

/* Count the region's open calls, for readers of the cell. */
RS_INLINE void rs_cell_add_open(struct rs_cell *cell, uint32_t n)
{
	rs_add_32((uint32_t *)(void *)&cell->open, n);
}

/* Whether there is a free entry, beside the one that is always free. */
static inline bool rs_entry_has_room(const struct rs_thread *thread)
{
	return thread->innermost->next->next;
}

/* The END of this entry is not plain from here on. In this order: a handler may jump out in
 * between. */
RS_INLINE void rs_entry_set_apart(struct rs_entry *entry, enum rs_entry_apart apart)
{
	entry->plain = RS_PLAIN_NEVER;
	atomic_signal_fence(memory_order_seq_cst);
	entry->apart |= apart;
}

/* Nothing is special any more about the END of this entry, whose call is open. */
static inline void rs_entry_clear_apart(const struct rs_thread *thread, struct rs_entry *entry)
{
	entry->apart = 0;
	atomic_signal_fence(memory_order_seq_cst);
	entry->plain = thread->expected + (uint32_t)entry->control;
}

/* An entry is free. A BEGIN that would take the last one leaves the fast path, as in a pause. */
static inline void rs_entry_renew(const struct rs_thread *thread, struct rs_entry *entry)
{
	entry->apart = 0;
	entry->control = thread->control_seen;
	atomic_signal_fence(memory_order_seq_cst);
	entry->plain = entry->next ? thread->plain : RS_PLAIN_NEVER;
}

/* The thread is watched from here on or no more, or the control word is another one. */
void rs_entries_expect(struct rs_thread *thread) RS_COLD;

/* Make the first free entry one of region's. It becomes the innermost last, so that a handler that jumps
 * out of here leaves no half-open frame. The caller fills in the snapshot. */
RS_INLINE void rs_entry_open(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, uintptr_t stack)
{
	entry->region = region;
	entry->stack = stack;
	if (RS_UNLIKELY(region->innermost)) {
		rs_entry_set_apart(entry, RS_APART_RECURSIVE);
		entry->outer = region->innermost;
	}
	if (RS_UNLIKELY(__builtin_add_overflow(entry->ticket, RS_TICKET_STEP, &entry->ticket)) &&
		!thread->n_events)
		region->within = NULL; /* the region's next BEGIN is a probe */
	atomic_signal_fence(memory_order_seq_cst);
	region->innermost = entry;
	rs_cell_add_open(region->cell, 1);
	thread->innermost = entry;
}

/* The same, whatever the control word says by now; apart: 0 or what is special about its END. There is
 * room. */
static inline struct rs_entry *rs_entry_open_apart(
	struct rs_thread *thread, struct rs_thread_region *region, uint32_t apart, uintptr_t stack)
{
	if (rs_control(thread) != thread->control_seen)
		rs_entries_expect(thread);
	struct rs_entry *entry = thread->innermost->next;
	if (apart) {
		entry->plain = RS_PLAIN_NEVER;
		entry->apart = apart;
	}
	rs_entry_open(thread, entry, region, stack);
	return entry;
}

/* The groups' times at an entry's BEGIN, for a number of events that is known. */
RS_INLINE struct rs_group_time *rs_entry_times_of(struct rs_entry *entry, uint32_t n_events)
{
	return (void *)((char *)entry + rs_entry_times_offset(n_events));
}

/* The innermost entry, whose END was plain, is free again. */
RS_INLINE void rs_entry_close(struct rs_thread *thread, struct rs_entry *entry,
	struct rs_thread_region *region, struct rs_cell *cell)
{
	region->innermost = NULL; /* a plain one has no outer */
	thread->innermost = entry->below;
	rs_cell_add_open(cell, UINT32_MAX);
}

/* From here on an entry keeps what its region has counted of it. */
RS_INLINE void rs_entry_keep_inner(struct rs_entry *entry, uint32_t n_events)
{
	uint64_t *inner = rs_entry_vector(entry, RS_VECTOR_INNER, n_events);
	uint64_t *crossed = rs_entry_vector(entry, RS_VECTOR_CROSSED, n_events);
	if (entry->apart & RS_APART_INNER)
		return;
	for (uint32_t m = 0; m <= n_events; m++)
		inner[m] = crossed[m] = 0;
	entry->n_inner = 0;
	rs_entry_set_apart(entry, RS_APART_INNER);
}

/* inner ended within entry, of the same region, or was open when that ended: counted once. */
RS_INLINE void rs_entry_count_inner(struct rs_entry *entry, struct rs_entry *inner)
{
	if (inner->apart & RS_APART_COUNTED)
		return;
	rs_entry_set_apart(inner, RS_APART_COUNTED);
	entry->n_inner++;
}

/* entry ends within another call of its region, whose frame keeps what the region has counted of
 * it. deltas[1 + n_events]: with the overhead inside; or NULL, it was not measured. */
RS_INLINE void rs_entry_tell_outer(struct rs_entry *entry, const uint64_t *deltas,
	const uint64_t *inside, uint64_t weight, uint32_t n_events)
{
	struct rs_entry *outer = entry->outer;
	if (!outer)
		return;
	rs_entry_keep_inner(outer, n_events);
	rs_entry_count_inner(outer, entry);
	bool has_inner = entry->apart & RS_APART_INNER;
	uint64_t *counted = rs_entry_vector(outer, RS_VECTOR_INNER, n_events);
	const uint64_t *crossed = rs_entry_vector(entry, RS_VECTOR_CROSSED, n_events);
	for (uint32_t m = 0; deltas && m <= n_events; m++)
		counted[m] += weight * (deltas[m] - inside[m] - (has_inner ? crossed[m] : 0));
}

/* The ticket of a BEGIN beyond RS_MAX_ENTRIES: of no entry that is ever opened. */
static inline regionstat_ticket_ rs_ticket_beyond(const struct rs_thread *thread)
{
	return (uintptr_t)thread->ground;
}

/* The weight of an entry that was measured. */
static inline uint64_t rs_entry_weight(const struct rs_thread *thread, const struct rs_entry *entry)
{
	if (!rs_entry_is_measured(entry))
		return 0;
	return thread->runtime->samples ? entry->weight : 1;
}

/* ---- asynchronous calls: a ring of those that are open ---- */

/* The first free one becomes the newest of the ring. A handler may jump out of here anywhere: then the
 * way along `next` is whole, and rs_entries_mend() makes the other one by it. */
RS_INLINE struct rs_entry *rs_call_take_entry(struct rs_thread *thread)
{
	struct rs_entry *entry = thread->asyncs.free, *ring = thread->asyncs.ring,
			*last = ring->below;
	thread->asyncs.free = entry->next;
	entry->next = ring;
	entry->below = last;
	atomic_signal_fence(memory_order_seq_cst);
	last->next = entry;
	ring->below = entry;
	return entry;
}

/* And back. */
RS_INLINE void rs_call_free_entry(struct rs_thread *thread, struct rs_entry *entry)
{
	entry->apart = 0;
	entry->below->next = entry->next;
	entry->next->below = entry->below;
	entry->next = thread->asyncs.free;
	atomic_signal_fence(memory_order_seq_cst);
	thread->asyncs.free = entry;
}

/* ---- entry.c ---- */

/* More memory for entries, so that the first free one has a next. False: there is no memory, and
 * every entry can still end. stack: of the marker. */
bool rs_entry_make_room(struct rs_thread *thread, uintptr_t stack) RS_COLD;

/* The region's calls end as another API pairs them: none of them is given up for room. */
static inline void rs_region_end_by_api(struct rs_runtime *runtime, uint32_t index)
{
	if (index < RS_MAX_REGIONS)
		atomic_fetch_or_explicit(&runtime->by_api[index / 64], UINT64_C(1) << index % 64,
			memory_order_relaxed);
}

/* Whether an entry ends when another API says so: where it began proves nothing then. */
static inline bool rs_entry_ends_by_api(
	const struct rs_thread *thread, const struct rs_entry *entry)
{
	const _Atomic uint64_t *bits = thread->runtime->by_api;
	uint32_t index = rs_region_of(thread, entry->region);
	return index < RS_MAX_REGIONS &&
	       atomic_load_explicit(&bits[index / 64], memory_order_relaxed) >> index % 64 & 1;
}

/* Whether the scope of an entry has ended on another thread. */
bool rs_entry_is_moved(struct rs_thread *thread, struct rs_entry *entry);

/* Whether an entry can hardly end any more, as seen from a marker in that stack frame. One begun
 * before it has ended already. Its own frame is gone, or its scope ended on another thread. */
static inline bool rs_entry_is_gone(
	struct rs_thread *thread, struct rs_entry *entry, uintptr_t stack)
{
	bool is_passed = entry->apart & RS_APART_PASSED;
	return rs_entry_is_moved(thread, entry) ||
	       (is_passed && entry->stack < stack && !rs_entry_ends_by_api(thread, entry));
}

/* The entry that an END by name ends. It is the region's innermost that began in the stack frame
 * of the END, else its innermost; NULL: none is open. */
struct rs_entry *rs_entry_find(const struct rs_thread_region *region, uintptr_t stack) RS_COLD;

/* Whether an entry, of this thread, is among those of its region that are open. */
bool rs_entry_is_chained(const struct rs_thread *thread, const struct rs_entry *entry);

/* Memory for a thread's first n entries: memory[rs_entries_bytes()], zeroed, 64 bytes aligned. */
static inline uint64_t rs_entries_bytes(const struct rs_shape *shape, uint32_t n)
{
	/* the ground, and the ring of asynchronous ones */
	return (2 + (uint64_t)n) * shape->entry_bytes;
}
void rs_entries_init(struct rs_thread *thread, char *memory, uint32_t n);

/* Take an entry out of those that are open, wherever it lies. */
void rs_entry_free(struct rs_thread *thread, struct rs_entry *entry);

/* An entry that lies outside the nesting is free. The first free one, which has a next, becomes one for
 * asynchronous calls. */
void rs_entry_drop_async(struct rs_thread *thread, struct rs_entry *entry);
void rs_entry_give_async(struct rs_thread *thread);

/* Free the frames of a thread that has ended. In a forked child they are the parent's, and their
 * ENDs are ignored. */
void rs_entries_end(struct rs_thread *thread);
void rs_entries_inherit(struct rs_thread *thread);

/* The same in a thread that begins anew, of what is open in another. */
void rs_entries_copy(struct rs_thread *thread, const struct rs_thread *other);

/* A marker is gone in the middle, which may have been opening or closing an entry. */
void rs_entries_mend(struct rs_thread *thread);

/* ---- overlap.c ---- */

/* The call of `entry` is over with the snapshot in thread->snapshot.values: update the calls
 * around it and within it. deltas[1 + n_events]: what it used in all; NULL: it was not measured.
 * is_call: it is a call, measured or skipped. The entry stays open. */
void rs_entry_tell(
	struct rs_thread *thread, struct rs_entry *entry, const uint64_t *deltas, bool is_call);

#endif
